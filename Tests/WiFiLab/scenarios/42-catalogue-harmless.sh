# The catalogue of faults: events that are no fault of the link and cause no bounce. (up to 400 s) (on day 0 of 4)
. "$LAB/catalogue.sh"
catalogue 'harmless/*'
