# The catalogue of faults: events that are no fault of the link and cause no bounce. (up to 400 s) (on even days)
. "$LAB/catalogue.sh"
catalogue 'harmless/*'
