// A DVONN bot that plays any legal ply, each as likely as the others. Begin with choose().
//
// The arbiter writes one message a line, and this program answers two of them: "dvp" with
// "dvpok", and "go" with "move". Whatever it does not know it skips.
#define _POSIX_C_SOURCE 200809L // for getline, which makes room for lines of any length
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"
#define MAX_PLIES 300 // 49 spaces, 6 ways each: there are never so many

static unsigned state; // of a pseudo-random sequence of 31 bits

static unsigned chance(unsigned n) { // a number below n
    state = (state * 1103515245u + 12345u) & 0x7fffffffu;
    return (state >> 16) % n;
}

// The ply to play: change this first. `board` is the position as protocol/SPEC.md writes it (DPOS),
// `legal` all plies that are allowed, such as "D1", "H1G1" or "PASS", and `time` what is left for
// the whole game, in milliseconds (-1 without a clock).
static const char *choose(const char *board, char *legal[], unsigned count, long time) {
    (void)board, (void)time;
    return legal[chance(count)];
}

static unsigned split(char *text, char *words[], unsigned most) {
    unsigned n = 0;
    for (char *word = strtok(text, BLANKS); word && n < most; word = strtok(NULL, BLANKS)) words[n++] = word;
    return n;
}

int main(void) {
    char *line = NULL, *kept = NULL, *legal[MAX_PLIES] = {0}, *keys[32], board[256] = "";
    size_t size = 0;
    unsigned seed = 0, count = 0;
    while (getline(&line, &size, stdin) != -1) { // the end of the input means quit, too
        char *word = strtok(line, BLANKS), *rest = strtok(NULL, "\r\n");
        if (!word) continue;
        if (!rest) rest = "";
        if (!strcmp(word, "dvp")) { // say who you are and what can be set; the last word is dvpok
            printf("id name random-c\noption Seed spin 0 0 2147483647\ndvpok\n");
        } else if (!strcmp(word, "setoption")) { // the same Seed, the same game
            sscanf(rest, "Seed %u", &seed);
        } else if (!strcmp(word, "newgame")) { // forget the game before
            state = seed;
        } else if (!strcmp(word, "board")) {
            snprintf(board, sizeof board, "%s", rest);
        } else if (!strcmp(word, "legal")) { // the plies point into this line, so it is kept
            count = *rest ? split(rest, legal, MAX_PLIES) : 0;
            free(kept);
            kept = line, line = NULL, size = 0;
        } else if (!strcmp(word, "go") && count) { // the clock runs until "move" is out
            long time = -1;
            unsigned n = *rest ? split(rest, keys, 32) : 0;
            for (unsigned i = 0; i + 1 < n; i += 2)
                if (!strcmp(keys[i], "time")) time = atol(keys[i + 1]);
            printf("info nodes %u\n", count); // what you thought, for the record: depth, score, pv, ...
            printf("move %s\n", choose(board, legal, count, time));
        } else if (!strcmp(word, "quit")) break;
        fflush(stdout); // without this C keeps the answer back, and the bot loses on time
    }
    free(line);
    free(kept);
}
