/* Computes for so many ms of CPU time in a way that hides it, and ends when that is done.
 *
 *     hidden WAY MS
 *
 * Nothing shows where an orphan came from: no parent, a session of its own, an empty environment.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BRIEF 5

static void compute(int ms) {
    struct timespec now;
    do {
        for (volatile int i = 0; i < 5000; i++) {}
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    } while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < ms);
}

static void hide(void) {
    extern char **environ;
    setsid();
    for (char **entry = environ; *entry; entry++) memset(*entry, 0, strlen(*entry));
}

static void shed(void) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_RSS, &none);
    setrlimit(RLIMIT_LOCKS, &none);
}

/* The end of the file comes when all that have it open are gone; they are not waited for. */
static void await_end(int end) {
    char byte;
    (void)!read(end, &byte, 1);
    close(end);
}

static void have_orphan(int ms, void (*prepare)(void)) {
    int ends[2];
    if (pipe(ends) < 0) exit(1);
    pid_t between = fork();
    if (between == 0) {
        hide();
        prepare();
        if (fork() == 0) {
            close(ends[0]);
            compute(ms);
        }
        _exit(0);
    }
    close(ends[1]);
    waitpid(between, NULL, 0);
    await_end(ends[0]);
}

static void have_child(int ms) {
    pid_t child = fork();
    if (child == 0) {
        compute(ms);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void nothing(void) {}

int main(int count, char **words) {
    if (count < 3) return 2;
    const char *way = words[1];
    int ms = atoi(words[2]), times = ms / BRIEF;
    if (!strcmp(way, "orphan")) have_orphan(ms, nothing);
    else if (!strcmp(way, "shed")) have_orphan(ms, shed);
    else if (!strcmp(way, "orphans"))
        while (times--) have_orphan(BRIEF, nothing);
    else if (!strcmp(way, "children"))
        while (times--) have_child(BRIEF);
    else if (!strcmp(way, "ignored")) {
        signal(SIGCHLD, SIG_IGN);
        while (times--) have_child(BRIEF);
    } else if (!strcmp(way, "reaper")) {
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        have_orphan(ms, nothing);
        while (wait(NULL) > 0) {}
    } else
        return 2;
    return 0;
}
