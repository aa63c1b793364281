# name server dead, its machine alive
variant=yes
layer=dns words='does not serve names' action=skipped
options=(--timeout 3s --probe auto --probe dns:$public_name@$provider)
prepare() { name_server; }
inject() { name_server_ends; }
heal() { name_server; }
tidy() { name_server_ends; }
