// Prints a line when the kernel announces a link: the nanoseconds since boot, and 1 or 0 for its carrier.
// usage: listener INTERFACE

// The order matters: the kernel's header leaves out what the C library has defined, and adds IFF_LOWER_UP.
#include <net/if.h>

#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **words) {
    unsigned index = count == 2 ? if_nametoindex(words[1]) : 0;
    struct sockaddr_nl groups = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
    int monitor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (index == 0 || monitor < 0 || bind(monitor, (struct sockaddr *)&groups, sizeof groups) < 0) {
        perror("listener");
        return 1;
    }
    while (1) {
        _Alignas(struct nlmsghdr) char room[16384];
        ssize_t size = recv(monitor, room, sizeof room, 0);
        struct timespec now;
        clock_gettime(CLOCK_BOOTTIME, &now);
        struct nlmsghdr *message = (struct nlmsghdr *)room;
        for (; NLMSG_OK(message, size); message = NLMSG_NEXT(message, size)) {
            const struct ifinfomsg *link = NLMSG_DATA(message);
            if (message->nlmsg_type != RTM_NEWLINK || (unsigned)link->ifi_index != index) continue;
            dprintf(STDOUT_FILENO, "%lld%09ld %d\n", (long long)now.tv_sec, now.tv_nsec,
                    (link->ifi_flags & IFF_LOWER_UP) != 0);
        }
    }
}
