# access point on a channel that the station's regulatory domain forbids
layer=association action="bounced|held|skipped" bounces=0-2 recovery=90 options=(--backoff 30s)
inject() {
    access_point_dies
    access_point bridge=$gateway_link hw_mode=a channel=36
}
heal() {
    access_point_dies
    access_point bridge=$gateway_link
}
