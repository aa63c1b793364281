# name server refuses to answer
layer=dns words='REFUSED' action=skipped options=(--timeout 3s --probe auto --probe dns:$public_name@$provider)
prepare() { name_server; }
inject() { name_server_says; }
heal() { name_server_says $public_address; }
tidy() { name_server_ends; }
