#include "core/defs/config_fields.h"
#include "hwviews/why/stacks.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/stats_fields.h"
#include "core/machine/machine.h"
#include "core/run/timeline.h"
#include "hwviews/flow/flow_picture.h"
#include "hwviews/session/address.h"
#include "hwviews/session/view_text.h"
#include "loader/edit/loops.h"

/* ---- words ---- */

const char *stack_slot_help(const struct config *cfg, enum slot_row row)
{
	static const char *const help[SLOT_COUNT] = {
#define SLOT(field, name, group, help) help,
#include "core/defs/slots.def"
#undef SLOT
	};
	if (row == SLOT_misfetch && !CONFIG(cfg, btb_sets))
		return "decode found another target than fetch had followed (no BTB: "
		       "btb.sets=0)";
	if (row == SLOT_commit_delay && !CONFIG(cfg, commit_delay))
		return "a serialising instruction or an atomic waits until the oldest, which is "
		       "complete, commits (pipe.memory_stage)";
	return help[row];
}

/* ---- arguments ---- */
void stack_asked_deinit(struct stack_asked *a)
{
	free(a->range);
	a->range = NULL;
}

bool stack_is_charged(const struct stack_asked *a)
{
	return a->of != STACK_OF_ALL || a->by != STACK_WHOLE;
}

/* "words.c:41", not "words.c:find". */
static bool is_line(const char *text)
{
	const char *colon = strrchr(text, ':');
	return colon && isdigit((unsigned char)colon[1]);
}

static bool stacks_parse_line(const struct session *s, struct stack_asked *a, const char *text,
                              struct err *err)
{
	struct source_line at;
	if (!program_line_at(s->program, a->addr, &at) || !at.line)
		return err_set(err, "'%.60s' has no code", text);
	a->of = STACK_OF_LINE;
	a->file = at.file;
	/* `at` may be of another line: a line with code need not have a statement start */
	a->line = (unsigned)strtoul(strrchr(text, ':') + 1, NULL, 10);
	return true;
}

static bool take_function(const struct session *s, struct stack_asked *a, const char *text,
                          struct err *err)
{
	const struct symbol *sym = program_symbol_at(s->program, a->addr);
	if (!sym)
		return err_set(err, "'%.60s' lies in no function", text);
	a->of = STACK_OF_FUNCTION;
	a->addr = sym->addr;
	return true;
}

/* Present addresses of a block. */
static struct stack_range range_of(const struct flow_picture *p, const struct flow_block *b)
{
	return (struct stack_range){flow_picture_now(p, b->start),
	                            flow_picture_now(p, b->last) + b->inst.len};
}

/* The blocks of the innermost loop around a block. */
static bool take_blocks(struct stack_asked *a, const struct flow_picture *p, uint32_t block,
                        struct err *err)
{
	const struct flow *f = &p->graph;
	struct loop_edge *edges = alloc_bytes((f->edge_count + 1) * sizeof *edges);
	struct loops l = {0};
	uint32_t n = 0;
	for (uint32_t i = 0; edges && i < f->edge_count; i++)
		if (f->edges[i].to != FLOW_NONE)
			edges[n++] = (struct loop_edge){f->edges[i].from, f->edges[i].to};
	const bool found = edges && loops_find(f->block_count, edges, n, &l);
	const uint32_t loop = found ? l.innermost[block] : LOOP_NONE;
	free(edges);
	a->range = found ? alloc_zeroed(f->block_count, sizeof *a->range) : NULL;
	for (uint32_t b = 0; a->range && loop != LOOP_NONE && b < f->block_count; b++) {
		uint32_t in = l.innermost[b];
		while (in != LOOP_NONE && in != loop)
			in = l.all[in].outer;
		if (in == loop)
			a->range[a->ranges++] = range_of(p, &f->blocks[b]);
	}
	if (found)
		loops_free(&l);
	if (!found || !a->range)
		return err_set(err, "out of memory for a flow graph");
	return a->ranges || err_set(err, "there is no loop around that in its function");
}

static bool take_loop(const struct session *s, struct stack_asked *a, struct err *err)
{
	struct flow_picture p;
	if (!flow_picture_of(s, a->addr, false, &p, err))
		return false;
	uint32_t block = FLOW_NONE;
	for (uint32_t b = 0; b < p.graph.block_count; b++) {
		const struct stack_range r = range_of(&p, &p.graph.blocks[b]);
		if (a->addr >= r.lo && a->addr < r.hi)
			block = b;
	}
	const bool ok = block != FLOW_NONE ? take_blocks(a, &p, block, err)
	                                   : err_set(err, "no reachable code is there");
	flow_picture_free(&p);
	if (!ok)
		stack_asked_deinit(a);
	a->of = STACK_OF_LOOP;
	return ok;
}

/* Parses the words after `of`. */
static bool take_of(const struct session *s, const struct region *r, int *i, struct stack_asked *a,
                    struct err *err)
{
	const bool loop = *i + 1 < r->argc && !strcmp(r->argv[*i + 1], "loop");
	*i += loop ? 2 : 1;
	if (*i >= r->argc)
		return err_set(err, "no place given; expected `of FUNCTION`, `of FILE:LINE` or `of "
		                    "loop ADDRESS`");
	const char *text = r->argv[*i];
	if (!address_parse(s, text, NULL, &a->addr, err))
		return false;
	snprintf(a->text, sizeof a->text, "of %s%.70s", loop ? "the loop around " : "", text);
	return loop            ? take_loop(s, a, err)
	       : is_line(text) ? stacks_parse_line(s, a, text, err)
	                       : take_function(s, a, text, err);
}

bool stack_take(const struct session *s, const struct region *r, const char *view,
                struct stack_asked *out, struct err *err)
{
	static const char *const by[] = {[STACK_BY_FUNCTION] = "functions",
	                                 [STACK_BY_LINE] = "lines",
	                                 [STACK_BY_INSTRUCTION] = "instructions"};
	*out = (struct stack_asked){0};
	for (int i = 0; i < r->argc; i++) {
		enum stack_by is = STACK_BY_FUNCTION;
		while (is <= STACK_BY_INSTRUCTION && strcmp(r->argv[i], by[is]) != 0)
			is++;
		if (is <= STACK_BY_INSTRUCTION && !out->by) {
			out->by = is;
		} else if (!strcmp(r->argv[i], "all") && !out->all) {
			out->all = true;
		} else if (!strcmp(r->argv[i], "of") && !out->of) {
			if (!take_of(s, r, &i, out, err))
				return false;
		} else {
			stack_asked_deinit(out);
			return err_set(err, "'%.40s': view %s " STACK_ARGS, r->argv[i], view);
		}
	}
	if (!r->thread || !stack_is_charged(out))
		return true;
	stack_asked_deinit(out);
	return err_set(err, "a thread's stack is that of the whole program: view %s thread 2",
	               view);
}

struct stack_kind stack_kind_of(const struct session *s, bool cpi)
{
	const struct config *cfg = machine_config(s->machine);
	struct stack_kind k = {.title = cpi ? "CPI stack" : "Slot stack",
	                       .first = cpi ? CHARGE_CPI : 0};
	k.width = cpi ? machine_pipe(s->machine)->commit_width : pipe_slots(cfg);
	while (k.first + k.count < (cpi ? CHARGE_ROWS : CHARGE_CPI) &&
	       charge_stat(k.first + k.count))
		k.count++;
	for (unsigned i = 0; i < k.count; i++) {
		const char *name = charge_stat(k.first + i)->name;
		if (cpi ? !strcmp(name, "cpi.base") || !strcmp(name, "cpi.profile")
		        : i < CHARGE_SLOT)
			k.used |= UINT64_C(1) << i;
	}
	return k;
}

/* ---- the cause that lost most ---- */
const char *stack_row_name(unsigned row)
{
	return strchr(charge_stat(row)->name, '.') + 1;
}

bool stack_cause_has_row(const struct stack_cause *c, unsigned row)
{
	return row == c->most ||
	       (c->remedy && row >= CHARGE_SLOT && row < CHARGE_CPI &&
	        what_if_cause(stack_row_name(row)) == c->remedy);
}

/* Sums up the rows of the given row's cause. */
static struct stack_cause stack_cause_of(const int64_t row[CHARGE_CPI], unsigned of)
{
	struct stack_cause c = {what_if_cause(stack_row_name(of)), of, 0, 0};
	for (unsigned i = CHARGE_SLOT; i < CHARGE_CPI; i++) {
		if (row[i] <= 0 || !stack_cause_has_row(&c, i))
			continue;
		c.slots += row[i];
		c.rows++;
		c.most = row[i] > row[c.most] ? i : c.most;
	}
	return c;
}

struct stack_cause stack_find_cause(const int64_t row[CHARGE_CPI], const struct config *cfg)
{
	struct stack_cause most = {.most = CHARGE_ROWS};
	for (unsigned i = CHARGE_SLOT; i < CHARGE_CPI; i++) {
		if (row[i] <= 0)
			continue;
		const struct stack_cause c = stack_cause_of(row, i);
		if (c.slots > most.slots &&
		    (!cfg || (c.remedy && what_if_applies(cfg, c.remedy))))
			most = c;
	}
	return most;
}

struct stack_loss stack_largest_loss(const int64_t row[CHARGE_CPI], int64_t slots,
                                     const struct config *cfg)
{
	enum { SHORTENED = 3, NAMED = 10 };
	struct stack_cause c = stack_find_cause(row, NULL);
	struct stack_loss out = {.row = CHARGE_ROWS};
	for (unsigned i = CHARGE_SLOT; i < CHARGE_CPI; i++)
		out.held += row[i];
	if (!c.slots || (NAMED * c.slots < slots && 2 * out.held <= slots))
		return out;
	if (c.remedy && !what_if_applies(cfg, c.remedy)) {
		const struct stack_cause other = stack_find_cause(row, cfg);
		if (SHORTENED * other.slots >= c.slots)
			c = other;
	}
	out.row = c.most;
	out.slots = stack_cause_has_row(&c, CHARGE_SLOT + SLOT_wrong_path) ? c.slots : row[c.most];
	return out;
}

char *stack_lately(const struct session *s, char out[96])
{
	enum { PART = 8, LEAST = 4096, DIFFERS = 6 };
	struct timeline_span span;
	struct timeline_point first, then, now;
	out[0] = 0;
	if (!s->run)
		return out;
	run_timeline(s->run, &span);
	timeline_look(s->machine, &now);
	const uint64_t passed = now.cycle - span.first;
	if (now.cycle < span.first || passed < LEAST)
		return out;
	/* a function of the present alone: a later part of the run, already recorded, has no
	 * effect */
	uint64_t width = 1;
	while (width * TIMELINE_BINS < passed)
		width *= 2;
	if (!run_timeline_at(s->run, span.first, &first) ||
	    !run_timeline_at(s->run, span.first + (passed - passed / PART) / width * width, &then))
		return out;
	uint64_t all = 0, last = 0;
	for (unsigned i = TIMELINE_CPI; i < TIMELINE_WORDS; i++) {
		all += now.count[i] - first.count[i];
		last += now.count[i] - then.count[i];
	}
	double moved = 0; /* twice the share of slots in other rows */
	for (unsigned i = TIMELINE_CPI; all && last && i < TIMELINE_WORDS; i++)
		moved += fabs((double)(now.count[i] - first.count[i]) / (double)all -
		              (double)(now.count[i] - then.count[i]) / (double)last);
	if (moved * DIFFERS >= 2)
		snprintf(out, 96, "; the last %s cycles differ (since -%" PRIu64 ")",
		         GROUPED(now.cycle - then.cycle), now.cycle - then.cycle);
	return out;
}
