/* SIGTERM and SIGHUP end the program within a second, whatever it is doing.
 *
 * What has an orderly end is asked for it (ending_by()), and asked again every few milliseconds:
 * between two legs of a run, or in a script that catches its errors, one question could be lost.
 * When that has taken a second, or half of one of computing or of standing still, and in all modes
 * that have no orderly end, the signal has its way at once: processes that we started are ended
 * first, and temporary folders removed. The terminal is given back before
 * (ui/console/fatal_signals.h). Files that we write are whole or not there at any moment
 * (core/base/output_file.h).
 *
 * A signal that is ignored when we are started stays ignored. */
#ifndef CYCLOPS_UI_CONSOLE_ENDING_H
#define CYCLOPS_UI_CONSOLE_ENDING_H

#include <stdbool.h>

/* At the program's beginning. */
void ending_catch(void);

/* From now on this is asked to end what is under way, in the signal's handler. NULL: nothing is,
 * and the next signal ends us at once; after one that came, what is left is waited for. */
void ending_by(void (*ask)(int number));

/* The signal came, and was taken elsewhere: what is left is waited for as long as for an end that
 * was asked for. */
void ending_begin(int number);
/* The signal that came, 0: none. */
int ending_came(void);

/* mkdtemp(), and the folder is removed with all in it by ending_remove_folder(), or if a signal
 * ends us before; its name is borrowed. One at a time. */
bool ending_make_folder(char *name);
void ending_remove_folder(void);

#endif
