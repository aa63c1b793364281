# The catalogue: what goes wrong beyond the gateway. (up to 200 s)
. "$LAB/catalogue.sh"
catalogue beyond
