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

        /// Whether the method acts, and so is only for root.
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

    /// The description of the interface. Its comments are above a type or a method, never inside: systemd's
    /// parser accepts them there only since version 257.
    public static let description = """
        # The service of wifi-toggler: how its links are, and what it does about them.
        interface wifitoggler.Control

        type Conclusion (healthy, sick, unknown)

        # From the bottom up.
        type Layer (radio, association, address, gateway, dns, internet, portal)

        # One thing that was seen. The result is ok, failed or unknown.
        type Evidence (probe: string, result: string, rtt_ms: ?float, detail: string)

        # What could not be put back after a bounce, and the kernel's words.
        type Refused (item: string, error: string)

        # The next check: when (RFC 3339), and why then.
        type Next (time: string, why: string)

        # Why a link is called degraded.
        type Degraded (
          by: []string,
          probes: int,
          lost: int,
          loss_percent: int,
          rtt_ms: ?float,
          power_save: ?bool
        )

        # Who has a part in managing an interface, and what shows it. Not known: nobody was found, and not everything
        # could be looked at. Disputed: two programs do the same, each by itself.
        type Part (names: []string, evidence: []string, known: bool, disputed: bool)

        # Who associates the station, and who gives it addresses and routes.
        type Owner (station: Part, network: Part)

        # The end of a cycle: the keys of run --json. Or something else that happened, with a word for it as event:
        # started (the interface is watched from now on), renamed, absent, appeared, bounce-begun, hold-set (no bounce by
        # itself, or for another time than before) or hold-over. Then reason tells of it, and verdict is null but for what
        # called for a bounce.
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

        # A line for people: its level is that of syslog(3), from 3 (error) to 7 (debug).
        type Line (level: int, text: string)

        # What is waited for, for people, and how long at most from now.
        type Wait (what: string, most_ms: ?float)

        # The last thing that was done about a link: when it was over (RFC 3339), how long ago that is, what called
        # for it, and how the link was then.
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

        # How a link is at this moment. What is null is not known, or does not apply.
        # state: what the service is about: waiting, checking, keeping down and so on.
        # checked and what follows: the last check, and what it came to; reasoning: how, for people.
        # owner: who manages the interface at this moment.
        # under_way: what called for that which is done about the link at this moment, for people.
        # held: what holds a bounce back now, for people.
        # actions: since the service began; last_action may have been before, and come from the history then.
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
          under_way: ?string,
          held: []string,
          next: ?Next,
          next_ms: ?float,
          actions: int,
          last_action: ?Action
        )

        # An outage, a bounce, or what a dry run would have done: the keys of history --json. What belongs to another kind
        # is not there.
        # Of an outage, begin to ended_by: from when until when (RFC 3339; null: it is not over), for how long, whether
        # a clock says so that nobody can set, how often something was done, and what ended it.
        # Of a bounce, time to refused: when it was over, which command did it, what it was, what called for it, how the
        # link was then, of what use it was, and what was lost, put back or not.
        # Of what a dry run withheld, time, by, methods (none: the link would have been raised) and cause.
        # Of all, layer to evidence; the evidence is that of the outage, or of what called for the bounce.
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

        # How this interface is, without a name all of them.
        method Status(interface: ?string) -> (interfaces: []Interface)

        # The end of the last cycle of each interface, and what has happened and still is so: it is absent, a bounce is
        # under way, it is held. Then each event as it comes. To be called with more.
        method Monitor() -> (event: Event)

        # All metrics of the service in Prometheus' text format.
        method Metrics() -> (text: string)

        # What is kept of the past of this interface, without a name of all of them, in the order of history --json.
        # With since what was over before is left out: 7d ago, 2026-02-03, or a time, as history --since takes it.
        # With more all of it comes, a part with each reply; else one reply holds the newest records, 128 KiB at most,
        # and how many it leaves out.
        method History(interface: ?string, since: ?string) -> (records: []Record, left_out: int)

        # A check now, for root: as the signal USR1.
        method Cycle(interface: ?string) -> ()

        # No bounce by itself for so long, for root: as wifi-toggler hold. 0 releases.
        method Hold(interface: ?string, seconds: int) -> ()

        # One bounce now, for root: as wifi-toggler toggle. Where one is under way it is that one. The reply comes when it
        # is over: status is the exit status of the command, event is null where no cycle has ended. With more every
        # step is told as it comes, and what is waited for from then on, the first time as soon as the call is taken
        # on; the last reply alone has status and event.
        method Toggle(interface: string, delay_ms: ?int) -> (
          lines: []Line,
          wait: ?Wait,
          status: ?int,
          event: ?Event
        )

        # A check now, and a bounce if the link is sick, for root: as wifi-toggler reconnect.
        method Reconnect(interface: string) -> (
          lines: []Line,
          wait: ?Wait,
          status: ?int,
          event: ?Event
        )

        # The service does not watch an interface of this name, nor has it a history of one.
        error NotWatched (interface: string)

        # What was asked for could not be written down.
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
