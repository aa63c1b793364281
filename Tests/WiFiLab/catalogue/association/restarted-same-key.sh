# access point restarted with the same key
# The owner of the station joins again by itself. The program must not bounce the link before.
layer=association? options=(--interval 3s --recheck 3s --fall 8) cycles=2
inject() {
    access_point_dies
    access_point bridge=$gateway_link
}
