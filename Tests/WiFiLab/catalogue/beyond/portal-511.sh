# captive portal that says so (511)
layer=portal words='status 511' action=skipped
options=(--timeout 3s --probe auto --probe http:http://$provider/generate_204)
prepare() {
    page '204 No Content'
    page_server
}
inject() { page '511 Network Authentication Required' 'Content-Length: 0'; }
heal() { page '204 No Content'; }
tidy() { page_server_ends; }
