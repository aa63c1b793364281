// What the runtime of Swift and libdispatch do in a static executable before main() is a tenth of all that a bounce asks
// of the kernel, and this program has no use of it. A linker takes a part of a static library only for a name that
// nobody has defined before: what is defined here keeps such parts out. Or it is told to take a function of this file
// in place of a library's (--wrap=NAME, contrib/lib.sh).
//
// The former is weak: where another version of a library needs more of such a part, the linker takes the library's, and
// all is as it would be without this file. A program that is linked dynamically, as all tests are, does not notice it.

#define _GNU_SOURCE
#include "start.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

// Backtrace.cpp looks below nine names for the program swift-backtrace and asks what kind of file standard output is. A
// machine that runs this program has no swift-backtrace, and a program with CAP_NET_ADMIN has to start none because an
// environment variable says so (SWIFT_BACKTRACE). The rest of its backtraces is of use to that program alone. A crash ends
// the process as always, and the guard raises the link.
__attribute__((weak)) int _swift_backtrace_isThunkFunction(const char *name) {
    (void)name;
    return 0;
}

// What a fatal error looks at to see whether that program will tell of it. Zeros: it will not (OnOffTty::Off). Longer than
// the structure of any version, of which one field is read.
__attribute__((weak)) const unsigned char _swift_backtraceSettings[256] __attribute__((aligned(16)));

// CommandLine.cpp reads /proc/self/maps to find the stack on which the arguments are. The C library hands them to every
// constructor (System V ABI, "Process Initialization"), also where /proc is not mounted.
static int argument_count;
static char **arguments;

__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    arguments = values;
}

__attribute__((weak)) char **_swift_stdlib_getUnsafeArgvArgc(int *count) {
    *count = argument_count;
    return arguments;
}

// The names of all characters (Unicode.Scalar.Properties.name) are half a megabyte, and nothing here asks for one: they
// have none. By --wrap=_swift_stdlib_getScalarName.
intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *name, intptr_t room) {
    (void)scalar, (void)name, (void)room;
    return 0;
}

// Random.cpp asks the kernel first whether it may ask, and then for each eight octets: for the seeds of hashing, and of this
// program's own jitter. By --wrap=swift_stdlib_random.
// Weak: a program that is linked without it has none.
extern __attribute__((weak)) void __real_swift_stdlib_random(void *buffer, size_t count);

void __wrap_swift_stdlib_random(void *buffer, size_t count) {
    static _Thread_local unsigned char store[64];
    static _Thread_local size_t left;
    if (count > sizeof store) {
        __real_swift_stdlib_random(buffer, count);
        return;
    }
    if (left < count) {
        // Fewer than 256 octets come whole (getrandom(2)); a kernel that knows it not is asked the library's way.
        if (getrandom(store, sizeof store, 0) != (ssize_t)sizeof store) {
            __real_swift_stdlib_random(buffer, count);
            return;
        }
        left = sizeof store;
    }
    left -= count;
    memcpy(buffer, store + left, count);
    // None is given twice, nor left where somebody could find it.
    explicit_bzero(store + left, count);
}

// libdispatch asks twice how many processors are configured, for which the C library reads a file of sysfs each time, and
// once on how many this process may run. The last is what it needs: how many threads can work at a time. It is asked once
// for all three. By --wrap=sysconf and --wrap=pthread_getaffinity_np.
extern long __sysconf(int name);
extern __attribute__((weak)) int __real_pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *processors);

static cpu_set_t usable;
static int usable_count;

long __wrap_sysconf(int name) {
    if (name != _SC_NPROCESSORS_CONF) return __sysconf(name);
    if (usable_count == 0) {
        // A machine of more than 1024 processors does not fit.
        if (sched_getaffinity(0, sizeof usable, &usable) != 0) return __sysconf(name);
        usable_count = CPU_COUNT(&usable);
    }
    return usable_count;
}

int __wrap_pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *processors) {
    if (usable_count == 0 || size != sizeof usable || !pthread_equal(thread, pthread_self()))
        return __real_pthread_getaffinity_np(thread, size, processors);
    *processors = usable;
    return 0;
}

// The C library of a static program looks up where the program lies (/proc/self/exe), for libraries that name $ORIGIN and
// that it might load later. This one loads none: unknown, as where /proc is not mounted. By --wrap=_dl_get_origin.
const char *__wrap__dl_get_origin(void) {
    return (const char *)-1;
}
