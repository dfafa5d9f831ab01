/* Ctrl-C stops the machine between two cycles. */
#ifndef CYCLOPS_UI_INTERRUPT_H
#define CYCLOPS_UI_INTERRUPT_H

#include <stdbool.h>

struct run;

/* From now on it stops this run; NULL: nothing. Where whoever started us ignores it, it stays ignored. */
void interrupt_attach(struct run *r);
/* Whether it came since this was last asked. */
bool interrupt_taken(void);

#endif
