# The catalogue of faults: between station and access point. (up to 600 s)
. "$LAB/catalogue.sh"
catalogue 'association/*'
