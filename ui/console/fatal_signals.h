/* Signals that end the program give the terminal back first.
 *
 * Every signal whose default is to end a process is caught, crashes too, unless whoever started us
 * has it ignored: what was changed of the terminal is undone, and the signal has its way. Those
 * that mean something else to a session, such as Ctrl-C, are its own to catch, before or behind. */
#ifndef CYCLOPS_UI_CONSOLE_FATAL_SIGNALS_H
#define CYCLOPS_UI_CONSOLE_FATAL_SIGNALS_H

/* give_back is called in the handler: only what is safe there. One at a time. */
void fatal_signals_catch(void (*give_back)(void));
/* As it was before. */
void fatal_signals_release(void);

#endif
