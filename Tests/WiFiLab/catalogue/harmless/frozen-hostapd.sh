# hostapd hangs, and packets still flow
variant=yes
layer=- cycles=8
inject() { kill -STOP "$(<"$scratch/hostapd.pid")"; }
heal() { kill -CONT "$(<"$scratch/hostapd.pid")"; }
