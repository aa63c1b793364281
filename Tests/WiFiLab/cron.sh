# Debian's cron inside the guest, at an hour that the scenario chooses.
# shellcheck shell=bash disable=SC2154 # sourced after expect.sh

mailbox=$scratch/mailbox

# Installs the project's cron file, and a sendmail that stores what cron would mail. Installs the program where the cron
# file expects it, in a wrapper that records its trace.
install_cron_file() {
    local file=$LAB/../../contrib/wifi-toggler.cron program recording part
    install -m 644 "$file" /etc/cron.d/wifi-toggler
    program=$(awk '!/^#/ && NF { print $7; exit }' "$file")
    recorded reconnect
    mkdir -p "$(dirname "$program")"
    printf '#!/bin/bash\nexec %q "$@" %s\n' "$WIFI_TOGGLER" "${recording[*]}" >"$program"
    chmod 755 "$program"
    printf '#!/bin/sh\ncat >>%s\n' "$mailbox" >/usr/sbin/sendmail
    chmod 755 /usr/sbin/sendmail
    # In a root file system of the lab, no package has made the files that cron's PAM file includes.
    for part in auth account password session session-noninteractive; do
        [[ -e /etc/pam.d/common-$part ]] || echo "${part%%-*} required pam_permit.so" >"/etc/pam.d/common-$part"
    done
    rm -f /etc/cron.d/e2scrub_all /var/spool/cron/crontabs/*
    : >/etc/crontab
    busybox syslogd -n -O "$scratch/syslog.log" &
    within 10 "the system's log is open" test -S /dev/log
}

# Sets the clock to just before a full hour and starts cron, so that the job, whose minutes include 0, is due at once.
cron_at_the_hour() {
    date -s "$(date -d '+1 hour' '+%F %H:59:57')" >/dev/null
    : >"$scratch/syslog.log"
    # -L 3 logs the start and the end of each job.
    cron -f -L 3 &
    cron=$!
}
job_has_started() { grep -q 'CRON.* CMD (.*wifi-toggler' "$scratch/syslog.log"; }
job_has_ended() { grep -q 'CRON.* END (.*wifi-toggler' "$scratch/syslog.log"; }
expect_no_mail() { [[ ! -s $mailbox ]] || fail "cron mails nothing" "$(cat "$mailbox")"; }
cron_ends() {
    kill "$cron"
    wait "$cron" || :
}
