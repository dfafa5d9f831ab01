/* The page's terminal, its signals, and children: functions of core/host/web/library.js. */
#ifndef CYCLOPS_CORE_HOST_WEB_PAGE_H
#define CYCLOPS_CORE_HOST_WEB_PAGE_H

#include <stdbool.h>

/* Signals that have come from the page since the last call: bit n - 1 for signal n. */
unsigned page_take_signals(void);
/* Waits for a key, a signal, or for ms milliseconds; -1: without an end. False: nothing can come,
 * since there is no terminal. */
bool page_wait(int ms);
/* poll()'s bits of an open file, now; POLLNVAL: there is none. */
int page_ready(int fd);
/* height << 16 | width, in cells. */
unsigned page_terminal_size(void);
bool page_is_terminal(int fd);
/* Modes of the terminal, of all instances of the program. */
enum page_modes {
	PAGE_SIGNALS = 1, /* Ctrl-C is one */
	PAGE_LINES = 2,
	PAGE_ECHO = 4,
	PAGE_NEWLINES = 8, /* a line feed is written as carriage return and line feed */
	PAGE_RETURNS = 16, /* a carriage return is read as a line feed */
};
unsigned page_modes(void);
void page_set_modes(unsigned modes);

/* Runs this program in another instance, from its beginning to its end, or for `seconds` at most
 * (0: without a limit). Returns waitpid()'s status. */
int page_run(char *const *argv, char *const *environment, const int stream[3], unsigned seconds);
/* Ends this program as a signal does. */
_Noreturn void page_end_by_signal(int number);
/* Permissions that new files do not get. */
void page_set_mask(unsigned mask);
/* A new file in memory without a name. Its descriptor; -1. */
int page_memory_file(void);

#endif
