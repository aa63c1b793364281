# ConnMan with wpa_supplicant
beat=15
# ConnMan 1.44 sometimes has a second default route, of the lowest priority.
unsteady='^default .* metric 42949[0-9]{5}'
impossible[owner]="a connected link must be disconnected first, and might then not connect again"
manage() {
    bus
    supplicant_on_bus
    connman_files
    printf '[General]\nEnableOnlineCheck=false\n' >"$scratch/connman.conf"
    connmand --nodaemon --config="$scratch/connman.conf" --device="$station" --nodnsproxy \
        >>"$scratch/connman.log" 2>&1 &
}
service() { connmanctl services | sed -n "s/.* $network_name  *\(wifi_.*\)/\1/p"; }
# ConnMan 1.44 gave up in about one of 13 bounces.
gave_up() { connmanctl services "$(service)" | finds '^ *Error = '; }
says_so() { connmanctl services | finds "^\*A[RO] $network_name "; }
leave() { connmanctl disconnect "$(service)"; }
rejoin() { connmanctl connect "$(service)"; }
