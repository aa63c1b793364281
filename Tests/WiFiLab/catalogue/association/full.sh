# access point full
layer=association action=bounced bounces=1-2 recovery=90 options=(--backoff 30s)
inject() {
    access_point_dies
    access_point bridge=$gateway_link max_num_sta=0
}
heal() {
    access_point_dies
    access_point bridge=$gateway_link
}
