/* Signals that end the process restore the terminal first.
 *
 * Every signal whose default action ends a process is caught, crashes too, unless it was ignored at
 * the start: the handler restores the terminal, then the default action follows. A handler that was
 * there before (ui/console/ending.h) is called instead. A session catches signals with another
 * meaning, such as Ctrl-C, itself, before or after. */
#ifndef CYCLOPS_UI_CONSOLE_FATAL_SIGNALS_H
#define CYCLOPS_UI_CONSOLE_FATAL_SIGNALS_H

/* Catches them; give_back, called in the handler, must be async-signal-safe. One at a time. */
void fatal_signals_catch(void (*give_back)(void));
/* Calls give_back, if they are caught. */
void fatal_signals_give_back(void);
/* Restores the previous actions. */
void fatal_signals_release(void);

#endif
