# two seconds of latency
layer=- options=(--timeout 2s --recheck 1s --fall 3) cycles=3
inject() { impair delay 2s; }
heal() { impair_nothing; }
