/* A bot's side of DVP/1 with a clock of its own: from the return of the read() that brought `go` to the
 * write() of `move`. It plays the first legal ply and resigns when it has played as many as it was asked to.
 *
 * The program that includes this once calls `play` with what it does in its turns and after them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000LL
#define MOST_PLIES 64

static long long clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000 * MS + now.tv_nsec;
}

static long long process_cpu(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

/* What the program has used of the processors, all that works for it included. */
static long long (*own_cpu)(void) = process_cpu;

static struct own { long long elapsed, cpu; } owns[MOST_PLIES];
static long long asked_at, asked_cpu;
static int turns;
/* Whether each answer comes with the clock's reading; at the end all go to stderr in any case. */
static int tells_at_once;
/* Put before the next answer: one line at most. */
static char remark[64];

static long long elapsed(void) { return clock_ns(CLOCK_MONOTONIC) - asked_at; }

static void sleep_until(long long moment) {
    struct timespec then = {moment / (1000 * MS), moment % (1000 * MS)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL) != 0) {}
}

static void write_all(int file, const char *data, size_t size) {
    while (size > 0) {
        ssize_t count = write(file, data, size);
        if (count <= 0) return;
        data += count;
        size -= count;
    }
}

static void answer(const char *ply) {
    char lines[256];
    struct own *own = &owns[turns++ % MOST_PLIES];
    own->cpu = own_cpu() - asked_cpu;
    own->elapsed = elapsed();
    int size = 0;
    if (tells_at_once)
        size = sprintf(lines, "%sinfo x-took %lld x-cpu %lld\n", remark, own->elapsed, own->cpu);
    size += sprintf(lines + size, "move %s\n", ply);
    write_all(1, lines, size);
    remark[0] = 0;
}

static void report(void) {
    for (int i = 0; i < turns && i < MOST_PLIES; i++)
        fprintf(stderr, "own %lld %lld\n", owns[i].elapsed, owns[i].cpu);
}

static void nothing(void) {}

/* Until the arbiter says `quit`: `think` in each turn, before the answer, `idle` right after it. */
static void play(int plies, void (*think)(void), void (*idle)(void)) {
    static char buffer[65536], ply[8];
    size_t held = 0;
    for (;;) {
        ssize_t count = read(0, buffer + held, sizeof buffer - held - 1);
        long long moment = clock_ns(CLOCK_MONOTONIC), cpu = own_cpu();
        if (count <= 0) break;
        held += count;
        buffer[held] = 0;
        char *line = buffer, *end;
        for (; (end = strchr(line, '\n')); line = end + 1) {
            *end = 0;
            if (!strcmp(line, "dvp 1")) write_all(1, "feature noboard\ndvpok\n", 22);
            else if (!strncmp(line, "legal ", 6)) sscanf(line + 6, "%7s", ply);
            else if (!strncmp(line, "go", 2) && turns >= plies) write_all(1, "resign\n", 7);
            else if (!strncmp(line, "go", 2)) {
                asked_at = moment;
                asked_cpu = cpu;
                think();
                answer(ply);
                idle();
            } else if (!strcmp(line, "quit")) {
                report();
                exit(0);
            }
        }
        held -= line - buffer;
        memmove(buffer, line, held);
    }
    report();
    exit(0);
}
