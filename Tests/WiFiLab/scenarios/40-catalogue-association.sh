# The catalogue of faults: between station and access point. (up to 600 s) (on odd days)
. "$LAB/catalogue.sh"
catalogue 'association/*'
