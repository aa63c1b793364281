# access point on a channel that the station's regulatory domain forbids
# The station must not scan this channel, so it cannot know that the network is there. One bounce is right; the back-off
# prevents another one.
layer=association action=bounced bounces=1-2 recovery=90 options=(--backoff 30s)
inject() {
    access_point_dies
    access_point bridge=$gateway_link hw_mode=a channel=36
}
heal() {
    access_point_dies
    access_point bridge=$gateway_link
}
