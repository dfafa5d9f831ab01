/* Conditions on events and expressions about the machine, compiled from the tree of an expression
 * (scripting/c) to one that runs without types and without Lua. Examples: `level == 'memory' and
 * latency > 50`, `pc == main+0x10`, `(taken or mispredicted) and seq % 2 == 0`.
 *
 * Their meaning is that of expressions (scripting/expr/expr.h): words as in scripting/expr/words.h,
 * arithmetic wraps, `and` and `or` give operands, a condition holds unless it is nil, false or
 * zero. The subset: fields of the event and of its instruction, seq, pc, op, cycle, insts, integer
 * registers, symbols of the program, integers, texts, true, false, nil, comparisons, and or not, +
 * - * // % & | ~ << >>, parentheses. Everything else, and every error, is left to C or Lua: the
 * caller compiles the expression, too, and evaluates that when where_test() returns WHERE_ASK_LUA.
 *
 * A condition has its program's symbols compiled in, so it belongs to one session. Free it only
 * after the listeners that use it as a filter. */
#ifndef CYCLOPS_SCRIPTING_EXPR_WHERE_H
#define CYCLOPS_SCRIPTING_EXPR_WHERE_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/defs/events.h"

struct expr;
struct session;
struct where;

/* Compiles a condition on events of this kind. s: for symbols, borrowed during the call; NULL:
 * none. NULL with *err, which names the part outside the subset; the text may be valid
 * nevertheless. */
struct where *where_compile(const struct session *s, enum event_id id, const char *text,
                            struct err *err);
/* True if the condition never holds: it compares a word that has named values (level, state, op,
 * ...) with another text (*err lists the names), or a symbol's address with a number. Text after a
 * part outside the subset is not checked. */
bool where_wrong_word(const struct session *s, enum event_id id, const char *text, struct err *err);
/* Like where_wrong_word(), for an expression about the machine. */
bool where_wrong_value(const struct expr *e, struct err *err);
void where_free(struct where *w); /* takes NULL */

enum where_answer {
	WHERE_NO,
	WHERE_YES,
	WHERE_ASK_LUA /* probably an error, which Lua reports best */
};

/* Tests the condition for an event of m, while a listener runs. */
enum where_answer where_test(const struct where *w, const struct machine *m,
                             const struct event *ev);

/* Compiles a condition or value without an event: for a watched value or a breakpoint's condition.
 * Words are those of expressions: `pc` is the machine's; also rob.count, rob[1].FIELD (lsq, fetchq
 * as well) and statistics. NULL with *err, also if types matter: evaluate in C or Lua then. */
struct where *where_compile_value(const struct expr *e, struct err *err);
/* The present value, as by expr_eval(), or its expr_bits(). False: evaluate in Lua; *out is
 * unchanged. */
struct expr_value;
bool where_value(const struct where *w, const struct machine *m, struct expr_value *out);
bool where_bits(const struct where *w, const struct machine *m, uint64_t *out);
/* Fills in the sources of the value, at most `room` words, and returns their number; 0: other
 * sources, more, or none. */
struct stop_source;
unsigned where_sources(const struct where *w, struct stop_source *out, unsigned room);
/* Tests the value as a condition. */
enum where_answer where_holds(const struct where *w, const struct machine *m);

/* Narrows a filter to events of this kind for which the condition may hold. A condition on the
 * event's own words alone is then evaluated before listeners are called (`where` of struct
 * event_filter); a condition that begins with a pc or an op, before the event is built. The filter
 * borrows w. */
void where_narrow(const struct where *w, struct event_filter *f);

#endif
