// Makes a check like wifi-toggler's at an interval in milliseconds, with nearly the same system calls, but without
// processing the answers: this is the kernel's part of the cost. (wifi-toggler sends two datagrams instead of one.)
// usage: same-calls MILLISECONDS INTERFACE [ADDRESS]    with an address: an ICMP echo, too, and the wait for its answer

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/ip_icmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PAYLOAD 56
#define DATAGRAM 32768
#define DATAGRAMS 3
#define NANOSECONDS 1000000000L
#define MILLISECOND 1000000L

// Both requests in one datagram.
static struct {
    struct nlmsghdr link_header;
    struct ifinfomsg link;
    struct nlmsghdr neighbour_header;
    struct ndmsg neighbour;
    struct nlattr attribute;
    int32_t index;
} query = {
    .link_header = {.nlmsg_len = sizeof(struct nlmsghdr) + sizeof(struct ifinfomsg), .nlmsg_type = RTM_GETLINK,
                    .nlmsg_flags = NLM_F_REQUEST},
    .neighbour_header = {.nlmsg_type = RTM_GETNEIGH, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
    .attribute = {.nla_len = sizeof(struct nlattr) + sizeof(int32_t), .nla_type = NDA_IFINDEX},
};

static struct {
    struct icmphdr header;
    unsigned char payload[PAYLOAD];
} echo = {.header = {.type = ICMP_ECHO}};

static long period;
static char answers[DATAGRAMS][DATAGRAM];

static int checked(int result, const char *what) {
    if (result == -1) {
        perror(what);
        exit(1);
    }
    return result;
}

static void watch(int poll, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    checked(epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event), "epoll_ctl");
}

static long now(void) {
    struct timespec time;
    checked(clock_gettime(CLOCK_BOOTTIME, &time), "clock_gettime");
    return time.tv_sec * NANOSECONDS + time.tv_nsec;
}

static int netlink(uint32_t groups) {
    struct sockaddr_nl name = {.nl_family = AF_NETLINK, .nl_groups = groups};
    int descriptor = checked(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), "socket");
    checked(bind(descriptor, (struct sockaddr *)&name, sizeof name), "bind");
    return descriptor;
}

static void look_after(int descriptor) {
    struct sockaddr_nl name;
    socklen_t size = sizeof name;
    checked(getsockname(descriptor, (struct sockaddr *)&name, &size), "getsockname");
}

static void ask_kernel(int descriptor) {
    struct mmsghdr found[DATAGRAMS] = {0};
    struct iovec parts[DATAGRAMS];
    for (int place = 0; place < DATAGRAMS; place++) {
        parts[place] = (struct iovec){.iov_base = answers[place], .iov_len = DATAGRAM};
        found[place].msg_hdr = (struct msghdr){.msg_iov = &parts[place], .msg_iovlen = 1};
    }
    query.link_header.nlmsg_seq++;
    query.neighbour_header.nlmsg_seq++;
    checked(send(descriptor, &query, sizeof query, 0), "send");
    checked(recvmmsg(descriptor, found, DATAGRAMS, MSG_DONTWAIT, NULL), "recvmmsg");
}

static int connected(const char *address, int poll) {
    struct sockaddr_in target = {.sin_family = AF_INET};
    if (inet_pton(AF_INET, address, &target.sin_addr) != 1) {
        fprintf(stderr, "same-calls: '%s': no IPv4 address\n", address);
        exit(1);
    }
    int descriptor = checked(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP), "socket");
    checked(connect(descriptor, (struct sockaddr *)&target, sizeof target), "connect");
    watch(poll, descriptor);
    return descriptor;
}

// Sends an echo request. Its checksum (RFC 1071) covers only the type and the sequence number: all other words are 0.
static void ask_host(int descriptor) {
    echo.header.un.echo.sequence++;
    uint32_t sum = (uint32_t)echo.header.type + echo.header.un.echo.sequence;
    echo.header.checksum = (uint16_t)~sum;
    checked(send(descriptor, &echo, sizeof echo, MSG_NOSIGNAL), "send");
}

int main(int count, char **words) {
    if (count < 3 || count > 4 || (period = atol(words[1]) * (NANOSECONDS / 1000)) <= 0) {
        fprintf(stderr, "usage: same-calls MILLISECONDS INTERFACE [ADDRESS]\n");
        return 64;
    }
    int poll = checked(epoll_create1(0), "epoll_create1");
    query.link.ifi_index = query.index = query.neighbour.ndm_ifindex = (int32_t)if_nametoindex(words[2]);
    query.neighbour_header.nlmsg_len = (uint32_t)(sizeof query - ((char *)&query.neighbour_header - (char *)&query));
    int host = count == 4 ? connected(words[3], poll) : -1;
    // The sockets of the monitor have joined groups, but nothing arrives from them here.
    int questions = netlink(0), links = netlink(RTMGRP_LINK), others = netlink(RTMGRP_NOTIFY);
    for (long due = now() + period;;) {
        long rest = due - now();
        struct epoll_event event;
        if (checked(epoll_wait(poll, &event, 1, rest > 0 ? (int)((rest - 1) / MILLISECOND + 1) : 0), "epoll_wait") == 0) {
            due += period;
            look_after(questions);
            ask_kernel(questions);
            if (host >= 0) ask_host(host);
            if (host >= 0) continue;
        } else {
            char packet[512];
            checked(recv(event.data.fd, packet, sizeof packet, MSG_DONTWAIT), "recv");
        }
        look_after(links);
        look_after(others);
    }
}
