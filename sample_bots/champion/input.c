// A buffer in front of the descriptor: whole lines are taken from it, and a search may look at what waits.
#define _POSIX_C_SOURCE 200809L
#include "input.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 65536, LONGEST = 1 << 22 }; // of a longer line the rest is dropped

static char *data; // what has come and is not taken yet lies from `begin` to `end`
static size_t begin, end, size;
static bool ended, stopped;

static void make_room(void) {
    if (begin) memmove(data, data + begin, end - begin), end -= begin, begin = 0;
    if (end + CHUNK <= size) return;
    if (end > LONGEST && !memchr(data, '\n', end)) end = LONGEST;
    char *larger = realloc(data, end + 2 * CHUNK);
    if (larger) data = larger, size = end + 2 * CHUNK;
    else if (!data) exit(1);
    else end = 0; // out of memory: better lose a line than the game
}

static void fill(void) {
    make_room();
    ssize_t got = read(STDIN_FILENO, data + end, CHUNK - 1);
    if (got > 0) end += (size_t)got;
    else if (got == 0 || (errno != EINTR && errno != EAGAIN)) ended = true;
}

static bool more_has_come(void) {
    struct pollfd descriptor = {.fd = STDIN_FILENO, .events = POLLIN};
    return !ended && poll(&descriptor, 1, 0) > 0;
}

char *input_line(void) {
    for (;;) {
        char *line = data + begin, *stop = end > begin ? memchr(line, '\n', end - begin) : NULL;
        if (stop) {
            begin = (size_t)(stop - data) + 1;
            *stop = '\0';
            return line;
        }
        if (ended) {
            if (begin == end) return NULL;
            data[end] = '\0';
            begin = end;
            return line;
        }
        fill();
    }
}

static bool is_word(const char *line, size_t length, const char *word) {
    while (length && strchr(" \t\r", *line)) line++, length--;
    size_t letters = strlen(word);
    return length >= letters && !memcmp(line, word, letters) &&
           (length == letters || strchr(" \t\r\n", line[letters]));
}

void input_begin(void) { stopped = false; }

bool input_stopped(void) { return stopped; }

bool input_interrupts(void) {
    while (more_has_come()) fill();
    for (size_t at = begin; at < end;) {
        char *stop = memchr(data + at, '\n', end - at);
        if (!stop) break;
        size_t length = (size_t)(stop - data) - at;
        if (is_word(data + at, length, "quit")) return true;
        if (is_word(data + at, length, "stop")) {
            memset(data + at, ' ', length);
            return stopped = true;
        }
        at += length + 1;
    }
    return ended;
}

void input_wait(void) {
    if (!ended) fill();
}

bool input_waiting(void) { return ended || begin < end || more_has_come(); }

void input_free(void) {
    free(data);
    data = NULL;
}
