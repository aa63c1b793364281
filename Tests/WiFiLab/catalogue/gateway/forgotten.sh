# associated, but forgotten by the access point
layer=gateway action=bounced bounces=1-1
inject() { access_point_forgets_station; }
