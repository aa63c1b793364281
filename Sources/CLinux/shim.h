// Parts of Linux and its C library that the toolchain's Glibc module lacks.
#include <fcntl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/errqueue.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/magic.h>
#include <linux/memfd.h>
#include <linux/rfkill.h>

#include "calls.h"
#include "confined.h"
#include "landlock.h"
#include "trap.h"

// The headers above do not declare these functions. Most of them need _GNU_SOURCE, which would change types that other
// modules share.
extern int capget(cap_user_header_t header, cap_user_data_t sets);
extern int capset(cap_user_header_t header, const cap_user_data_t sets);
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
extern int close_range(unsigned int first, unsigned int last, int flags);
extern int memfd_create(const char *name, unsigned int flags);
extern int pipe2(int descriptors[2], int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern ssize_t preadv2(int descriptor, const struct iovec *parts, int count, off_t offset, int flags);
extern int setns(int descriptor, int type);
extern int getresuid(uid_t *real, uid_t *effective, uid_t *saved);
extern int setfsgid(gid_t group);
extern int setfsuid(uid_t user);
extern int setgroups(size_t count, const gid_t *groups);
extern int setresgid(gid_t real, gid_t effective, gid_t saved);
extern int setresuid(uid_t real, uid_t effective, uid_t saved);

// struct ucred of unix(7), which the socket option SO_PEERCRED returns.
struct peer_credentials {
    pid_t process;
    uid_t user;
    gid_t group;
};

// The value of SO_PEERPIDFD (unix(7)), since Linux 6.5.
static const int peer_process_handle = 77;

// Flags of send(2) and recv(2). The C library's header defines them in an unnamed enumeration. The compiler
// finds such enumerators only in the module that was the first to read the header, which depends on the order
// of the files.
static const int send_no_signal = MSG_NOSIGNAL;
static const int message_dont_wait = MSG_DONTWAIT;
static const int receive_error_queue = MSG_ERRQUEUE;

// O_PATH of open(2), which the C library declares only with _GNU_SOURCE.
static const int open_path_only = __O_PATH;

// O_TMPFILE of open(2), which the C library also declares only with _GNU_SOURCE.
static const int open_unnamed = __O_TMPFILE;

// RWF_NOWAIT of preadv2(2), a macro with a cast that Swift does not import.
static const int only_what_is_in_memory = RWF_NOWAIT;

// fork(2). Swift does not import it, because most programs should use posix_spawn(3).
static inline pid_t fork_this_process(void) { return fork(); }

// Wrappers for prctl(2), which is variadic: Swift cannot call variadic functions.
static inline int set_process_name(const char *name) { return prctl(PR_SET_NAME, name, 0L, 0L, 0L); }
static inline int set_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L); }
static inline int set_child_subreaper(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L); }
static inline int set_parent_death_signal(int number) { return prctl(PR_SET_PDEATHSIG, (long)number, 0L, 0L, 0L); }
static inline int set_not_dumpable(void) { return prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L); }
static inline int drop_bounding_capability(int capability) {
    return prctl(PR_CAPBSET_DROP, (long)capability, 0L, 0L, 0L);
}
static inline int clear_ambient_capabilities(void) {
    return prctl(PR_CAP_AMBIENT, (long)PR_CAP_AMBIENT_CLEAR_ALL, 0L, 0L, 0L);
}
