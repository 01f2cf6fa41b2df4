/* Bots that answer at once, for measuring what stands between them.
 *
 *     ply relay                   sends back whatever it reads
 *     ply first ROUNDS            sends a line, and another one for each that comes back, so many in all; tells
 *                                 on stderr how many nanoseconds that took
 *     ply script "PLY ..." WORDS  a bot: its answer to `go ply N` is the Nth ply; announces `feature WORDS`
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char buffer[65536];

static long long now(void) {
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    return moment.tv_sec * 1000000000LL + moment.tv_nsec;
}

static void say(const char *text, size_t size) {
    if (write(1, text, size) != (ssize_t)size) exit(1);
}

static int relay(void) {
    ssize_t count;
    while ((count = read(0, buffer, sizeof buffer)) > 0) say(buffer, count);
    return 0;
}

static int first(long rounds) {
    long long began = now();
    for (long round = 0; round < rounds; round++) {
        say("move A1B1\n", 10);
        if (read(0, buffer, sizeof buffer) <= 0) return 1;
    }
    fprintf(stderr, "%lld\n", now() - began);
    return 0;
}

static int script(const char *plies, const char *features) {
    size_t held = 0;
    ssize_t count;
    while ((count = read(0, buffer + held, sizeof buffer - held - 1)) > 0) {
        buffer[held += count] = 0;
        if (held == 0 || buffer[held - 1] != '\n') continue;
        char *go = strstr(buffer, "go ply ");
        if (!strncmp(buffer, "dvp ", 4)) {
            char text[128];
            say(text, sprintf(text, "%s%s\ndvpok\n", *features ? "feature " : "id name script", features));
        } else if (go) {
            char text[16];
            say(text, sprintf(text, "move %.4s\n", plies + 5 * (atoi(go + 7) - 1)));
        }
        held = 0;
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "relay")) return relay();
    if (argc == 3 && !strcmp(argv[1], "first")) return first(atol(argv[2]));
    if (argc == 4 && !strcmp(argv[1], "script")) return script(argv[2], argv[3]);
    return 2;
}
