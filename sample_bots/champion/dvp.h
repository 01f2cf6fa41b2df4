#ifndef DVP_H
#define DVP_H

int dvp_run(void); // speaks DVP/1 on standard input and output until `quit`; exit status

#endif
