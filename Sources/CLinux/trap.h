// Ends the process with an exit status of its own when a check of the program itself fails. Swift then executes an
// instruction that raises SIGILL (amd64) or SIGTRAP (arm64). A shell, cron and a service manager see the exit status
// that the manual promises, not a signal.
#pragma once

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

// Calls only functions that are safe in a signal handler (signal-safety(7)).
static void end_after_trap(int number) {
    static const char text[] =
        "wifi-toggler: internal error: a check of the program itself has failed; please report this\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        // There is nobody to tell.
    }
    // A copy of the process dies of the signal, so that core dumps remain possible. It must not keep the descriptors:
    // the guard and the locks wait for their end. fork(3) would run handlers, which are not safe here.
    const pid_t copy = (pid_t)syscall(SYS_clone, SIGCHLD, 0L, 0L, 0L, 0L);
    if (copy == 0) {
        sigset_t signals;
        syscall(SYS_close_range, 0U, ~0U, 0U);
        signal(number, SIG_DFL);
        sigemptyset(&signals);
        sigaddset(&signals, number);
        sigprocmask(SIG_UNBLOCK, &signals, NULL);
        kill(getpid(), number);
    }
    if (copy > 0) waitpid(copy, NULL, 0);
    _exit(EX_SOFTWARE);
}

// Installs the handler, except for a signal for which there is one already, such as that of Swift's backtraces.
static inline void end_after_traps(void) {
    static const int numbers[] = {SIGILL, SIGTRAP};
    for (unsigned place = 0; place < sizeof numbers / sizeof *numbers; place++) {
        struct sigaction action, before;
        memset(&action, 0, sizeof action);
        action.sa_handler = end_after_trap;
        action.sa_flags = SA_RESETHAND;
        if (sigaction(numbers[place], &action, &before) == 0 && before.sa_handler != SIG_DFL)
            sigaction(numbers[place], &before, NULL);
    }
}
