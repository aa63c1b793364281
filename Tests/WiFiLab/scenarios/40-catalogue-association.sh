# The catalogue of faults: between station and access point. (up to 600 s) (on day 1 of 4)
. "$LAB/catalogue.sh"
catalogue 'association/*'
