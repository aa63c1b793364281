# The catalogue of faults: a gateway that cannot be reached over a good association. (up to 500 s) (on day 3 of 4)
. "$LAB/catalogue.sh"
catalogue 'gateway/*'
