# The catalogue of faults: a gateway that cannot be reached over a good association. (up to 500 s) (on odd days)
. "$LAB/catalogue.sh"
catalogue 'gateway/*'
