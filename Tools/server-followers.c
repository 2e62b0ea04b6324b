// Many followers of a served change feed in one process, light enough to share a machine with the service.
//
//     server-followers PORT COUNT TIMES FIRST
//
// Connects COUNT followers and writes "ready". Until its standard input ends it reads events, and then writes one line of
// JSON: events, bytes, the time from save to event in milliseconds (median, 99th percentile, largest), processor seconds of
// its own, and how many followers missed an event or have not come to the last one.
//
// TIMES is a file of doubles that the saving process writes: the time at which record FIRST + n was saved is the n-th.
// Every 50th follower looks at each event; the others at the last one of what they read.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CARRY = 64, SAMPLE = 50, PORTS = 20000, BUCKETS = 600000, RECORDS = 1 << 20 };
static const double bucketsPerSecond = 10000;

struct follower {
    int socket;
    int is_ready;
    uint64_t last;
    uint32_t carried;
    char carry[CARRY];
};

static uint32_t histogram[BUCKETS];
static char buffer[CARRY + (1 << 18)];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int connected(int port, int index) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) fail("socket");
    struct sockaddr_in source = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)(index / PORTS))};
    struct sockaddr_in target = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(fd, (void *)&source, sizeof source) < 0) fail("bind");
    if (connect(fd, (void *)&target, sizeof target) < 0) fail("connect");
    static const char request[] = "GET /v1/changes?after=head HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n";
    if (send(fd, request, sizeof request - 1, 0) < 0) fail("send");
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

// The record of an event whose line begins at `line`; 0 if its end has not come.
static uint64_t record(const char *line, const char *end) {
    uint64_t number = 0;
    for (const char *c = line; c < end; c++) {
        if (*c < '0' || *c > '9') return *c == '\n' || *c == '-' ? number : 0;
        number = number * 10 + (uint64_t)(*c - '0');
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: server-followers PORT COUNT TIMES FIRST\n");
        return 2;
    }
    int port = atoi(argv[1]), count = atoi(argv[2]);
    uint64_t first = strtoull(argv[4], NULL, 10), missed = 0, events = 0, bytes = 0;
    struct rlimit limit = {(rlim_t)count + 100, (rlim_t)count + 100};
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0) {
        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    int file = open(argv[3], O_RDONLY);
    double *times = mmap(NULL, RECORDS * sizeof(double), PROT_READ, MAP_SHARED, file, 0);
    if (times == MAP_FAILED) fail(argv[3]);
    struct follower *followers = calloc((size_t)count, sizeof *followers);
    int poll = epoll_create1(0), ready = 0;
    for (int index = 0; index < count; index++) {
        followers[index].socket = connected(port, index);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)index};
        epoll_ctl(poll, EPOLL_CTL_ADD, followers[index].socket, &event);
        followers[index].last = first - 1;
    }
    struct epoll_event input = {.events = EPOLLIN, .data.u32 = UINT32_MAX};
    epoll_ctl(poll, EPOLL_CTL_ADD, STDIN_FILENO, &input);
    struct epoll_event happened[512];
    double used = 0;
    for (;;) {
        int some = epoll_wait(poll, happened, 512, -1);
        for (int n = 0; n < some; n++) {
            if (happened[n].data.u32 == UINT32_MAX) {
                char byte;
                if (read(STDIN_FILENO, &byte, 1) <= 0) goto done;
                continue;
            }
            struct follower *follower = &followers[happened[n].data.u32];
            memcpy(buffer, follower->carry, follower->carried);
            ssize_t size = recv(follower->socket, buffer + follower->carried, sizeof buffer - CARRY, 0);
            if (size <= 0) {
                if (size < 0 && errno == EAGAIN) continue;
                fprintf(stderr, "follower %u was cut off\n", happened[n].data.u32);
                epoll_ctl(poll, EPOLL_CTL_DEL, follower->socket, NULL);
                continue;
            }
            char *end = buffer + follower->carried + size;
            if (!follower->is_ready && memmem(buffer, (size_t)(end - buffer), "retry:", 6)) {
                follower->is_ready = 1;
                if (++ready == count) {
                    puts("ready");
                    fflush(stdout);
                    struct rusage usage;
                    getrusage(RUSAGE_SELF, &usage);
                    used = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
                }
            }
            bytes += (uint64_t)size;
            uint64_t newest = 0;
            if (happened[n].data.u32 % SAMPLE == 0) {
                char *at = buffer;
                while ((at = memmem(at, (size_t)(end - at), "\nid: ", 5))) {
                    uint64_t number = record(at += 5, end);
                    if (!number) break;
                    if (number > follower->last && number != (newest ? newest : follower->last) + 1) missed++;
                    if (number > newest) newest = number;
                }
            } else {
                for (char *line = end; (line = memrchr(buffer, '\n', (size_t)(line - buffer)));) {
                    if (end - line > 5 && !memcmp(line, "\nid: ", 5) && (newest = record(line + 5, end))) break;
                }
            }
            double moment = now();
            if (newest > follower->last) {
                for (uint64_t number = follower->last + 1; number <= newest && number - first < RECORDS; number++) {
                    double delay = (moment - times[number - first]) * bucketsPerSecond;
                    histogram[delay < 0 ? 0 : delay >= BUCKETS ? BUCKETS - 1 : (int)delay]++;
                    events++;
                }
                follower->last = newest;
            }
            follower->carried = (uint32_t)(end - buffer < CARRY ? end - buffer : CARRY);
            memcpy(follower->carry, end - follower->carried, follower->carried);
        }
    }
done:;
    uint64_t last = 0, late = 0, seen = 0;
    for (int index = 0; index < count; index++) last = followers[index].last > last ? followers[index].last : last;
    for (int index = 0; index < count; index++) late += followers[index].last < last;
    double median = -1, high = -1, most = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        if (!histogram[bucket]) continue;
        seen += histogram[bucket];
        most = bucket / bucketsPerSecond;
        if (median < 0 && seen * 2 >= events) median = most;
        if (high < 0 && seen * 100 >= events * 99) high = most;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    used = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6 - used;
    printf("{\"events\": %lu, \"bytes\": %lu, \"median\": %.1f, \"p99\": %.1f, \"max\": %.1f, \"cpu\": %.2f, \"missed\": %lu, \"late\": %lu}\n",
        events, bytes, median * 1000, high * 1000, most * 1000, used, missed, late);
    return 0;
}
