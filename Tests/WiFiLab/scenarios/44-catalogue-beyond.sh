# The catalogue of faults: beyond the gateway. (up to 300 s)
. "$LAB/catalogue.sh"
catalogue 'beyond/*'
