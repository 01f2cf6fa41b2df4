#include "perft.h"
#include <stdlib.h>
int main(int argc, char **argv) { board_init(); return perft_command(argv[1], atoi(argv[2]), argc > 3); }
