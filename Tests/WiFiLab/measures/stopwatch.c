// Runs a command and prints, in milliseconds since its start, what happened to a link: one line of JSON. It ends when
// the link has been lowered and raised and the gateway has answered a ping, and the command has ended.
//   lowered, raised   the kernel's announcement without IFF_UP, and with it again
//   operational       the first operational state UP after that: the link has its carrier and its keys
//   answered          the first echo reply. The first request is sent shortly after the link is operational. If it were
//                     sent earlier, an access point without the keys would drop it, and the kernel would wait a second
//   ended, status     the command's end, and its exit status
// usage: stopwatch INTERFACE GATEWAY SECONDS COMMAND...
// Exit status: 0 all events were seen · 1 not all within SECONDS; those that were not are null · 64 wrong usage · 71 a
// call failed

// For SCHED_RESET_ON_FORK.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <net/if.h>

#include <errno.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_MILLISECONDS 10
#define KEYS_MILLISECONDS 100
#define USAGE 64
#define SYSTEM 71
// IF_OPER_UP of linux/if.h, which does not define it if the C library's header of the same name was included before.
#define OPERATIONAL_UP 6
#define NEVER -1.0

extern char **environ;

static double lowered = NEVER, raised = NEVER, operational = NEVER, answered = NEVER, ended = NEVER;
static int status = -1;
static struct timespec start;
static int monitor, echoes;
static unsigned station;
static struct sockaddr_in gateway = {.sin_family = AF_INET};
static uint16_t identity;

static double now(void) {
    struct timespec moment;
    clock_gettime(CLOCK_BOOTTIME, &moment);
    return (moment.tv_sec - start.tv_sec) * 1e3 + (moment.tv_nsec - start.tv_nsec) / 1e6;
}

static int checked(int result, const char *what) {
    if (result < 0) {
        perror(what);
        exit(SYSTEM);
    }
    return result;
}

// A message without the attribute means no change: announcements of wireless events lack attributes.
static int operational_state(struct nlmsghdr *message) {
    struct rtattr *attribute = IFLA_RTA((struct ifinfomsg *)NLMSG_DATA(message));
    int size = IFLA_PAYLOAD(message);
    for (; RTA_OK(attribute, size); attribute = RTA_NEXT(attribute, size))
        if (attribute->rta_type == IFLA_OPERSTATE) return *(unsigned char *)RTA_DATA(attribute);
    return -1;
}

static void announced(struct nlmsghdr *message, double moment) {
    const struct ifinfomsg *link = NLMSG_DATA(message);
    if (message->nlmsg_type != RTM_NEWLINK || (unsigned)link->ifi_index != station) return;
    int is_up = (link->ifi_flags & IFF_UP) != 0;
    if (!is_up && lowered == NEVER) lowered = moment;
    if (is_up && lowered != NEVER && raised == NEVER) raised = moment;
    if (raised != NEVER && operational == NEVER && operational_state(message) == OPERATIONAL_UP) operational = moment;
}

static void hear(void) {
    _Alignas(struct nlmsghdr) char room[32768];
    ssize_t size;
    while ((size = recv(monitor, room, sizeof room, MSG_DONTWAIT)) > 0) {
        double moment = now();
        struct nlmsghdr *message = (struct nlmsghdr *)room;
        for (; NLMSG_OK(message, size); message = NLMSG_NEXT(message, size)) announced(message, moment);
    }
    if (size < 0 && errno != EAGAIN) checked(-1, "what the kernel announces");
}

// Sends an echo request. The kernel refuses to send it while there is no route to the gateway, or no address.
static void ask(void) {
    static uint16_t number;
    struct icmphdr echo = {.type = ICMP_ECHO, .un.echo = {.id = identity, .sequence = htons(number++)}};
    uint32_t sum = htons(ICMP_ECHO << 8) + (uint32_t)echo.un.echo.id + echo.un.echo.sequence;
    while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
    echo.checksum = (uint16_t)~sum;
    sendto(echoes, &echo, sizeof echo, MSG_DONTWAIT, (struct sockaddr *)&gateway, sizeof gateway);
}

static void listen_for_answer(void) {
    unsigned char packet[2048];
    ssize_t size;
    while ((size = recv(echoes, packet, sizeof packet, MSG_DONTWAIT)) > 0) {
        size_t header = (packet[0] & 15) * 4u;
        if ((size_t)size < header + sizeof(struct icmphdr)) continue;
        const struct icmphdr *echo = (const struct icmphdr *)(packet + header);
        const struct ip *from = (const struct ip *)packet;
        if (echo->type == ICMP_ECHOREPLY && echo->un.echo.id == identity && answered == NEVER &&
            from->ip_src.s_addr == gateway.sin_addr.s_addr)
            answered = now();
    }
}

static void print(const char *name, double moment) {
    if (moment == NEVER) printf("\"%s\":null,", name);
    else printf("\"%s\":%.2f,", name, moment);
}

static void prepare(char **words) {
    struct sockaddr_nl groups = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
    // Real-time priority: otherwise the times of events would be too late on a busy machine. The command does not
    // inherit it.
    struct sched_param priority = {.sched_priority = 1};
    sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority);
    station = if_nametoindex(words[1]);
    monitor = checked(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), "netlink");
    checked(bind(monitor, (struct sockaddr *)&groups, sizeof groups), "netlink");
    echoes = checked(socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP), "ICMP");
    identity = htons(getpid() & 0xffff);
    if (station == 0 || inet_pton(AF_INET, words[2], &gateway.sin_addr) != 1) {
        fprintf(stderr, "stopwatch: no link %s, or no address %s\n", words[1], words[2]);
        exit(USAGE);
    }
}

int main(int count, char **words) {
    if (count < 5) {
        fputs("usage: stopwatch INTERFACE GATEWAY SECONDS COMMAND...\n", stderr);
        return USAGE;
    }
    prepare(words);
    double limit = atof(words[3]) * 1e3;
    clock_gettime(CLOCK_BOOTTIME, &start);
    pid_t command;
    errno = posix_spawnp(&command, words[4], NULL, NULL, words + 4, environ);
    checked(errno ? -1 : 0, words[4]);
    while ((answered == NEVER || ended == NEVER) && now() < limit) {
        struct pollfd sources[] = {{.fd = monitor, .events = POLLIN}, {.fd = echoes, .events = POLLIN}};
        int result;
        poll(sources, 2, PAUSE_MILLISECONDS);
        hear();
        listen_for_answer();
        if (operational != NEVER && answered == NEVER && now() >= operational + KEYS_MILLISECONDS) ask();
        if (ended == NEVER && waitpid(command, &result, WNOHANG) == command) {
            ended = now();
            status = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
        }
    }
    printf("{");
    print("lowered", lowered);
    print("raised", raised);
    print("operational", operational);
    print("answered", answered);
    print("ended", ended);
    printf("\"status\":%d}\n", status);
    return answered == NEVER || ended == NEVER;
}
