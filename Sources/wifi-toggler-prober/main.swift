import Glibc

// The steps of the program: give up all privileges, then serve the socket on standard input until it is
// closed. It takes no arguments and reads no configuration; the program that starts it sends everything.
signal(SIGPIPE, SIG_IGN)
if let failure = Confinement.enter() { ExitStatus.end(failure) }
ExitStatus.end(HelperService(channel: STDIN_FILENO).serve())
