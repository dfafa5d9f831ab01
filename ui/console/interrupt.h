/* Ctrl-C stops the machine between two cycles, and an expression that computes. */
#ifndef CYCLOPS_UI_CONSOLE_INTERRUPT_H
#define CYCLOPS_UI_CONSOLE_INTERRUPT_H

#include <stdbool.h>

struct exprs;
struct run;
struct script;

/* From now on it stops this run and these expressions; NULL: nothing. Where whoever started us
 * ignores it, it stays ignored. */
void interrupt_attach(struct run *r, struct exprs *x);
/* From now on it is noted, also while there is nothing to stop. */
void interrupt_expect(void);
/* It stops this script too, while that is at work; NULL: none. */
void interrupt_attach_script(struct script *s);
/* Does what Ctrl-C does to a run and to the script; safe in a signal handler. */
void interrupt_now(struct run *r);
/* Whether it came since this was last asked. */
bool interrupt_taken(void);
/* The same, and it stays so: a run forgets what came before it began, or between two of its legs;
 * whoever is asked on the way (run_set_progress()) does not. */
bool interrupt_came(void);

#endif
