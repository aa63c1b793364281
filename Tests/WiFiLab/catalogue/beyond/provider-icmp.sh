# provider dead, seen by ICMP
layer=internet action=skipped options=(--probe auto --probe icmp:$provider)
inject() { provider_dies; }
heal() { provider_lives; }
