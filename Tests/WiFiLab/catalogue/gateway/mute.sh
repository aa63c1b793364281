# gateway dead behind the access point: no machine has its address
layer=gateway action=bounced bounces=1-2
inject() { gateway_mutes; }
heal() { gateway_speaks; }
