// A filter of system calls (seccomp(2)) for a program that only talks to the network. It refuses (EPERM) every call
// that is not listed below.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { filtered_architecture = AUDIT_ARCH_X86_64 };
#elif defined(__aarch64__)
enum { filtered_architecture = AUDIT_ARCH_AARCH64 };
#endif

#if defined(__x86_64__) || defined(__aarch64__)
// Calls that are always allowed. None of them can affect another process, open a file for writing, or change a file
// name.
static const int harmless_calls[] = {
    SYS_read, SYS_readv, SYS_pread64, SYS_preadv, SYS_write, SYS_writev, SYS_close, SYS_close_range, SYS_lseek, SYS_dup,
    SYS_dup3, SYS_pipe2, SYS_eventfd2, SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait,
    // Reading files
    SYS_fstat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_readlinkat, SYS_faccessat, SYS_getdents64,
    SYS_getcwd, SYS_fadvise64,
    // Memory
    SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk, SYS_mincore,
    // Threads, signals, time
    SYS_futex, SYS_set_robust_list, SYS_set_tid_address, SYS_sched_yield, SYS_sched_getaffinity, SYS_membarrier,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_exit,
    SYS_exit_group, SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
    // The network
    SYS_connect, SYS_bind, SYS_getsockname, SYS_getpeername, SYS_getsockopt, SYS_setsockopt, SYS_shutdown, SYS_sendto,
    SYS_sendmsg, SYS_sendmmsg, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg,
    // Information about the process and the system
    SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_uname, SYS_sysinfo,
    SYS_getrandom, SYS_getrusage, SYS_umask,
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_epoll_pwait2
    SYS_epoll_pwait2,
#endif
#ifdef SYS_poll // the older calls of amd64
    SYS_poll, SYS_select, SYS_epoll_create, SYS_epoll_wait, SYS_stat, SYS_lstat, SYS_readlink, SYS_access, SYS_dup2,
    SYS_pipe, SYS_time, SYS_arch_prctl, SYS_getrlimit,
#endif
};

// Calls that are allowed only if one argument has one of the values. `mask` is applied to the lower 32 bits
// of the argument before the comparison.
struct limited_call {
    int call;
    int argument;
    uint32_t mask;
    int count;
    uint32_t values[6];
};

static const struct limited_call limited_calls[] = {
    {SYS_socket, 0, ~0U, 2, {AF_INET, AF_INET6}},
    // The sockets of a stream pair cannot be connected to other sockets.
    {SYS_socketpair, 1, 0xf, 1, {SOCK_STREAM}},
    {SYS_openat, 2, O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (__O_TMPFILE & ~O_DIRECTORY), 1, {O_RDONLY}},
#ifdef SYS_open
    {SYS_open, 1, O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (__O_TMPFILE & ~O_DIRECTORY), 1, {O_RDONLY}},
#endif
    // F_SETOWN and similar commands are excluded, because they make the kernel send signals.
    {SYS_fcntl, 1, ~0U, 6, {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL}},
    // SIOCGIFNAME and SIOCGIFINDEX convert names of interfaces; TCGETS checks for a terminal.
    {SYS_ioctl, 1, ~0U, 5, {FIONBIO, FIONREAD, 0x8910, 0x8933, 0x5401}},
};
#endif

// Installs the filter for the calling thread and its children. Returns 0, or -1 if the kernel refuses the filter. On
// architectures other than amd64 and arm64 there is no filter, and the result is 0.
static inline int filter_calls(void) {
#if defined(__x86_64__) || defined(__aarch64__)
    enum { longest = 512, harmless_count = sizeof harmless_calls / sizeof *harmless_calls };
    const uint32_t refused = SECCOMP_RET_ERRNO | EPERM;
    struct sock_filter program[longest];
    unsigned short length = 0;
#define ADD(...) program[length++] = (struct sock_filter)__VA_ARGS__
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, filtered_architecture, 1, 0));
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    for (int place = 0; place < harmless_count; place++) {
        ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)harmless_calls[place], 0, 1));
        ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    }
    for (unsigned place = 0; place < sizeof limited_calls / sizeof *limited_calls; place++) {
        const struct limited_call *limited = &limited_calls[place];
        // On these little-endian machines, the lower half of the argument comes first.
        const uint32_t argument = offsetof(struct seccomp_data, args) + 8 * (uint32_t)limited->argument;
        const uint8_t rest = (uint8_t)(3 + 2 * limited->count);
        ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)limited->call, 0, rest));
        ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument));
        ADD(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, limited->mask));
        for (int value = 0; value < limited->count; value++) {
            ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, limited->values[value], 0, 1));
            ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
        }
        ADD(BPF_STMT(BPF_RET | BPF_K, refused));
    }
    // prlimit(2) is allowed only to read limits, that is without a new limit; tgkill(2) only for a signal to
    // this process, as abort(3) sends it.
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 7));
    for (int half = 0; half < 2; half++) {
        ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 16 + 4 * (uint32_t)half));
        ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
        ADD(BPF_STMT(BPF_RET | BPF_K, refused));
    }
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 3));
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)));
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 0, 1));
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    ADD(BPF_STMT(BPF_RET | BPF_K, refused));
#undef ADD
    const struct sock_fprog whole = {length, program};
    return prctl(PR_SET_SECCOMP, (long)SECCOMP_MODE_FILTER, &whole, 0L, 0L);
#else
    return 0;
#endif
}
