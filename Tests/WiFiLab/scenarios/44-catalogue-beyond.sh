# The catalogue of faults: beyond the gateway. (up to 300 s) (on day 2 of 4)
. "$LAB/catalogue.sh"
catalogue 'beyond/*'
