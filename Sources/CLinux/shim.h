// What Linux and its C library offer and the toolchain's own Glibc module leaves out.
#include <malloc.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/timerfd.h>
#include <time.h>

#include <linux/capability.h>
#include <linux/errqueue.h>
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/rfkill.h>

// Declared by the C library for _GNU_SOURCE alone, which would change types that other modules share.
extern int capget(cap_user_header_t header, cap_user_data_t sets);
extern int pipe2(int descriptors[2], int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int setns(int descriptor, int type);
