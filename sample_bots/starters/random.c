// A DVONN bot: plays any legal ply. It reads lines from the arbiter, one message a line,
// and prints its answers. Whatever it does not know it skips.
#define _POSIX_C_SOURCE 200809L // for getline, which makes room for lines of any length
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *line = NULL, *plies[300], choice[8] = ""; // 49 spaces, 6 ways each: < 300 plies
    size_t size = 0;
    unsigned seed = 0, n;
    while (getline(&line, &size, stdin) != -1) { // no more input means quit, too
        char *word = strtok(line, " \t\r\n"); // the first word says what it is about
        if (!word) continue;
        if (!strcmp(word, "dvp")) { // "are you there?" Say who you are, end with dvpok
            printf("id name random-c\noption Seed spin 0 0 2147483647\ndvpok\n");
        } else if (!strcmp(word, "setoption")) { // the same Seed gives the same game
            char *name = strtok(NULL, " \t\r\n"), *value = strtok(NULL, " \t\r\n");
            if (name && value && !strcmp(name, "Seed")) seed = strtoul(value, NULL, 10);
        } else if (!strcmp(word, "legal")) { // every ply allowed now; choose one of them
            for (n = 0; n < 300 && (plies[n] = strtok(NULL, " \t\r\n")); n++) {}
            seed = (seed * 1103515245u + 12345u) & 0x7fffffffu; // pseudo-random, 31 bits
            if (n) snprintf(choice, sizeof choice, "%s", plies[(seed >> 16) % n]);
        } else if (!strcmp(word, "go")) printf("move %s\n", choice); // the clock runs
        else if (!strcmp(word, "quit")) break;
        fflush(stdout); // without this C keeps the answer back, and you lose on time
    }
    free(line);
}
