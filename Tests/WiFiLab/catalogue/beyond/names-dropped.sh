# queries to the name server are dropped
layer=dns words='did not answer' action=skipped options=(--timeout 3s --probe auto --probe dns:$public_name@$provider)
prepare() { name_server; }
inject() { drops_questions; }
heal() { drops_nothing; }
tidy() { name_server_ends; }
