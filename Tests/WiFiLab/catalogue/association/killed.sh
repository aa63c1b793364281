# access point killed without deauthentication
# Until a scan shows that the network is not in the air, a bounce is due; the next one is held back.
layer=association action=bounced bounces=1-2
inject() { access_point_dies; }
heal() { access_point bridge=$gateway_link; }
