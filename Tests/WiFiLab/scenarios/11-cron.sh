# Debian's cron with the project's cron file prints nothing on a healthy link, and recovers a sick one.
. "$LAB/cron.sh"
access_point
static_station
install_cron_file

mark
cron_at_the_hour
within 30 "cron starts the job" job_has_started
within 30 "the job has ended" job_has_ended
expect_no_mail
expect_no_event
cron_ends

access_point_forgets_station
no_ping
associated
cron_at_the_hour
within 30 "cron starts the job" job_has_started
within 90 "the job has ended" job_has_ended
has_bounced 1 || fail "one bounce" "$(changes)"
pings
