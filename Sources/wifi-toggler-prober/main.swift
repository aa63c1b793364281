import Glibc

// The steps of the program: give up all that it does not need, then serve the socket that is its standard
// input, until that is closed. It takes no arguments and reads no configuration; the program that starts it
// says all.
signal(SIGPIPE, SIG_IGN)
if let failure = Confinement.enter() { ExitStatus.end(failure) }
ExitStatus.end(HelperService(channel: STDIN_FILENO).serve())
