# forgotten by the access point, while a wire leads to the same subnet
layer=gateway action=bounced bounces=1-1
prepare() { wire; }
inject() { access_point_forgets_station; }
tidy() { ip link del lab0; }
