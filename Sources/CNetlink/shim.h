// libnl-3, libnl-genl-3, and the kernel's headers with the constants of the protocol.
#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/inet_diag.h>
#include <linux/neighbour.h>
#include <linux/lwtunnel.h>
#include <linux/netconf.h>
#include <linux/netlink.h>
#include <linux/nexthop.h>
#include <linux/nl80211.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#include <sys/socket.h>
#include <sys/uio.h>

// What recvmmsg(2) needs. The C library declares it only with _GNU_SOURCE.
#ifndef __USE_GNU
struct mmsghdr {
    struct msghdr msg_hdr;
    unsigned int msg_len;
};
struct timespec;
extern int recvmmsg(int descriptor, struct mmsghdr *messages, unsigned int count, int flags, struct timespec *timeout);
#endif

struct netlink_datagram {
    // The length of the datagram in bytes, even if the buffer was shorter (MSG_TRUNC).
    unsigned int length;
    // The port ID of the sender (nl_pid); 0 is the kernel.
    unsigned int sender;
};

enum { netlink_datagrams_at_most = 8 };

// Reads the datagrams that have arrived, at most `most` (1 to netlink_datagrams_at_most), without waiting
// (recvmmsg(2)). Datagram number N, from 0, is stored N * `largest` bytes after `memory`. Returns the number of
// datagrams, or -1.
static inline int receive_netlink_datagrams(
    int descriptor, unsigned char *memory, size_t largest, int most,
    struct netlink_datagram found[netlink_datagrams_at_most]) {
    struct mmsghdr messages[netlink_datagrams_at_most] = {{{0}}};
    struct iovec places[netlink_datagrams_at_most];
    struct sockaddr_nl senders[netlink_datagrams_at_most] = {{0}};
    for (int number = 0; number < most; number++) {
        places[number] = (struct iovec){memory + number * largest, largest};
        messages[number].msg_hdr.msg_iov = &places[number];
        messages[number].msg_hdr.msg_iovlen = 1;
        messages[number].msg_hdr.msg_name = &senders[number];
        messages[number].msg_hdr.msg_namelen = sizeof senders[number];
    }
    const int count = recvmmsg(descriptor, messages, most, MSG_DONTWAIT | MSG_TRUNC, NULL);
    for (int number = 0; number < count; number++)
        found[number] = (struct netlink_datagram){messages[number].msg_len, senders[number].nl_pid};
    return count;
}
