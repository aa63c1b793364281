# name server lies: a public name is in the network's own subnet
layer=dns words="gives a false answer: $public_name is at $gateway" action=skipped
options=(--timeout 3s --probe auto --probe dns:$public_name@$provider)
prepare() { name_server; }
inject() { name_server_says $gateway; }
heal() { name_server_says $public_address; }
tidy() { name_server_ends; }
