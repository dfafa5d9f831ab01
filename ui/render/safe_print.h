/* Output outside the screen: text for people, which may quote programs, files and arguments.
 * Control characters are removed, except line ends and tabs. */
#ifndef CYCLOPS_UI_RENDER_SAFE_PRINT_H
#define CYCLOPS_UI_RENDER_SAFE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Receives text from consoles and scripts. */
typedef void say_fn(void *ctx, const char *text, size_t n);

/* Passes the cleaned text to `write`, in one piece or several. */
void say_to(say_fn *write, void *ctx, const char *text, size_t n);
void say(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Writes text without control characters other than tabs and line ends. */
void say_text(FILE *f, const char *text, size_t n);
/* Writes a program's output: unchanged to a file; without escape sequences on a terminal, so that
 * it can neither move the cursor elsewhere nor query the terminal. There a character split over two
 * calls is shown as invalid. */
void say_output(FILE *f, const void *bytes, size_t n);
/* Prints "cyclops: ..." as one line on stderr, whatever names it quotes, after flushing stdout;
 * returns STATUS_ERROR (ui/cli/cli.h). */
int say_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* say_error() as a callback for one line. */
void say_warning(void *ctx, const char *line);
/* True if a message on stderr has reported that memory is out. */
bool say_lack_said(void);

#endif
