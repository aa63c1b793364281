# Completion of wifi-toggler for fish. Made from the program's table of options.

# The Wi-Fi interfaces; all interfaces if none is Wi-Fi, or with --any-interface.
function __wifi_toggler_interfaces
    set -l every
    set -l wireless
    for path in /sys/class/net/*/
        set -l name (string split / (string trim -r -c / $path))[-1]
        set -a every $name
        test -e $path/phy80211; and set -a wireless $name
    end
    if set -q wireless[1]; and not __fish_contains_opt any-interface
        set every $wireless
    end
    printf '%s\n' $every
end

# Before the command every option may be used, after it only the options of the command.
function __wifi_toggler_takes
    not __fish_seen_subcommand_from run toggle reconnect probe list status history doctor hold repair replay
    or __fish_seen_subcommand_from $argv
end

complete -c wifi-toggler -f
complete -c wifi-toggler -n 'not __fish_seen_subcommand_from run toggle reconnect probe list status history doctor hold repair replay' -a run -d 'service: check links at every interval, and bounce the sick ones'
complete -c wifi-toggler -n 'not __fish_seen_subcommand_from run toggle reconnect probe list status history doctor hold repair replay' -a toggle -d 'bounce a link now, and wait until it is back'
complete -c wifi-toggler -n 'not __fish_seen_subcommand_from run toggle reconnect probe list status history doctor hold repair replay' -a reconnect -d 'check a link, bounce it only if it is sick, and verify (for cron)'
complete -c wifi-toggler -n 'not __fish_seen_subcommand_from run toggle reconnect probe list status history doctor hold repair replay' -a probe -d 'check a link and report the verdict; change nothing'
complete -c wifi-toggler -n 'not __fish_seen_subcommand_from run toggle reconnect probe list status history doctor hold repair replay' -a list -d 'Wi-Fi interfaces and their state'
complete -c wifi-toggler -n 'not __fish_seen_subcommand_from run toggle reconnect probe list status history doctor hold repair replay' -a status -d 'what the running service knows, and why it acted'
complete -c wifi-toggler -n 'not __fish_seen_subcommand_from run toggle reconnect probe list status history doctor hold repair replay' -a history -d 'outages and bounces, with cause and duration'
complete -c wifi-toggler -n 'not __fish_seen_subcommand_from run toggle reconnect probe list status history doctor hold repair replay' -a doctor -d 'conflicts and weaknesses of this machine\'s set-up'
complete -c wifi-toggler -n 'not __fish_seen_subcommand_from run toggle reconnect probe list status history doctor hold repair replay' -a hold -d 'prevent automatic bounces for a time; hold 0 ends that'
complete -c wifi-toggler -n 'not __fish_seen_subcommand_from run toggle reconnect probe list status history doctor hold repair replay' -a repair -d 'raise links that an interrupted bounce left down'
complete -c wifi-toggler -n 'not __fish_seen_subcommand_from run toggle reconnect probe list status history doctor hold repair replay' -a replay -d 'repeat the decisions of a trace, and compare'
complete -c wifi-toggler -n '__fish_seen_subcommand_from run toggle reconnect probe status history doctor hold repair' -a '(__wifi_toggler_interfaces)'
complete -c wifi-toggler -n '__fish_seen_subcommand_from replay' -F
complete -c wifi-toggler -n '__wifi_toggler_takes run' -s i -l interval -x -d 'time between cycles'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect probe' -s p -l probe -x -a 'auto none neighbour icmp tcp dns http command' -d 'what to probe; may be repeated'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect probe' -l quorum -x -d 'how many probes of each layer must succeed'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect probe' -l command-user -x -a '(__fish_complete_users)' -d 'the user who runs probes of the kind command'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect' -s f -l force -d 'bounce the link even when it is healthy'
complete -c wifi-toggler -n '__wifi_toggler_takes run reconnect' -l bounce-on -x -a 'association address gateway dns internet portal' -d 'the layers whose faults lead to a bounce'
complete -c wifi-toggler -n '__wifi_toggler_takes run reconnect' -l fall -x -d 'sick verdicts in a row that make the link sick'
complete -c wifi-toggler -n '__wifi_toggler_takes run reconnect' -l rise -x -d 'healthy verdicts in a row that make the link healthy'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect' -l recheck -x -d 'time between checks while the link is suspect'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect probe' -l timeout -x -d 'how long one probe waits for its answer'
complete -c wifi-toggler -n '__wifi_toggler_takes run' -l degraded-loss -x -d 'loss in per cent that makes the link degraded'
complete -c wifi-toggler -n '__wifi_toggler_takes run' -l degraded-latency -x -d 'median round trip that makes the link degraded'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect' -s d -l delay -x -d 'how long the link is kept down'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect' -l settle -x -d 'how long the link may take to come back'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect' -l restore -x -a 'yes no' -d 'restore lost routes and addresses that no other program restores'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect' -l no-fast-reconnect -d 'do not abort the owner\'s first scan'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect' -l method -x -a 'auto reassociate owner restart-owner bounce rfkill rebind reset hook: reboot' -d 'methods to recover a sick link'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect' -l power-save -x -a 'off auto leave' -d 'whether power saving is kept off'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect' -l announce -d 'tell the neighbours the addresses of a healthy link'
complete -c wifi-toggler -n '__wifi_toggler_takes run reconnect' -l backoff -x -d 'time between the first two bounces of an outage'
complete -c wifi-toggler -n '__wifi_toggler_takes run reconnect' -l backoff-max -x -d 'the longest time between bounces'
complete -c wifi-toggler -n '__wifi_toggler_takes run' -l grace -x -d 'time after boot or hotplug without a bounce'
complete -c wifi-toggler -n '__wifi_toggler_takes run' -l reboot-after -x -d 'how long an outage must last before the method reboot is used'
complete -c wifi-toggler -n '__wifi_toggler_takes run reconnect' -l quiet-hours -x -d 'hours without a bounce; may be repeated'
complete -c wifi-toggler -n '__wifi_toggler_takes run reconnect' -l even-if-in-use -d 'bounce even while a user is logged in over the link'
complete -c wifi-toggler -n '__wifi_toggler_takes run reconnect' -l budget -x -d 'maximum number of bounces per hour'
complete -c wifi-toggler -n '__wifi_toggler_takes run reconnect' -l budget-per-day -x -d 'maximum number of bounces per day'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect repair' -l wait -x -d 'how long to wait for another run\'s lock'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect repair' -s n -l dry-run -d 'decide and report, change nothing'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect probe list doctor hold repair' -l any-interface -d 'also accept interfaces that are not Wi-Fi'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect probe list status history doctor hold repair' -l config -r -F -d 'the configuration file'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect probe history doctor repair' -l state-dir -x -a '(__fish_complete_directories)' -d 'directory for the history and other saved state'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect probe status doctor hold repair' -l run-dir -x -a '(__fish_complete_directories)' -d 'directory of locks and the control socket'
complete -c wifi-toggler -n '__wifi_toggler_takes run' -l metrics -r -F -d 'file of metrics for Prometheus'
complete -c wifi-toggler -n '__wifi_toggler_takes run' -l hooks-dir -x -a '(__fish_complete_directories)' -d 'directory of hooks, run when something changes'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect probe' -l record -r -F -d 'write a trace for \'replay\''
complete -c wifi-toggler -n '__wifi_toggler_takes run' -l check -d 'validate and print the settings, and exit'
complete -c wifi-toggler -n '__wifi_toggler_takes status' -l watch -d 'keep running and show every change'
complete -c wifi-toggler -n '__wifi_toggler_takes history' -l since -x -d 'leave out outages and bounces that ended before T'
complete -c wifi-toggler -n '__wifi_toggler_takes history' -l html -r -F -d 'write the history as a page for a browser'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect probe list status history doctor repair' -l json -d 'one JSON object per line on standard output'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect probe list status history doctor hold repair replay' -s q -l quiet -d 'write errors only'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect probe list status history doctor hold repair replay' -s v -l verbose -d 'also write healthy cycles and the reasoning'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect probe list status history doctor hold repair replay' -l log -x -a 'auto stderr journal syslog' -d 'where to log: auto, stderr, journal or syslog'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect probe list status history doctor hold repair replay' -s h -l help -d 'this text'
complete -c wifi-toggler -n '__wifi_toggler_takes run toggle reconnect probe list status history doctor hold repair replay' -s V -l version -d 'the version'
