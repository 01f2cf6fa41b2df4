// Lines from standard input, also looked for while a search runs.
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>

char *input_line(void);       // the next line without its end, valid until the next call; NULL at the end
void input_begin(void);         // a search begins: a `stop` heard before is forgotten
bool input_stopped(void);       // whether a `stop` was heard since
bool input_interrupts(void);  // whether `stop`, `quit` or the end has come; never waits, and takes a `stop` away
void input_wait(void);         // until more has come
bool input_waiting(void);     // whether anything has come that is not answered yet; never waits
void input_free(void);

#endif
