/// The interface of the control socket, in Varlink's interface description language. This is its only
/// definition; the package installs it as a file.
public enum ControlInterface {
    /// The interface's name. Its first part has no dash, because not every client accepts one there.
    public static let name = "wifitoggler.Control"
    /// The socket's name, in the directory of `--run-dir`.
    public static let socket = "control"

    /// The methods. The raw value follows the interface's name in a call.
    enum Method: String, CaseIterable {
        case status = "Status"
        case monitor = "Monitor"
        case cycle = "Cycle"
        case hold = "Hold"
        case toggle = "Toggle"
        case reconnect = "Reconnect"
        case metrics = "Metrics"
        case history = "History"

        /// Whether the method acts, and so is only for root and the service's own user with CAP_NET_ADMIN.
        var acts: Bool {
            switch self {
            case .status, .monitor, .metrics, .history: false
            case .cycle, .hold, .toggle, .reconnect: true
            }
        }
    }

    /// The longest hold in seconds: a month, as on the command line.
    static let longestHold: Int64 = 30 * 86_400
    /// The longest time for which a bounce keeps the link down, in milliseconds, as on the command line.
    static let longestDelay: Int64 = 60_000

    /// The description of the interface. Its comments are above a type or a method, never inside one, because
    /// systemd's parser accepts comments inside one only since version 257.
    public static let description = """
        # The service of wifi-toggler: the state of its links, and what it does about sick ones.
        # Only root, and a process of the service's own user that has CAP_NET_ADMIN, may call Cycle, Hold, Toggle
        # and Reconnect; see wifi-toggler-output(5), CONTROL SOCKET.
        interface wifitoggler.Control

        type Conclusion (healthy, sick, unknown)

        # The layers, the lowest first.
        type Layer (radio, association, address, gateway, dns, internet, portal)

        # One fact on which a verdict is based. The result is ok, failed or unknown.
        type Evidence (probe: string, result: string, rtt_ms: ?float, detail: string)

        # An item that could not be restored after a bounce, such as a route, and the kernel's message.
        type Refused (item: string, error: string)

        # When the next check is due (RFC 3339), and the reason for this time.
        type Next (time: string, why: string)

        # Why a link is degraded: by loss, by latency or by both.
        type Degraded (
          by: []string,
          probes: int,
          lost: int,
          loss_percent: int,
          rtt_ms: ?float,
          power_save: ?bool
        )

        # The programs that do one part of the management of an interface, and the evidence for it. known is
        # false if no program was found, but not everything could be read; disputed is true if several
        # programs do this part, and disturb each other.
        type Part (names: []string, evidence: []string, known: bool, disputed: bool)

        # station: who associates the station; network: who gives it addresses and routes.
        type Owner (station: Part, network: Part)

        # The end of a cycle: the keys of run --json, without the key event. Or something that happened
        # between two checks; then event is one of started (the service begins to watch the interface),
        # renamed, absent, appeared, bounce-begun, hold-set (a hold was set, or its time has changed) and
        # hold-over, reason is a sentence about it, and the keys that do not apply are null or empty. The
        # verdict of bounce-begun is that which caused the bounce.
        type Event (
          event: ?string,
          time: string,
          interface: string,
          verdict: ?Conclusion,
          layer: ?Layer,
          reason: string,
          evidence: []Evidence,
          action: string,
          methods: []string,
          method: ?string,
          down_ms: ?float,
          recovery_ms: ?float,
          lost: []string,
          restored: []string,
          refused: []Refused,
          next: ?Next,
          degraded: ?Degraded
        )

        # A line of text for people. Its level is a priority of syslog(3), from 3 (error) to 7 (debug).
        type Line (level: int, text: string)

        # What the service waits for, as a text for people, and how long it will wait at most from now.
        type Wait (what: string, most_ms: ?float)

        # The last action on a link: when it was over (RFC 3339), how long ago that is, its cause, and the
        # verdict after it.
        type Action (
          time: string,
          ago_ms: float,
          cause: string,
          action: string,
          methods: []string,
          method: ?string,
          down_ms: ?float,
          recovery_ms: ?float,
          lost: []string,
          restored: []string,
          refused: []Refused,
          verdict: Conclusion,
          layer: ?Layer,
          reason: string
        )

        # The state of a link at the time of the call. A value is null if it is not known or does not apply.
        # state: what the service does now: waiting, checking, keeping down and so on.
        # checked to degraded: the last check; reasoning: how it came to its verdict, as lines for people.
        # owner: who manages the interface now.
        # power_save: why power saving is kept off, as a sentence; null: the service leaves it as it is.
        # under_way: the cause of the action under way, as a sentence; null: there is none.
        # held: what prevents a bounce now, as sentences.
        # actions: the number of actions since the service began.
        # last_action: if the service has not acted yet, the last action of an earlier run, from the history.
        type Interface (
          time: string,
          interface: string,
          state: string,
          condition: (undetermined, healthy, sick),
          since: string,
          since_ms: float,
          checked: ?string,
          checked_ms: ?float,
          verdict: ?Conclusion,
          layer: ?Layer,
          reason: ?string,
          evidence: []Evidence,
          reasoning: []string,
          signal_dbm: ?int,
          degraded: ?Degraded,
          owner: ?Owner,
          power_save: ?string,
          under_way: ?string,
          held: []string,
          next: ?Next,
          next_ms: ?float,
          actions: int,
          last_action: ?Action
        )

        # An outage, a bounce, or what a dry run would have done (withheld): the keys of history --json. Keys
        # that do not belong to the kind of the record are missing.
        # An outage has begin to ended_by, and methods: its begin and end (RFC 3339; null: it is not over), its
        # duration, whether that was measured by a clock that nobody can set (exact), the number of actions,
        # what ended it, and the methods of the action that did (none: no action).
        # A bounce has time to refused: when it was over, the command (by), the action and its methods, its
        # cause, the verdict after it, its use, what was lost and restored, and what could not be restored.
        # A record of the kind withheld has time, by, methods (none: the link would have been raised) and
        # cause.
        # All records have layer to evidence. The evidence is that of the outage, or of the cause of the
        # bounce.
        type Record (
          kind: (outage, bounce, withheld),
          interface: string,
          begin: ?string,
          end: ?string,
          duration_ms: ?float,
          exact: ?bool,
          actions: ?int,
          ended_by: ?string,
          time: ?string,
          by: ?string,
          action: ?string,
          methods: ?[]string,
          method: ?string,
          cause: ?string,
          down_ms: ?float,
          recovery_ms: ?float,
          verdict: ?Conclusion,
          use: ?(useful, useless, unclear),
          lost: ?[]string,
          restored: ?[]string,
          refused: ?[]string,
          layer: ?Layer,
          reason: string,
          evidence: []Evidence
        )

        # Returns the state of this interface; without a name, of all interfaces that the service watches.
        method Status(interface: ?string) -> (interfaces: []Interface)

        # First sends, for each interface, the end of its last cycle and the events that still apply: it is
        # absent, a bounce is under way, it is held. Then sends each event when it happens. Call it with the
        # flag more.
        method Monitor() -> (event: Event)

        # Returns all metrics of the service in the text format of Prometheus.
        method Metrics() -> (text: string)

        # Returns the history of this interface, in the order of history --json; without a name, of all
        # interfaces. With since, it leaves out outages and bounces that ended before that time. The time has the
        # form of history --since: 7d (seven days ago), 2026-02-03, or a time with its zone. With the flag more, it
        # sends all records, some of them in each reply. Without this flag, one reply has the newest records, at
        # most 128 KiB, and left_out is the number of the other records.
        method History(interface: ?string, since: ?string) -> (records: []Record, left_out: int)

        # Begins a check now, like the signal USR1.
        method Cycle(interface: ?string) -> ()

        # Prevents automatic bounces for so many seconds, like the command hold; 0 ends the hold.
        method Hold(interface: ?string, seconds: int) -> ()

        # Bounces the interface now, like the command toggle. If a bounce is already under way, the call waits
        # for its end instead. The reply comes when the bounce is over: status is the exit status of the
        # command; event is null if no cycle has ended. With the flag more, the first reply comes when the
        # service accepts the call, and then one for each step, with its lines and with what the service waits
        # for next. Only the last reply has status and event.
        method Toggle(interface: string, delay_ms: ?int) -> (
          lines: []Line,
          wait: ?Wait,
          status: ?int,
          event: ?Event
        )

        # Checks the link now, and bounces it if it is sick, like the command reconnect. The replies are those
        # of Toggle.
        method Reconnect(interface: string) -> (
          lines: []Line,
          wait: ?Wait,
          status: ?int,
          event: ?Event
        )

        # The service does not watch an interface of this name, and there is no history of it.
        error NotWatched (interface: string)

        # The service could not write the file that the call needs.
        error NotWritten (reason: string)

        # The history could not be read.
        error NotRead (reason: string)

        """

    /// The description of `org.varlink.service`, the interface that every Varlink service has.
    static let serviceDescription = """
        # What every Varlink service can be asked.
        interface org.varlink.service

        # What this service is, and the interfaces that it has.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # The description of an interface.
        method GetInterfaceDescription(interface: string) -> (description: string)

        error InterfaceNotFound (interface: string)

        error MethodNotFound (method: string)

        error MethodNotImplemented (method: string)

        error InvalidParameter (parameter: string)

        error PermissionDenied ()

        error ExpectedMore ()

        """
}
