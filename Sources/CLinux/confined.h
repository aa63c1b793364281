// Starts a program without the privileges of this process. The code between fork(2) and execve(2) is written
// in C: in the copy of a process with several threads, only async-signal-safe functions may be called
// (signal-safety(7)), and the Swift runtime does not guarantee that.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "landlock.h"

extern int capset(cap_user_header_t header, const cap_user_data_t sets);
extern int close_range(unsigned int first, unsigned int last, int flags);
extern int dup3(int from, int to, int flags);
extern int setgroups(size_t count, const gid_t *groups);
extern int setresgid(gid_t real, gid_t effective, gid_t saved);
extern int setresuid(uid_t real, uid_t effective, uid_t saved);

struct confined_program {
    const char *path;
    char *const *arguments;
    char *const *environment;
    // The descriptor that becomes standard input; -1 for /dev/null. This and the following descriptors must
    // be 5 or more.
    int input;
    // The descriptor that becomes standard output.
    int output;
    // The write end of a pipe, which gets a struct confined_failure if execve(2) is not reached or fails.
    int report;
    // The Landlock ruleset for the program; -1 for none.
    int ruleset;
    // Whether to change the user and group. Otherwise the program keeps those of this process.
    int changes_user;
    uid_t user;
    gid_t group;
};

enum confined_step {
    confined_descriptors = 1,
    confined_directory,
    confined_groups,
    confined_group,
    confined_user,
    confined_privileges,
    confined_capabilities,
    confined_files,
    confined_execution,
};

struct confined_failure {
    int32_t step;
    int32_t code;
};

static inline int confined_fails_at(const struct confined_program *program) {
    const int report = STDERR_FILENO + 1, ruleset = report + 1;
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int input = program->input == -1 ? null : program->input;
    if (null == -1 || dup2(program->output, STDOUT_FILENO) == -1 || dup2(input, STDIN_FILENO) == -1
        || dup2(null, STDERR_FILENO) == -1)
        return confined_descriptors;
    if (dup3(program->report, report, O_CLOEXEC) == -1) return confined_descriptors;
    if (program->ruleset != -1 && dup3(program->ruleset, ruleset, O_CLOEXEC) == -1) return confined_descriptors;
    if (close_range(program->ruleset == -1 ? ruleset : ruleset + 1, ~0U, 0) == -1) return confined_descriptors;
    if (chdir("/") == -1) return confined_directory;
    if (program->changes_user) {
        if (setgroups(0, NULL) == -1) return confined_groups;
        if (setresgid(program->group, program->group, program->group) == -1) return confined_group;
        if (setresuid(program->user, program->user, program->user) == -1) return confined_user;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == -1) return confined_privileges;
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    const struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
    // Where capset(2) itself is forbidden, dropping the ambient capabilities is enough for the program of an
    // ordinary user.
    if (capset(&header, none) == -1
        && (geteuid() == 0 || prctl(PR_CAP_AMBIENT, (long)PR_CAP_AMBIENT_CLEAR_ALL, 0L, 0L, 0L) == -1))
        return confined_capabilities;
    if (program->ruleset != -1 && landlock_restrict(ruleset) == -1) return confined_files;

    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t nothing;
    sigemptyset(&nothing);
    sigprocmask(SIG_SETMASK, &nothing, NULL);
    execve(program->path, program->arguments, program->environment);
    return confined_execution;
}

// Runs in the forked copy: executes the program in a new session, with all signals at their default actions.
static inline void become_confined(const struct confined_program *program) {
    setsid();
    const int step = confined_fails_at(program);
    const struct confined_failure failure = {step, errno};
    // If moving the descriptors has failed, the report pipe may still have its old number.
    const int to = step == confined_descriptors ? program->report : STDERR_FILENO + 1;
    if (write(to, &failure, sizeof failure) == -1) _exit(126);
    _exit(127);
}
