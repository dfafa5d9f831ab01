/* What we say outside the screen: text for people, which may quote programs, files and arguments.
 * Characters that a terminal would act on reach nobody; lines and tabs do. */
#ifndef CYCLOPS_UI_RENDER_SAFE_PRINT_H
#define CYCLOPS_UI_RENDER_SAFE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A function that takes text as consoles and scripts hand it out. */
typedef void say_fn(void *ctx, const char *text, size_t n);

/* The text, cleaned, goes to write in one piece or several. */
void say_to(say_fn *write, void *ctx, const char *text, size_t n);
void say(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text as it is, clean of all that a terminal would act on but tabs and line ends. */
void say_text(FILE *f, const char *text, size_t n);
/* What a program writes: as it is, but on a terminal clean, so that it neither moves the cursor
 * elsewhere nor asks the terminal for anything. A character written in two pieces is not one there.
 */
void say_output(FILE *f, const void *bytes, size_t n);
/* "cyclops: ...", a line of its own on stderr behind what stdout holds; returns STATUS_ERROR
 * (ui/cli/cli.h). */
int say_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same, for what calls with a line. */
void say_warning(void *ctx, const char *line);
/* True if a message on stderr has said that memory is out. */
bool say_lack_said(void);

#endif
