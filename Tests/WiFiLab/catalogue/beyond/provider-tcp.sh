# provider dead, seen by TCP
variant=yes
layer=internet action=skipped options=(--probe auto --probe tcp:$provider:80)
prepare() { web_server; }
inject() { provider_dies; }
heal() { provider_lives; }
tidy() { web_server_ends; }
