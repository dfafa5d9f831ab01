/* Conditions on events and expressions about the machine, compiled to a small tree that runs
 * without Lua. Examples: `level == 'memory' and latency > 50`, `pc == main+0x10`, `(taken or
 * mispredicted) and seq % 2 == 0`.
 *
 * What they mean is what expressions mean (scripting/expr/expr.h): a word is what
 * scripting/expr/words.h says, arithmetic wraps, `and` and `or` give operands, a condition holds
 * unless it is nil, false or zero. The subset: fields of the event and of its instruction, seq, pc,
 * op, cycle, insts, integer registers, symbols of the program, integers, texts, true, false, nil,
 * comparisons, and or not, + - * // % & | ~ << >>, parentheses. Whatever lies outside, and whatever
 * would be an error, is left to Lua: who compiles a condition compiles the expression too, and asks
 * that when where_test() says so.
 *
 * A condition knows its program's symbols, so it is for one session; it outlives no listener that
 * uses it as a filter. */
#ifndef CYCLOPS_SCRIPTING_EXPR_WHERE_H
#define CYCLOPS_SCRIPTING_EXPR_WHERE_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/defs/events.h"

struct session;
struct where;

/* A condition about events of this kind. `s`, for symbols, is borrowed while compiling; NULL: there
 * are none. NULL with *err, which says what is not in the subset; that the text is right it does
 * not say. */
struct where *where_compile(const struct session *s, enum event_id id, const char *text,
                            struct err *err);
/* Whether it compares a word that has names (level, state, op, ...) with a text that is none of
 * them, and so never holds: *err says which there are. So is the address of a symbol that is
 * compared with a number. `id` EV_COUNT: about none. What comes behind something outside the subset
 * is not looked at. */
bool where_wrong_word(const struct session *s, enum event_id id, const char *text, struct err *err);
void where_free(struct where *w); /* takes NULL */

enum where_answer {
	WHERE_NO,
	WHERE_YES,
	WHERE_ASK_LUA /* an error, most likely, which Lua says best */
};

/* Whether it holds for an event of m, while a listener runs. */
enum where_answer where_test(const struct where *w, const struct machine *m,
                             const struct event *ev);

/* The same about the machine and no event: a watched value, a condition of a breakpoint. Words are
 * those of expressions: `pc` is the machine's; beside them rob.count, rob[1].FIELD (lsq, fetchq as
 * well) and statistics of the machine. */
struct where *where_compile_value(const struct session *s, const char *text, struct err *err);
/* Its value now, as expr_eval() finds it, or that value's expr_bits(). False: Lua must be asked;
 * *out is unchanged. */
struct expr_value;
bool where_value(const struct where *w, const struct machine *m, struct expr_value *out);
bool where_bits(const struct where *w, const struct machine *m, uint64_t *out);
/* What its value follows from: at most `room` words, their number; 0: other things as well, or
 * more, or nothing. */
struct stop_source;
unsigned where_sources(const struct where *w, struct stop_source *out, unsigned room);
/* Whether it holds as a condition. */
enum where_answer where_holds(const struct where *w, const struct machine *m);

/* Narrows a filter for events of this kind: what it lets through holds, or only where_test() can
 * tell. A condition about nothing but the event's own words is then asked before anybody is called
 * (struct event_filter's `where`), and one that begins with a pc or an op before the event is even
 * built. The filter borrows w. */
void where_narrow(const struct where *w, struct event_filter *f);

#endif
