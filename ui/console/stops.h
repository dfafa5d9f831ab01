/* Stop points with conditions and values, and their texts. */
#ifndef CYCLOPS_UI_CONSOLE_STOPS_H
#define CYCLOPS_UI_CONSOLE_STOPS_H

#include "scripting/expr/expr.h"
#include "ui/console/command.h"

/* Makes *sp's context: `value` and `condition` are expressions or NULL. The condition's errors and
 * the value's stop the run. False with c->err: nothing is kept. */
bool stops_prepare(struct console *c, struct stop_point *sp, const char *value,
                   const char *condition);
/* Makes *sp watch the memory of this C expression; a variable of a call, until the call returns.
 * Takes over the expression, and frees it on failure. False with c->err. */
bool stops_watch_c(struct console *c, struct stop_point *sp, struct expr *e,
                   const struct expr_place *place);
/* Makes *sp watch reads of [addr, addr + size) by loads and atomics, when they commit. False with
 * c->err. */
bool stops_watch_reads(struct console *c, struct stop_point *sp);
/* Adds it and prints "Breakpoint 1 at ...". Releases its context on failure. */
enum command_result stops_add(struct console *c, const struct stop_point *sp);
/* Replaces the condition; NULL: none. False with c->err. */
bool stops_set_condition(struct console *c, struct stop_point *sp, const char *condition);

/* True if the condition of a stop point holds at the place, and its call lasts; it has none: true.
 */
struct spot;
bool stops_hold_at(struct console *c, const struct stop_point *sp, const struct spot *at);

/* Finds the stop point of a number in text; NULL with c->err, which lists the existing numbers. */
struct stop_point *stops_find(struct console *c, const char *text);
/* Calls fn for each stop point named in args ("1 3-5", "" = all). */
enum command_result stops_each(struct console *c, const char *args,
                               void (*fn)(struct console *c, struct stop_point *sp));

/* "Breakpoint", "Watchpoint", "Catchpoint". */
const char *stops_noun(const struct stop_point *sp);
extern const char *const stop_stage_name[];
/* Describes it: "find at words.c:38, commit", "sim.ipc". Returns buf. */
char *stops_about(const struct console *c, const struct stop_point *sp, char *buf, size_t n);
/* Formats a watched value. Returns buf. */
char *stops_value(const struct console *c, const struct stop_point *sp, uint64_t bits, char *buf,
                  size_t n);
/* True if a watchpoint's hit shows some of its bytes only: those from *first to *last. */
bool stops_watched_bytes(const struct stop_point *sp, const struct run_stop_info *info,
                         uint64_t *first, uint64_t *last);

/* Deletes the stop points whose expressions live in this console. Call when the console ends. */
void stops_release(struct console *c);

/* Returns the message of a condition or value that failed in the last motion, and clears it; NULL
 * if none did. */
const char *stops_error(struct console *c);

#endif
