import Glibc

// The steps of the program: give up all privileges, then serve the socket on standard input until the other
// end closes it. The program takes no arguments and reads no configuration; the main program sends all data.
signal(SIGPIPE, SIG_IGN)
if let failure = Confinement.enter() { ExitStatus.end(failure) }
ExitStatus.end(HelperService(channel: STDIN_FILENO).serve())
