# access point killed without deauthentication
layer=association action="bounced|held|skipped" bounces=0-2
inject() { access_point_dies; }
heal() { access_point bridge=$gateway_link; }
