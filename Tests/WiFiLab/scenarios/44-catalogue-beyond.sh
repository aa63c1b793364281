# The catalogue of faults: beyond the gateway. (up to 300 s) (on even days)
. "$LAB/catalogue.sh"
catalogue 'beyond/*'
