# a wire into the same subnet, and with it the way to everywhere
variant=yes
layer=-
inject() { wire; }
heal() { ip link del lab0; }
