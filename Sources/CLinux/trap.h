// When a runtime check of Swift fails, such as for an overflow or a precondition, Swift executes an instruction that
// raises SIGILL (amd64) or SIGTRAP (arm64). The handler then ends the process, so that a shell, cron and a service
// manager see the exit status that the manual promises, not a signal.
#pragma once

#include <signal.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

// Calls only functions that are safe in a signal handler (signal-safety(7)). For some failures, Swift has already
// written its own message, with the place of the failure.
static void end_after_trap(int number) {
    static const char text[] =
        "wifi-toggler: internal error: a check of the program itself has failed; please report this\n";
    (void)number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        // The message is lost. The exit status still reports the failure.
    }
    _exit(EX_SOFTWARE);
}

// Installs the handler, except for a signal for which there is one already, such as that of Swift's backtraces.
static inline void end_after_traps(void) {
    static const int numbers[] = {SIGILL, SIGTRAP};
    for (unsigned place = 0; place < sizeof numbers / sizeof *numbers; place++) {
        struct sigaction action, before;
        memset(&action, 0, sizeof action);
        action.sa_handler = end_after_trap;
        if (sigaction(numbers[place], &action, &before) == 0 && before.sa_handler != SIG_DFL)
            sigaction(numbers[place], &before, NULL);
    }
}
