/* A program that tries one attack and says whether it succeeded: `yes`, or `no` and the reason.
 *
 *     TARGET=... attacker ATTACK
 *
 * The target is no argument, because what its own command names a program may read.
 * Everything is bounded, so that it does no harm at a level that does not stop it.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define MIB (1024L * 1024L)

static void say(int succeeded) {
    if (succeeded)
        puts("yes");
    else
        printf("no: %s\n", strerror(errno));
    fflush(stdout);
}

static void stay(void) {
    alarm(30);
    for (;;) pause();
}

static int reads(const char *path) {
    char buffer[64];
    int file = open(path, O_RDONLY);
    return file >= 0 && read(file, buffer, sizeof buffer) > 0;
}

static void *spin(void *unused) {
    (void)unused;
    for (volatile unsigned long i = 0;; i++) {}
    return NULL;
}

/* 16 MiB at a time, from the 64th on slowly: who looks ten times a second sees each step. */
static void hog(long megabytes, int pause) {
    for (long i = 0; i < megabytes; i += 16) {
        char *block = malloc(16 * MIB);
        if (!block) break;
        memset(block, 1, 16 * MIB);
        usleep(i < 64 ? 0 : pause);
    }
    say(1);
    stay();
}

static void fork_bomb(int count) {
    int made = 0;
    for (int i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0) stay();
        if (child > 0) made++;
    }
    if (made < count) errno = EAGAIN;
    say(made == count);
    stay();
}

/* No sign is left: a session of its own, an empty environment, no parent, no pipes. */
static void hide(const char *directory) {
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            char *words[] = {"sleep", "30", NULL}, *nothing[] = {NULL};
            for (int i = 0; i < 3; i++) close(i);
            open("/dev/null", O_RDWR);
            (void)!chdir(directory);
            execve("/bin/sleep", words, nothing);
            _exit(1);
        }
        _exit(0);
    }
    usleep(100000);
    say(1);
    stay();
}

static void many_files(int count) {
    char name[512];
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s/many-%d", getenv("TMPDIR"), i);
        int file = open(name, O_WRONLY | O_CREAT, 0600);
        if (file < 0) {
            say(0);
            stay();
        }
        close(file);
    }
    say(1);
    stay();
}

static int big_file(void) {
    char name[512];
    signal(SIGXFSZ, SIG_IGN);
    snprintf(name, sizeof name, "%s/big", getenv("TMPDIR"));
    int file = open(name, O_WRONLY | O_CREAT, 0600);
    return file >= 0 && pwrite(file, "x", 1, 10240L * MIB) == 1;
}

static int connects(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int end = socket(AF_INET, SOCK_STREAM, 0);
    return end >= 0 && connect(end, (struct sockaddr *)&address, sizeof address) == 0;
}

static int sees(const char *word) {
    DIR *all = opendir("/proc");
    struct dirent *entry;
    char path[512], line[4096];
    errno = ENOENT;
    while (all && (entry = readdir(all))) {
        snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        int file = open(path, O_RDONLY);
        if (file < 0) continue;
        long size = read(file, line, sizeof line - 1);
        close(file);
        if (size > 0 && memmem(line, size, word, strlen(word)) && atoi(entry->d_name) != getpid()) {
            /* This program's own ancestors bear the word as an argument, too. */
            if (!memmem(line, size, "attacker", 8)) return 1;
        }
    }
    errno = ENOENT;
    return 0;
}

static int repins(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static int writes_here(void) {
    return open("planted", O_WRONLY | O_CREAT, 0600) >= 0;
}

static int memory_of_nobody(void) {
    int file = syscall(SYS_memfd_create, "nobody", 0);
    return file >= 0 && ftruncate(file, MIB) == 0;
}

static int limits_other(int pid) {
    struct rlimit limit = {100000, 100000};
    return prlimit(pid, RLIMIT_CPU, &limit, NULL) == 0;
}

static void busy_threads(void) {
    pthread_t thread;
    struct rusage now;
    long ran = 0;
    pthread_create(&thread, NULL, spin, NULL);
    for (int looks = 0; looks < 500 && ran < 50000; looks++) {
        usleep(20000);
        getrusage(RUSAGE_SELF, &now);
        ran = now.ru_utime.tv_sec * 1000000 + now.ru_utime.tv_usec;
    }
    errno = ETIME;
    say(ran >= 50000);
}

int main(int count, char **words) {
    const char *attack = count > 1 ? words[1] : "", *argument = getenv("TARGET");
    if (!argument) argument = "";
    int number = atoi(argument);
    if (!strcmp(attack, "hog")) hog(number, 10000);
    else if (!strcmp(attack, "creep")) hog(number, 200000);
    else if (!strcmp(attack, "fork-bomb")) fork_bomb(number);
    else if (!strcmp(attack, "hide")) hide(argument);
    else if (!strcmp(attack, "many-files")) many_files(number);
    else if (!strcmp(attack, "big-file")) say(big_file());
    else if (!strcmp(attack, "read")) say(reads(argument));
    else if (!strcmp(attack, "see")) say(sees(argument));
    else if (!strcmp(attack, "signal")) say(kill(number, SIGTERM) == 0);
    else if (!strcmp(attack, "signal-all")) say(kill(-1, 0) == 0);
    else if (!strcmp(attack, "connect")) say(connects(number));
    else if (!strcmp(attack, "repin")) say(repins());
    else if (!strcmp(attack, "busy")) busy_threads();
    else if (!strcmp(attack, "write-here")) say(writes_here());
    else if (!strcmp(attack, "chmod")) say(chmod(argument, 0700) == 0);
    else if (!strcmp(attack, "limit-other")) say(limits_other(number));
    else if (!strcmp(attack, "memfd")) say(memory_of_nobody());
    else return 2;
    return 0;
}
