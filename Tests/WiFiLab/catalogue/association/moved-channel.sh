# access point gone, and back on another channel
# Before a scan has shown that the access point is missing, one bounce is right. It also makes the owner scan all
# channels.
layer=association action=bounced bounces=1-2
inject() { access_point_dies; }
heal() { access_point bridge=$gateway_link channel=6; }
tidy() {
    access_point_dies
    access_point bridge=$gateway_link
    within 40 "$station is on the first channel again" is_on 2412
    association
    pings
}
