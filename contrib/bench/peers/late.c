// Answers ICMP echo requests some milliseconds late, in place of the kernel (icmp_echo_ignore_all). On a virtual link,
// the kernel's own answer would arrive within the call that sends the request, so that nothing would have to wait.
// usage: late MILLISECONDS

#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

// The Internet checksum (RFC 1071).
static uint16_t checksum(const unsigned char *bytes, size_t size) {
    uint32_t sum = 0;
    for (size_t at = 0; at < size; at += 2) sum += bytes[at] << 8 | (at + 1 < size ? bytes[at + 1] : 0);
    while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
    return htons((uint16_t)~sum);
}

int main(int count, char **words) {
    int late = count == 2 ? atoi(words[1]) : -1;
    int raw = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
    if (late < 0 || raw < 0) {
        perror("late");
        return 1;
    }
    struct timespec pause = {.tv_sec = late / 1000, .tv_nsec = late % 1000 * 1000000L};
    // Tell the caller that it may continue.
    puts("ready");
    fflush(stdout);
    while (1) {
        unsigned char packet[2048];
        struct sockaddr_in from;
        socklen_t length = sizeof from;
        ssize_t size = recvfrom(raw, packet, sizeof packet, 0, (struct sockaddr *)&from, &length);
        size_t header = size < (ssize_t)sizeof(struct ip) ? 0 : (packet[0] & 15) * 4u;
        if (header < sizeof(struct ip) || (size_t)size < header + sizeof(struct icmphdr)) continue;
        struct icmphdr *echo = (struct icmphdr *)(packet + header);
        if (echo->type != ICMP_ECHO) continue;
        nanosleep(&pause, NULL);
        echo->type = ICMP_ECHOREPLY;
        echo->checksum = 0;
        echo->checksum = checksum(packet + header, size - header);
        sendto(raw, echo, size - header, 0, (struct sockaddr *)&from, length);
    }
}
