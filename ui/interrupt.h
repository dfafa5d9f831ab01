/* Ctrl-C stops the machine between two cycles, and an expression that computes. */
#ifndef CYCLOPS_UI_INTERRUPT_H
#define CYCLOPS_UI_INTERRUPT_H

#include <stdbool.h>

struct exprs;
struct run;

/* From now on it stops this run and these expressions; NULL: nothing. Where whoever started us ignores it, it stays ignored. */
void interrupt_attach(struct run *r, struct exprs *x);
/* Whether it came since this was last asked. */
bool interrupt_taken(void);

#endif
