# access point killed without deauthentication
# Before a scan has shown that the network is missing, one bounce is right. After that, no bounce follows.
layer=association action=bounced bounces=1-2
inject() { access_point_dies; }
heal() { access_point bridge=$gateway_link; }
