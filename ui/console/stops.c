#include "ui/console/stops.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/regs.h"
#include "core/os/linux.h"
#include "core/os/os.h"
#include "core/os/thread.h"
#include "core/pipe/pipe.h"
#include "hwviews/grid/grid.h"
#include "hwviews/program/frames.h"
#include "scripting/expr/where.h"
#include "ui/console/answer_data.h"
#include "ui/console/args.h"
#include "ui/console/command_state.h"
#include "ui/console/location.h"
#include "ui/console/spot.h"
#include "ui/console/step_goals.h"
#include "ui/console/value_text.h"

const char *const stop_stage_name[] = {
	[STAGE_COMMIT] = "commit", [STAGE_FETCH] = "fetch", [STAGE_DISPATCH] = "dispatch"};

/* Context of a stop point; run control owns it. */
struct stop_context {
	struct expr *value, *condition; /* owned, may be NULL */
	/* owned: the expression, if its memory belongs to a call; else NULL */
	struct expr *call;
	struct expr_call edges; /* of that call */
	bool is_float, is_unsigned; /* type of the memory */
	struct where *where;    /* owned: the condition, if it runs without Lua */
	struct where *fast;     /* owned: the value, if it runs without Lua */
	/* of an event: hits only if the instruction reads some of these bytes; size 0: always */
	uint64_t addr, size;
	struct event_filter filter; /* the filter of events before a condition narrows it */
	/* The last two values that differ, newest first, to show them: run control keeps only their
	 * bits. */
	struct seen {
		bool known;
		uint64_t bits;
		struct expr_value value;
	} seen[2];
	struct command_state *st; /* borrowed: receives errors */
	struct session *s;        /* borrowed */
};

static void free_context(void *ctx)
{
	struct stop_context *x = ctx;
	expr_free(x->value);
	expr_free(x->condition);
	expr_free(x->call);
	where_free(x->where);
	where_free(x->fast);
	free(x);
}

static void note_error(struct stop_context *x, const struct err *err)
{
	x->st->stop_failed = true;
	x->st->stop_err = *err;
}

/* True if the condition holds and its call lasts; evaluated about ev, unless NULL. An error counts
 * as true. */
static bool is_met(struct stop_context *x, const struct machine *m, const struct event *ev)
{
	struct expr_value v;
	struct err err;
	if (x->call && !expr_c_lasts(x->call, m))
		return false;
	if (!x->condition)
		return true;
	const enum where_answer answer = !x->where ? WHERE_ASK_LUA
	                                 : ev      ? where_test(x->where, m, ev)
	                                           : where_holds(x->where, m);
	if (answer != WHERE_ASK_LUA)
		return answer == WHERE_YES;
	if (ev ? expr_eval_event(x->condition, m, ev, &v, &err)
	       : expr_eval(x->condition, m, &v, &err))
		return expr_true(&v);
	note_error(x, &err);
	return true;
}

static bool stops_condition_holds(void *ctx, const struct machine *m)
{
	return is_met(ctx, m, NULL);
}

/* The stop point of a context; a pending stop point has no address until it is found. */
static const struct stop_point *stops_of_context(const struct stop_context *x)
{
	const struct stop_point *sp;
	unsigned i = 0;
	while ((sp = run_stop_at(x->s->run, i)) && sp->ctx != x)
		i++;
	return sp;
}

/* True if the instruction is at the breakpoint's address, or writes the watched register or some of
 * the watched bytes. */
static bool stops_is_about(const struct stop_point *sp, const struct uop *u)
{
	if (sp->kind == STOP_POINT_PC)
		return u->pc == sp->addr;
	if (sp->kind == STOP_POINT_REG)
		return u->inst.rd == sp->reg;
	return u->exec.stored &&
	       (u->exec.addr - sp->addr < sp->size || sp->addr - u->exec.addr < u->exec.size);
}

/* True if the condition holds at an instruction of this cycle that the stop point is about. Reads
 * take back later instructions, which may have left the call, and a breakpoint's own. The condition
 * of a watchpoint that no instruction of the cycle writes to is evaluated after the cycle. */
static bool stops_condition_holds_in_cycle(void *ctx, const struct machine *m)
{
	struct stop_context *x = ctx;
	const struct stop_point *sp = m == x->s->machine ? stops_of_context(x) : NULL;
	if (!sp)
		return is_met(x, m, NULL);
	struct spot at = {.s = x->s};
	struct spot_viewpoint viewpoint;
	const struct group g = spot_group(&at);
	const bool own = sp->kind == STOP_POINT_PC;
	bool met = false, found = own;
	for (unsigned i = 0; i < g.n && !met; i++) {
		if (!stops_is_about(sp, g.u[i]))
			continue;
		found = true;
		at.back = g.n - i - !own;
		spot_look(&at, &viewpoint);
		met = is_met(x, m, NULL);
		machine_look_from(x->s->machine, NULL);
	}
	return found ? met : is_met(x, m, NULL);
}

static stop_condition *stops_condition_of(const struct stop_point *sp)
{
	const bool in_cycle = (sp->kind == STOP_POINT_PC && sp->stage == STAGE_COMMIT) ||
	                      sp->kind == STOP_POINT_MEMORY || sp->kind == STOP_POINT_REG;
	return in_cycle ? stops_condition_holds_in_cycle : stops_condition_holds;
}

bool stops_hold_at(struct console *c, const struct stop_point *sp, const struct spot *at)
{
	struct spot_viewpoint viewpoint;
	struct machine *m = c->session->machine;
	if (!sp->condition)
		return true;
	spot_look(at, &viewpoint);
	const bool met = sp->free_ctx == free_context ? is_met(sp->ctx, m, NULL)
	                                              : sp->condition(sp->ctx, m);
	machine_look_from(m, NULL);
	return met;
}

static bool stops_load_overlaps(const struct machine *m, const struct event *ev, uint64_t addr,
                                uint64_t size)
{
	const struct uop *u = &machine_pipe(m)->pool[ev->slot];
	const struct op_info *op = &op_info[u->inst.op];
	return (op->flags & OPF_LOAD) &&
	       (u->exec.addr - addr < size || addr - u->exec.addr < op->mem_bytes);
}

static bool stops_event_condition_holds(void *ctx, const struct machine *m, const struct event *ev)
{
	struct stop_context *x = ctx;
	return (!x->size || stops_load_overlaps(m, ev, x->addr, x->size)) && is_met(x, m, ev);
}

/* True if both addresses are of one function, or of a part that the compiler has split off it. */
static bool stops_same_function(const struct program *p, uint64_t first, uint64_t pc)
{
	const struct symbol *of = program_symbol_at(p, first), *at = program_symbol_at(p, pc);
	const size_t n = of ? strlen(of->name) : 0;
	return of && at &&
	       (of == at || (!strncmp(of->name, at->name, n) && at->name[n] == '.'));
}

/* True if an instruction that sets sp leaves the frame of the call for one around it: longjmp, or
 * an exception. A switch to another stack keeps the frame. */
static bool stops_jumps_out(const struct stop_context *x, const struct machine *m,
                            const struct event *ev, const struct uop *u)
{
	const struct expr_call *c = &x->edges;
	const uint64_t was = u->undo.rd, is = u->result;
	const uint64_t top = c->outers ? c->outer[c->outers - 1] : c->cfa;
	struct frame frames[FRAMES_MAX];
	bool around = false, own = false;
	if (u->inst.rd != REG_SP || is < c->cfa || is > top || (was >= c->cfa && was <= top))
		return false;
	if (is == c->cfa)
		return !stops_same_function(x->s->program, c->first, ev->pc);
	for (size_t i = 0; i < c->outers; i++)
		if (is == c->outer[i])
			return true;
	const size_t n = step_goals_frames(x->s, m, ev, frames, FRAMES_MAX);
	for (size_t i = 0; i < n; i++) {
		around |= frames[i].cfa == top;
		own |= frames[i].cfa == c->cfa;
	}
	return around && !own;
}

/* True if a commit at the edge of a call, before its beginning or after its end, is of that call,
 * or ends it otherwise. */
static bool stops_crosses_scope_edge(void *ctx, const struct machine *m, const struct event *ev)
{
	const struct stop_context *x = ctx;
	const struct uop *u = &machine_pipe(m)->pool[ev->slot];
	if (u->thread != (uint16_t)(x->edges.tid - GUEST_PID))
		return false;
	if (ev->pc != x->edges.back && ev->pc != x->edges.first)
		return u->trap == TRAP_ECALL
		               ? os_thread_find(machine_os_const(m), x->edges.tid) < 0
		               : stops_jumps_out(x, m, ev, u);
	return (u->inst.rd == REG_SP ? u->undo.rd : step_goals_sp(m, ev)) == x->edges.cfa;
}

/* An error counts as a change, once. */
static uint64_t stops_watched_value(void *ctx, const struct machine *m)
{
	static const uint64_t broken = UINT64_C(0xbad0bad0bad0bad0);
	struct stop_context *x = ctx;
	struct expr_value v;
	struct err err;
	uint64_t bits;
	if (x->fast && x->seen[0].known && where_bits(x->fast, m, &bits) && bits == x->seen[0].bits)
		return bits;
	if ((x->fast && where_value(x->fast, m, &v)) || expr_eval(x->value, m, &v, &err)) {
		bits = expr_bits(&v);
		if (!x->seen[0].known || bits != x->seen[0].bits) {
			x->seen[1] = x->seen[0];
			x->seen[0] = (struct seen){true, bits, v};
		}
		return bits;
	}
	note_error(x, &err);
	return broken;
}

static struct stop_context *stops_ensure_context(struct console *c, struct stop_point *sp)
{
	struct stop_context *x = sp->ctx;
	if (!x) {
		x = alloc_zeroed(1, sizeof *x);
		if (!x) {
			console_fail(c, "out of memory");
			return NULL;
		}
		x->st = c->state;
		x->s = c->session;
		x->filter = sp->filter;
		sp->ctx = x;
		sp->free_ctx = free_context;
	}
	return x;
}

/* The event of a filter; the first of several. */
static enum event_id stops_first_event(const struct event_filter *f)
{
	return (enum event_id)__builtin_ctzll(f->mask);
}

/* True if the text uses C variables, which events don't have: they occur in any call. */
static bool wants_variables(struct console *c, const char *text)
{
	struct err why;
	struct expr *e = expr_compile_in(c->exprs, text, EXPR_FRAME, 0, &why);
	const bool yes = e && expr_has_variables(e);
	expr_free(e);
	return yes;
}

/* Compiles a condition and evaluates it once, about an event for a stop point of events: a
 * condition that fails now is most likely a typing error. */
static struct expr *stops_compile_condition(struct console *c, const char *text,
                                            const struct stop_point *about)
{
	bool event = about && about->kind == STOP_POINT_EVENT;
	struct err why;
	const bool at_place = about && about->kind == STOP_POINT_PC;
	/* Variables are looked up at the place of the stop point. */
	const enum expr_scope scope = event || (about && about->kind == STOP_POINT_MICRO)
	                                      ? EXPR_NOWHERE
	                              : at_place ? EXPR_PLACE
	                                         : EXPR_FRAME;
	struct expr *e =
		expr_compile_in(c->exprs, text, scope, at_place ? about->addr : 0, &c->err);
	if (e && expr_assigns(e)) {
		expr_free(e);
		console_fail(c,
		             "%.150s: nothing can be assigned here and no function called, since "
		             "history repeats conditions and watched values; == compares, and "
		             "`commands` may assign at each stop",
		             text);
		return NULL;
	}
	if (e && (event ? expr_try_event(e, stops_first_event(&about->filter), &why)
	                : expr_try(e, &why)))
		return e;
	if (event && wants_variables(c, text))
		console_fail(c,
		             "%.150s: conditions of events have no variables of C, but addresses; "
		             "`break LOCATION if` has them",
		             text);
	else if (e)
		console_fail(c, "%.150s: %.300s", text, why.msg);
	expr_free(e);
	return NULL;
}

/* Compiles a condition of events to run without Lua if possible, and narrows the event filter by
 * it. */
static void stops_narrow_filter(const struct console *c, struct stop_point *sp,
                                const char *condition)
{
	struct stop_context *x = sp->ctx;
	struct err why; /* Lua can do it */
	where_free(x->where);
	x->where = condition ? where_compile(c->session, stops_first_event(&x->filter), condition,
	                                     &why)
	                     : NULL;
	sp->filter = x->filter;
	if (x->where)
		where_narrow(x->where, &sp->filter);
}

bool stops_set_condition(struct console *c, struct stop_point *sp, const char *condition)
{
	struct expr *e = NULL;
	struct stop_context *x = stops_ensure_context(c, sp);
	if (!x || (condition && !(e = stops_compile_condition(c, condition, sp))))
		return false;
	bool event = sp->kind == STOP_POINT_EVENT;
	if (e && !expr_has_variables(e) &&
	    (event ? where_wrong_word(c->session, stops_first_event(&x->filter), condition, &c->err)
	           : where_wrong_value(e, &c->err))) {
		expr_free(e);
		return false;
	}
	expr_free(x->condition);
	x->condition = e;
	sp->condition = event || !(e || x->call) ? NULL : stops_condition_of(sp);
	sp->event_condition = event && (e || x->size) ? stops_event_condition_holds : NULL;
	if (event) {
		stops_narrow_filter(c, sp, condition);
	} else {
		struct err why; /* Lua can do it */
		where_free(x->where);
		x->where = e ? where_compile_value(e, &why) : NULL;
	}
	snprintf(sp->condition_text, sizeof sp->condition_text, "%s", e ? condition : "");
	return true;
}

bool stops_prepare(struct console *c, struct stop_point *sp, const char *value,
                   const char *condition)
{
	struct stop_context *x = value || condition ? stops_ensure_context(c, sp) : NULL;
	if (!x)
		return !value && !condition;
	if (value) {
		x->value = stops_compile_condition(c, value, NULL);
		if (!x->value)
			goto failed;
		struct err why; /* as above */
		x->fast = where_compile_value(x->value, &why);
		sp->value = stops_watched_value;
		sp->sources = x->fast ? where_sources(x->fast, sp->source, STOP_SOURCES_MAX) : 0;
		stops_watched_value(x, c->session->machine);
	}
	if (!condition || stops_set_condition(c, sp, condition))
		return true;
failed:
	free_context(x);
	sp->ctx = NULL;
	return false;
}

bool stops_watch_c(struct console *c, struct stop_point *sp, struct expr *e,
                   const struct expr_place *place)
{
	struct stop_context *x = stops_ensure_context(c, sp);
	if (!x) {
		expr_free(e);
		return false;
	}
	sp->kind = STOP_POINT_MEMORY;
	sp->addr = place->addr;
	sp->size = place->size;
	x->is_float = place->is_float;
	x->is_unsigned = place->is_unsigned;
	if (place->of_call) {
		x->call = e;
		sp->condition = stops_condition_of(sp);
		if (expr_c_call(e, c->session->machine, &x->edges)) {
			sp->edge[0] = x->edges.first;
			sp->edge[1] = x->edges.back;
			sp->edges = stops_crosses_scope_edge;
		}
	} else {
		expr_free(e);
	}
	return true;
}

bool stops_watch_reads(struct console *c, struct stop_point *sp)
{
	sp->kind = STOP_POINT_EVENT;
	sp->filter = (struct event_filter){.mask = EVENT_BIT(commit),
	                                   .kinds = 1u << INST_LOAD | 1u << INST_ATOMIC};
	struct stop_context *x = stops_ensure_context(c, sp);
	if (!x)
		return false;
	x->filter = sp->filter;
	x->addr = sp->addr;
	x->size = sp->size;
	sp->condition = NULL;
	sp->event_condition = stops_event_condition_holds;
	return true;
}

/* Describes the pending operation of the C++ library at the stop point; NULL: not such a place. */
static const char *exception_text(const struct stop_point *sp)
{
	return !strcmp(sp->text, "__cxa_throw")         ? "exception thrown"
	       : !strcmp(sp->text, "__cxa_rethrow")     ? "exception thrown again"
	       : !strcmp(sp->text, "__cxa_begin_catch") ? "exception caught"
	                                                : NULL;
}

const char *stops_noun(const struct stop_point *sp)
{
	if (sp->kind == STOP_POINT_PC && exception_text(sp))
		return "Catchpoint";
	switch (sp->kind) {
	case STOP_POINT_PC:
	case STOP_POINT_MICRO:
		return sp->temporary ? "Temporary breakpoint" : "Breakpoint";
	case STOP_POINT_EVENT:
		return sp->size ? "Read watchpoint" : "Catchpoint";
	default:
		return "Watchpoint";
	}
}

static char *stops_describe_stop(const struct console *c, const struct stop_point *sp, char *buf,
                                 size_t n)
{
	const struct stop_context *x = sp->free_ctx == free_context ? sp->ctx : NULL;
	const char *pending = sp->pending ? ", pending: no library that is mapped has it" : "";
	char where[200];
	switch (sp->kind == STOP_POINT_EVENT && sp->size ? STOP_POINT_MEMORY : sp->kind) {
	case STOP_POINT_PC:
		if (exception_text(sp)) {
			snprintf(buf, n, "(%s)%s", exception_text(sp), pending);
			break;
		}
		snprintf(buf, n, "at %s, %s%s",
		         sp->pending ? sp->text
		                     : session_where(c->session, sp->addr, where, sizeof where),
		         stop_stage_name[sp->stage], pending);
		break;
	case STOP_POINT_MICRO:
		snprintf(buf, n, "at microcode %" PRIu64 " (%s)", sp->addr, sp->text);
		break;
	case STOP_POINT_MEMORY:
		snprintf(buf, n, "on %s: %" PRIu64 " byte%s of memory at 0x%" PRIx64 "%s", sp->text,
		         sp->size, sp->size == 1 ? "" : "s", sp->addr,
		         x && x->call ? ", while its call lasts" : "");
		break;
	case STOP_POINT_REG:
		snprintf(buf, n, "on register %s", reg_name(sp->reg));
		break;
	case STOP_POINT_EVENT:
		snprintf(buf, n, "on event %s", sp->text);
		break;
	case STOP_POINT_VALUE:
		snprintf(buf, n, "on the value of %s, each cycle", sp->text);
		break;
	}
	return buf;
}

char *stops_about(const struct console *c, const struct stop_point *sp, char *buf, size_t n)
{
	const size_t used = strlen(stops_describe_stop(c, sp, buf, n));
	if (sp->thread)
		snprintf(buf + used, n - used, ", of thread %u", sp->thread);
	return buf;
}

char *stops_value(const struct console *c, const struct stop_point *sp, uint64_t bits, char *buf,
                  size_t n)
{
	const struct stop_context *x = sp->ctx;
	struct expr_value v = {.type = EXPR_INT, .i = (int64_t)bits};
	if (sp->kind == STOP_POINT_MEMORY)
		return value_bits_text(
			c, bits,
			sp->size == 1 || sp->size == 2 || sp->size == 4 ? (unsigned)sp->size : 8,
			x && x->is_float      ? 'f'
			: x && x->is_unsigned ? 'n'
			                      : 0,
			buf, n);
	if (sp->kind == STOP_POINT_REG && sp->reg >= REG_F0)
		return value_bits_text(c, bits, bits >> 32 == UINT32_MAX ? 4 : 8, 'f', buf, n);
	for (int i = 0; i < 2 && sp->kind == STOP_POINT_VALUE && x; i++)
		if (x->seen[i].known && x->seen[i].bits == bits)
			v = x->seen[i].value;
	/* Most are counts. */
	if (sp->kind == STOP_POINT_VALUE && v.type == EXPR_INT && v.i >= 0 && n >= 32 &&
	    (value_is_count(sp->text) || !value_is_place(c, (uint64_t)v.i)))
		return group_digits((uint64_t)v.i, buf);
	return value_text(c, &v, 0, buf, n);
}

bool stops_watched_bytes(const struct stop_point *sp, const struct run_stop_info *info,
                         uint64_t *first, uint64_t *last)
{
	const uint64_t left = sp->kind == STOP_POINT_MEMORY ? sp->size - info->part : 0,
		       word = sizeof info->old_value;
	*first = info->part;
	*last = info->part + (left < word ? left : word) - 1;
	return info->part || left > word;
}

enum command_result stops_add(struct console *c, const struct stop_point *sp)
{
	char text[320];
	int id = run_add_stop(c->session->run, sp);
	if (!id) {
		if (sp->free_ctx)
			sp->free_ctx(sp->ctx);
		return console_fail(c, "out of memory for a stop point");
	}
	console_print(c, "%s %d %s", stops_noun(sp), id, stops_about(c, sp, text, sizeof text));
	if (*sp->condition_text)
		console_print(c, ", if %s", sp->condition_text);
	console_print(c, "\n");
	json_t *data = answer_data(c);
	data_count(data, "stop_point", (uint64_t)id);
	data_text(data, "what", sp->text);
	data_text(data, "condition", sp->condition_text);
	if (sp->kind == STOP_POINT_PC && !sp->pending)
		data_place(data, c, "pc", sp->addr);
	return CMD_OK;
}

struct stop_point *stops_find(struct console *c, const char *text)
{
	char *end, list[128] = "";
	long id = strtol(text, &end, 10);
	struct stop_point *sp = id > 0 && !*end ? run_stop(c->session->run, (int)id) : NULL;
	if (sp)
		return sp;
	const struct stop_point *there;
	for (unsigned i = 0; (there = run_stop_at(c->session->run, i)); i++) {
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%d", used ? ", " : "", there->id);
	}
	if (*list)
		console_fail(c, "there is no breakpoint number '%s'; there is %s", text, list);
	else
		console_fail(c, "there are no breakpoints");
	return NULL;
}

enum command_result stops_each(struct console *c, const char *args,
                               void (*fn)(struct console *c, struct stop_point *sp))
{
	char word[64];
	if (!*args || !strcmp(args, "all")) {
		/* Backwards by number, since fn may delete. */
		int ids[256];
		unsigned n = 0;
		const struct stop_point *sp;
		while (n < 256 && (sp = run_stop_at(c->session->run, n)))
			ids[n++] = sp->id;
		while (n)
			fn(c, run_stop(c->session->run, ids[--n]));
		return CMD_OK;
	}
	while (*args) {
		args = parse_word(args, word, sizeof word);
		char *dash = strchr(word, '-');
		if (!dash || dash == word) {
			struct stop_point *sp = stops_find(c, word);
			if (!sp)
				return CMD_ERROR;
			fn(c, sp);
			continue;
		}
		*dash = '\0';
		struct stop_point *first = stops_find(c, word),
				  *last = first ? stops_find(c, dash + 1) : NULL;
		if (!last)
			return CMD_ERROR;
		for (int id = first->id, to = last->id; id <= to; id++) {
			struct stop_point *sp = run_stop(c->session->run, id);
			if (sp)
				fn(c, sp);
		}
	}
	return CMD_OK;
}

const char *stops_error(struct console *c)
{
	if (!c->state->stop_failed)
		return NULL;
	c->state->stop_failed = false;
	return c->state->stop_err.msg;
}

void stops_release(struct console *c)
{
	const struct stop_point *sp;
	for (unsigned i = 0; c->session && (sp = run_stop_at(c->session->run, i));) {
		if (sp->free_ctx == free_context)
			run_delete_stop(c->session->run, sp->id);
		else
			i++;
	}
}
