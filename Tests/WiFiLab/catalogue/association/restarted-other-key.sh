# access point restarted with another key, and later with the right key
layer=association action=bounced bounces=1-2 recovery=90 options=(--backoff 30s)
inject() {
    access_point_dies
    key_changes
    access_point bridge=$gateway_link
}
heal() {
    access_point_dies
    key_returns
    access_point bridge=$gateway_link
}
