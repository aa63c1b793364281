# dead behind the access point: nobody has the gateway's address
layer=gateway action=bounced bounces=1-2
inject() { gateway_mutes; }
heal() { gateway_speaks; }
