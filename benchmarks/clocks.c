/* A bot that knows what each of its plies took: see dvp.h for how it plays and reports.
 *
 *     clocks MODE MS PLIES
 *
 * MS is a decimal number of milliseconds; what it is for stands beside the modes below.
 */
#include "../tests/bots/dvp.h"
#include <signal.h>
#include <poll.h>
#include <sys/prctl.h>

#define LONG_LINE 60000
#define POURED (8257536 / LONG_LINE) /* 7.9 MiB */
#define LETTERS 4000
#define SPUN MS

static long long wanted;

/* Sleeps so long. */
static void doze(void) { sleep_until(clock_ns(CLOCK_MONOTONIC) + wanted); }

/* Uses so much processor time. */
static void spin(void) {
    while (process_cpu() - asked_cpu < wanted) {}
}

/* Answers so long after `go`, to the microsecond. */
static void hit(void) {
    sleep_until(asked_at + wanted - SPUN);
    while (elapsed() < wanted) {}
}

/* Writes nearly as much as a turn may hold, in long lines. */
static void pour(void) {
    static char line[LONG_LINE];
    memset(line, 'x', sizeof line);
    memcpy(line, "info string ", 12);
    line[LONG_LINE - 1] = '\n';
    for (int i = 0; i < POURED; i++) write_all(1, line, sizeof line);
}

/* Many short lines, so long after the own answer, unless the next turn has come before. */
static void chatter(void) {
    static char lines[2 * LETTERS];
    struct pollfd input = {.fd = 0, .events = POLLIN};
    for (int i = 0; i < 2 * LETTERS; i++) lines[i] = i % 2 ? '\n' : 'x';
    if (poll(&input, 1, wanted / MS) == 0) write_all(1, lines, sizeof lines);
}

/* No bot, but load: runs until its starter ends. */
static void burn(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (volatile long i = 0;; i++) {}
}

int main(int count, char **words) {
    const char *mode = count > 1 ? words[1] : "";
    wanted = count > 2 ? strtod(words[2], NULL) * MS : 0;
    int plies = count > 3 ? atoi(words[3]) : MOST_PLIES;
    if (!strcmp(mode, "sleep")) play(plies, doze, nothing);
    if (!strcmp(mode, "spin")) play(plies, spin, nothing);
    if (!strcmp(mode, "hit")) play(plies, hit, nothing);
    if (!strcmp(mode, "pour")) play(plies, pour, nothing);
    if (!strcmp(mode, "chatter")) play(plies, nothing, chatter);
    if (!strcmp(mode, "burn")) burn();
    fputs("usage: clocks sleep|spin|hit|pour|chatter|burn MS PLIES\n", stderr);
    return 2;
}
