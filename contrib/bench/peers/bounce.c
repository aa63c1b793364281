// One bounce with the least effort: a raw rtnetlink socket clears and sets IFF_UP, and waits for each acknowledgement.
// usage: bounce INTERFACE

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct request {
    struct nlmsghdr header;
    struct ifinfomsg link;
};

struct answer {
    struct nlmsghdr header;
    struct nlmsgerr error;
};

// Returns the kernel's answer: 0, or an errno.
static int set_flags(int socket, int index, unsigned flags) {
    static unsigned sequence;
    struct request request = {
        .header = {.nlmsg_len = sizeof request, .nlmsg_type = RTM_NEWLINK, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
        .link = {.ifi_family = AF_UNSPEC, .ifi_index = index, .ifi_flags = flags, .ifi_change = IFF_UP},
    };
    union {
        struct answer answer;
        char room[4096];
    } got;
    request.header.nlmsg_seq = ++sequence;
    if (send(socket, &request, sizeof request, 0) < 0) return errno;
    ssize_t size = recv(socket, &got, sizeof got, 0);
    if (size < 0) return errno;
    if ((size_t)size < sizeof got.answer || got.answer.header.nlmsg_type != NLMSG_ERROR
        || got.answer.header.nlmsg_seq != sequence)
        return EBADMSG;
    return -got.answer.error.error;
}

int main(int count, char **words) {
    int index = count == 2 ? (int)if_nametoindex(words[1]) : 0;
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    int error = index == 0 ? ENODEV : netlink < 0 ? errno : set_flags(netlink, index, 0);
    if (error == 0) error = set_flags(netlink, index, IFF_UP);
    if (error == 0) return 0;
    fprintf(stderr, "bounce: %s\n", strerror(error));
    return 1;
}
