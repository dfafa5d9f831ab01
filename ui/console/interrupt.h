/* Ctrl-C stops the machine between two cycles, and an expression being evaluated. */
#ifndef CYCLOPS_UI_CONSOLE_INTERRUPT_H
#define CYCLOPS_UI_CONSOLE_INTERRUPT_H

#include <stdbool.h>

struct exprs;
struct run;
struct script;

/* Makes Ctrl-C stop this run and these expressions; NULL: neither. SIGINT stays ignored if it was
 * ignored at the start. */
void interrupt_attach(struct run *r, struct exprs *x);
/* Records Ctrl-C from now on, even while there is nothing to stop. */
void interrupt_expect(void);
/* Makes Ctrl-C also stop this script while it runs; NULL: none. */
void interrupt_attach_script(struct script *s);
/* Interrupts a run and the script as Ctrl-C does; async-signal-safe. */
void interrupt_now(struct run *r);
/* True if Ctrl-C came since the last call. */
bool interrupt_taken(void);
/* True if Ctrl-C came; does not clear it. A run drops a Ctrl-C from before its start or between two
 * of its legs; a progress callback (run_set_progress()) can check for it with this. */
bool interrupt_came(void);

#endif
