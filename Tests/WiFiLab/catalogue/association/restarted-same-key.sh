# access point restarted with the same key
# The station's owner joins again by itself, and is given the time.
layer=association? options=(--interval 3s --recheck 3s --fall 8) cycles=2
inject() {
    access_point_dies
    access_point bridge=$gateway_link
}
