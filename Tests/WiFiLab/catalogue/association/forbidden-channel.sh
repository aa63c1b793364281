# access point on a channel that the station's regulatory domain forbids
# The station cannot know that the network is on a channel where it may not listen: one bounce, then the back-off.
layer=association action=bounced bounces=1-2 recovery=90 options=(--backoff 30s)
inject() {
    access_point_dies
    access_point bridge=$gateway_link hw_mode=a channel=36
}
heal() {
    access_point_dies
    access_point bridge=$gateway_link
}
