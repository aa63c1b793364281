// A loop like that of dpinger with its defaults, because no package of Debian has dpinger. One thread sends an echo
// request without payload every 500 ms, another reads the answers, and a third evaluates the last minute and writes a
// line every second. It uses two raw sockets. Wherever it is measured, its name is "a loop like dpinger's".
// usage: like-dpinger ADDRESS

#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SEND_MILLISECONDS 500
#define REPORT_SECONDS 1
#define KEPT 120

static struct {
    enum { NONE, SENT, RECEIVED } state;
    struct timespec at;
    unsigned long microseconds;
} kept[KEPT];
static struct sockaddr_in host = {.sin_family = AF_INET};
static int sending, receiving;
static uint16_t identity;

static unsigned long since(struct timespec then, struct timespec now) {
    return (now.tv_sec - then.tv_sec) * 1000000L + (now.tv_nsec - then.tv_nsec) / 1000;
}

static void *send_all(void *nothing) {
    struct timespec pause = {.tv_nsec = SEND_MILLISECONDS * 1000000L};
    for (uint16_t number = 0;; number++) {
        nanosleep(&pause, NULL);
        struct icmphdr echo = {.type = ICMP_ECHO, .un.echo = {.id = identity, .sequence = htons(number)}};
        uint32_t sum = htons(ICMP_ECHO << 8) + (uint32_t)echo.un.echo.id + echo.un.echo.sequence;
        while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
        echo.checksum = (uint16_t)~sum;
        kept[number % KEPT].state = NONE;
        sched_yield();
        clock_gettime(CLOCK_MONOTONIC, &kept[number % KEPT].at);
        kept[number % KEPT].state = SENT;
        if (sendto(sending, &echo, sizeof echo, 0, (struct sockaddr *)&host, sizeof host) < 0) perror("sendto");
    }
    return nothing;
}

static void *receive_all(void *nothing) {
    while (1) {
        unsigned char packet[1024];
        struct sockaddr_storage from;
        socklen_t length = sizeof from;
        ssize_t size = recvfrom(receiving, packet, sizeof packet, 0, (struct sockaddr *)&from, &length);
        size_t header = size < (ssize_t)sizeof(struct ip) ? 0 : (packet[0] & 15) * 4u;
        if (header == 0 || (size_t)size < header + sizeof(struct icmphdr)) continue;
        struct icmphdr *echo = (struct icmphdr *)(packet + header);
        if (echo->type != ICMP_ECHOREPLY || echo->un.echo.id != identity) continue;
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        int slot = ntohs(echo->un.echo.sequence) % KEPT;
        kept[slot].microseconds = since(kept[slot].at, now);
        kept[slot].state = RECEIVED;
    }
    return nothing;
}

static void report(void) {
    unsigned long received = 0, lost = 0, sum = 0;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (int slot = 0; slot < KEPT; slot++) {
        if (kept[slot].state == RECEIVED) received++, sum += kept[slot].microseconds;
        if (kept[slot].state == SENT && since(kept[slot].at, now) > 4000UL * SEND_MILLISECONDS) lost++;
    }
    char line[64];
    int size = snprintf(line, sizeof line, "%lu %lu\n", received ? sum / received : 0,
                        lost ? lost * 100 / (lost + received) : 0);
    if (write(STDOUT_FILENO, line, size) < 0) perror("write");
}

int main(int count, char **words) {
    struct timespec pause = {.tv_sec = REPORT_SECONDS};
    pthread_t thread;
    sending = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
    receiving = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
    if (count != 2 || inet_pton(AF_INET, words[1], &host.sin_addr) != 1 || sending < 0 || receiving < 0) {
        perror("like-dpinger");
        return 1;
    }
    identity = htons(getpid() & 0xffff);
    if (pthread_create(&thread, NULL, receive_all, NULL) != 0) return 1;
    if (pthread_create(&thread, NULL, send_all, NULL) != 0) return 1;
    while (1) {
        nanosleep(&pause, NULL);
        report();
    }
}
