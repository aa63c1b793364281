/// The meaning of the program's exit statuses, for the help and the manual page. Those from 64 on are from
/// sysexits.h (sysexits(3)).
enum ExitStatusTable {
    static let rows: [(status: Int, meaning: String)] = [
        (
            0,
            "healthy, possibly only after a bounce; 'run': ended by a signal, link up; 'doctor': only notes"
        ),
        (
            1,
            "sick, and a bounce did not help or could not help; 'replay': decisions differ; 'doctor': warnings"
        ),
        (2, "unknown: the check was not possible"),
        (64, "wrong usage"),
        (65, "'replay': the file is not a trace (file:line)"),
        (66, "'replay', 'history': a file cannot be read"),
        (
            69,
            "no such interface, or blocked by rfkill, or set down by another program; 'doctor': errors;"
                + " 'status': no service"
        ),
        (70, "internal error: a mistake in the program; please report it"),
        (71, "the system refused (socket, netlink)"),
        (73, "lock, state, trace, page or standard output cannot be written"),
        (75, "another run has the lock of this interface"),
        (77, "no permission (CAP_NET_ADMIN; 'status': the control socket; 'history': its files)"),
        (78, "configuration wrong (file:line)"),
    ]
}
