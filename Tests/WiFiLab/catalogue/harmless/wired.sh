# a wire to the same subnet takes the default route
variant=yes
layer=-
inject() { wire; }
heal() { ip link del lab0; }
