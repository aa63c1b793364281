// Makes a check at an interval in milliseconds as cheaply as possible: with one timerfd, one socket and one epoll, and
// without decisions.
// usage: epoll MILLISECONDS link INTERFACE    asks the kernel about a link (RTM_GETLINK)
//        epoll MILLISECONDS icmp ADDRESS      asks a host (ICMP echo), and waits for its answer

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/ip_icmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define PAYLOAD 56

static struct {
    struct nlmsghdr header;
    struct ifinfomsg link;
} query = {
    .header = {.nlmsg_len = sizeof query, .nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_REQUEST},
    .link = {.ifi_family = AF_UNSPEC},
};

static struct {
    struct icmphdr header;
    unsigned char payload[PAYLOAD];
} echo = {.header = {.type = ICMP_ECHO}};

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// The Internet checksum (RFC 1071) of whole 16-bit words.
static uint16_t checksum(const void *bytes, size_t size) {
    const uint16_t *words = bytes;
    uint32_t sum = 0;
    for (size_t at = 0; at < size / 2; at++) sum += words[at];
    while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

static void ask(int socket, int of_kernel) {
    if (of_kernel) {
        query.header.nlmsg_seq++;
        if (send(socket, &query, sizeof query, 0) < 0) fail("send");
        return;
    }
    echo.header.un.echo.sequence++;
    echo.header.checksum = 0;
    echo.header.checksum = checksum(&echo, sizeof echo);
    if (send(socket, &echo, sizeof echo, 0) < 0) fail("send");
}

static int connected(int of_kernel, const char *whom) {
    if (of_kernel) {
        query.link.ifi_index = (int)if_nametoindex(whom);
        return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    }
    struct sockaddr_in host = {.sin_family = AF_INET};
    int raw = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
    if (inet_pton(AF_INET, whom, &host.sin_addr) != 1) return -1;
    echo.header.un.echo.id = getpid() & 0xffff;
    return connect(raw, (struct sockaddr *)&host, sizeof host) < 0 ? -1 : raw;
}

int main(int count, char **words) {
    long every = count == 4 ? atol(words[1]) : 0;
    int of_kernel = every > 0 && strcmp(words[2], "link") == 0;
    int socket = every > 0 ? connected(of_kernel, words[3]) : -1;
    int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC), poll = epoll_create1(EPOLL_CLOEXEC);
    if (socket < 0 || timer < 0 || poll < 0) fail("epoll");
    struct timespec period = {.tv_sec = every / 1000, .tv_nsec = every % 1000 * 1000000};
    struct itimerspec schedule = {.it_interval = period, .it_value = {.tv_nsec = 1}};
    timerfd_settime(timer, 0, &schedule, NULL);
    int watched[] = {timer, socket};
    for (int each = 0; each < 2; each++) {
        struct epoll_event event = {.events = EPOLLIN, .data = {.fd = watched[each]}};
        if (epoll_ctl(poll, EPOLL_CTL_ADD, watched[each], &event) < 0) fail("epoll_ctl");
    }
    while (1) {
        struct epoll_event event;
        char got[8192];
        uint64_t expirations;
        if (epoll_wait(poll, &event, 1, -1) < 1) continue;
        if (event.data.fd == socket && recv(socket, got, sizeof got, MSG_DONTWAIT) < 0) fail("recv");
        if (event.data.fd != timer) continue;
        if (read(timer, &expirations, sizeof expirations) < 0) fail("read");
        ask(socket, of_kernel);
        // The kernel answers a request about a link within the call that sends it.
        if (of_kernel && recv(socket, got, sizeof got, MSG_DONTWAIT) < 0) fail("recv");
    }
}
