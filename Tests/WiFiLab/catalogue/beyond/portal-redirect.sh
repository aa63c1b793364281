# captive portal that redirects
layer=portal words='redirects \(302\)' action=skipped
options=(--timeout 3s --probe auto --probe http:http://$provider/generate_204)
prepare() {
    page '204 No Content'
    page_server
}
inject() { page '302 Found' 'Location: http://portal.example/login' 'Content-Length: 0'; }
heal() { page '204 No Content'; }
tidy() { page_server_ends; }
