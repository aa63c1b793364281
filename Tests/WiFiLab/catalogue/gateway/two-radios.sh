# two stations in one network, one of them forgotten by the access point
layer=gateway action=bounced bounces=1-1
prepare() {
    second_station
    watched=($station $second_station)
}
inject() { access_point_forgets_station; }
tidy() {
    [[ ! $(changes_of $second_station) ]] || fail "the other is left alone" "$(changes_of $second_station)"
    second_ends
}
