#include "hwviews/why/spent.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/grid/order.h"
#include "hwviews/session/view_text.h"
#include "loader/demangle.h"
#include "loader/dwarf/inlined.h"

/* The first two causes are for code that loses little; the last for all rows not listed, which are
 * the profilers'. */
static const struct spent_cause spent_causes[] = {
	{"retired", "commits without waiting", "fewer instructions, or a wider machine"},
	{"retired", "commits, and waits little", "fewer instructions, or a wider machine"},
	{"wrong_path branch_refill", "restarts after wrong predictions",
	 "make the branch predictable, or compute without it"},
	{"replayed replay_refill", "repeats loads that passed a store",
	 "don't read soon what was just written"},
	{"misfetch", "waits for targets of jumps", "fewer jumps and calls, or a larger BTB"},
	{"fetch_taken", "waits: taken branches end fetch",
	 "fewer taken branches, or a wider fetch"},
	{"fetch_line", "waits: ends of lines end fetch",
	 "hot code at the beginnings of lines, or longer lines of L1I"},
	{"fetch_width", "waits for fetch's width", "fewer instructions, or a wider fetch"},
	{"decode_width", "waits for decode's width", "fewer instructions, or a wider decode"},
	{"fetch_queue", "waits: its fetch queue was full", "a longer fetch queue"},
	{"fetch_fill", "waits for fetched code", "longer straight code: fewer taken branches"},
	{"fetch_port", "waits for code at the one port", "fewer loads and stores"},
	{"icache_l2 icache_memory", "waits for code from the caches",
	 "less code, or hot code side by side"},
	{"unit_int", "waits for an integer unit", "fewer integer operations, or more units"},
	{"unit_imuldiv unit_div", "waits to multiply or divide",
	 "fewer divisions and multiplications: shifts, masks, tables"},
	{"unit_fadd", "waits to add in FP", "fewer FP additions, or more units"},
	{"unit_fmuldiv", "waits to multiply or divide in FP",
	 "fewer divisions and roots: multiply by the inverse"},
	{"unit_mem", "waits for a memory port", "fewer loads and stores: keep values in registers"},
	{"issue_width", "waits for issue's width", "fewer instructions, or a wider issue"},
	{"write_port", "waits for a write port", "fewer results in one cycle, or more ports"},
	{"commit_width", "waits for commit's width", "fewer instructions, or a wider commit"},
	{"register_write early_branch latency_int latency_imuldiv latency_fadd latency_fmuldiv",
	 "computes a chain of results",
	 "shorter chains: independent work in each iteration"},
	{"in_order", "waits its turn to issue", "the ready work first, then what needs results"},
	{"commit_delay", "waits for older ones to commit", "fewer atomics and fences"},
	{"serial os_switch", "waits for system calls", "fewer, larger system calls"},
	{"forward", "waits for data of older stores", "keep values in registers"},
	{"store_order", "waits for older stores", "don't read soon what was just written"},
	{"itlb dtlb", "waits for address translation", "code and data on fewer pages"},
	{"l1d", "waits for L1D", "keep values in registers, load earlier"},
	{"l2 l2_held", "waits for L2", "smaller data, read in order: fewer pointers to follow"},
	{"memory bus", "waits for memory", "smaller data, read in order; prefetch"},
	{"l1d_port mshr write_buffer", "waits for a port or full queue",
	 "fewer loads and stores that miss"},
	{"profile_dropped profile_wait profile_fetch", "is profiled", "switch the profiler off"},
};

const struct spent_cause *spent_cause_at(unsigned i)
{
	return i < sizeof spent_causes / sizeof *spent_causes ? &spent_causes[i] : NULL;
}

static const struct spent_cause *spent_cause_of(const char *row)
{
	const size_t n = sizeof spent_causes / sizeof *spent_causes;
	for (size_t i = 0; i < n; i++)
		if (what_if_has_row(spent_causes[i].rows, row))
			return &spent_causes[i];
	return &spent_causes[n - 1];
}

/* Places with less than 1/100 of all slots are not listed. */
enum { SPENT_LEAST = 100 };

/* A place, and its dispatch slots by row. */
struct spent_sum {
	struct code_place at;
	uint64_t pc;
	int64_t slots, most; /* most: the largest slots of one instruction, at pc */
	int64_t row[CHARGE_CPI];
};

ORDER(spent_by_place, struct spent_sum, code_place_compare(&a->at, &b->at) ?: UP(pc))
ORDER(spent_by_slots, struct spent_sum,
	(a->slots < b->slots) - (a->slots > b->slots) ?: UP(pc))
/* Of places whose shares are shown alike, the one that loses more is first. */
ORDER(spent_by_share, struct spent_place, (round(100 * a->share) < round(100 * b->share)) -
	(round(100 * a->share) > round(100 * b->share)) ?:
	(a->lost < b->lost) - (a->lost > b->lost) ?: UP(pc))

static void spent_fill_place(const struct spent_sum *sum, double all, const struct config *cfg,
                             struct spent_place *out)
{
	const struct stack_loss loss = stack_largest_loss(sum->row, sum->slots, cfg);
	*out = (struct spent_place){.at = sum->at, .pc = sum->pc};
	out->cause = loss.row < CHARGE_ROWS ? spent_cause_of(stack_row_name(loss.row))
	                                    : &spent_causes[10 * loss.held > sum->slots];
	out->lost = (double)loss.slots / all;
	out->share = (double)sum->slots / all;
}

/* Sums instructions of one place; returns the number of places. */
static size_t spent_join(struct spent_sum *sum, size_t n)
{
	size_t places = 0;
	sort_stable(sum, n, sizeof *sum, spent_by_place);
	for (size_t i = 0; i < n; i++) {
		struct spent_sum *last = places ? &sum[places - 1] : NULL;
		if (!last || code_place_compare(&last->at, &sum[i].at)) {
			sum[places++] = sum[i];
			continue;
		}
		last->slots += sum[i].slots;
		for (unsigned k = 0; k < CHARGE_CPI; k++)
			last->row[k] += sum[i].row[k];
		if (sum[i].most > last->most) {
			last->most = sum[i].most;
			last->pc = sum[i].pc;
		}
	}
	sort_stable(sum, places, sizeof *sum, spent_by_slots);
	return places;
}

struct spent_shares {
	struct spent_sum *sum; /* [count] */
	size_t count;
};

static void spent_put_share(void *ctx, const struct stack_share *one)
{
	struct spent_shares *all = ctx;
	struct spent_sum *sum = &all->sum[all->count++];
	*sum = (struct spent_sum){.at = one->at, .pc = one->pc, .slots = one->slots,
	                          .most = one->slots};
	memcpy(sum->row, one->row, sizeof sum->row);
}

bool spent_find(const struct session *s, struct spent *out)
{
	struct hot_profile p;
	if (!hot_last(s, &p) || p.from == p.to)
		return false;
	*out = (struct spent){.from = p.from, .to = p.to};
	struct spent_sum *sum = alloc_zeroed(p.charge_count + 1, sizeof *sum);
	struct spent_shares shares = {sum, 0};
	if (!sum)
		return false;
	for (size_t i = 0; i < p.count; i++)
		out->insts += p.insts[i].executed;
	stack_each_share(s, &p, spent_put_share, &shares);
	const size_t places = shares.count ? spent_join(sum, shares.count) : 0;
	bool own = false;
	const int64_t all = (int64_t)((p.to - p.from) * stack_kind_of(s, false).width);
	for (size_t i = 0; i < places; i++)
		own = own || (sum[i].at.file && SPENT_LEAST * sum[i].slots >= all);
	for (size_t i = 0; i < places; i++) {
		struct spent_place one;
		spent_fill_place(&sum[i], (double)all, machine_config(s->machine), &one);
		if (out->count < SPENT_PLACES && (!own || one.at.file) &&
		    SPENT_LEAST * one.share >= 1) {
			out->place[out->count++] = one;
			continue;
		}
		out->others += one.share;
		if (one.share > out->other.share)
			out->other = one;
	}
	free(sum);
	sort_stable(out->place, out->count, sizeof *out->place, spent_by_share);
	return true;
}

/* The cycles to count, and the first one not in the profile yet. False: none, or no history. */
static bool spent_goal_region(const struct session *s, struct region *r, uint64_t *at)
{
	struct run_history h;
	struct hot_profile p;
	if (!s->run || !s->hot)
		return false;
	run_history(s->run, &h);
	*r = (struct region){.given = true, .from = h.first_cycle, .to = h.newest_cycle};
	const bool known = hot_last(s, &p);
	if (r->to - r->from > SPENT_WHOLE) {
		const bool on = known && p.from > r->from && p.from < r->to && p.to <= r->to &&
		                r->to - p.from <= 2 * SPENT_RECENT;
		r->from = on ? p.from : r->to - SPENT_RECENT;
	}
	*at = known && p.from == r->from && p.to <= r->to ? p.to : r->from;
	return r->from < r->to;
}

bool spent_gather(const struct session *s, uint64_t most, bool *done, struct err *err)
{
	struct hot_profile p;
	struct region r;
	uint64_t at;
	*done = true;
	if (!spent_goal_region(s, &r, &at))
		return true;
	if (r.to - at > most) {
		r.to = at + most;
		*done = false;
	}
	return at == r.to || hot_take(s, &r, &p, err);
}

double spent_counted(const struct session *s)
{
	struct region r;
	uint64_t at;
	return spent_goal_region(s, &r, &at) ? (double)(at - r.from) / (double)(r.to - r.from) : 1;
}

/* ---- going there ---- */
/* The slots that an instruction of a place used or held, including those of code that it called. If
 * `waits`: only the slots in which it was next to commit, 0 for code inlined there. */
static uint64_t spent_slots(const struct session *s, const struct hot_profile *p,
                            const struct hot_inst *e, bool waits)
{
	const struct caller *c = hot_caller(p, e->pc);
	struct source_line at;
	if (!waits)
		return e->executed + e->lost - e->called + (c ? c->slots : 0);
	const bool inlined = e->at.file && program_line_at(s->program, e->pc, &at) &&
	                     (at.line != e->at.line || strcmp(at.file, e->at.file) != 0);
	return inlined ? 0 : e->lost;
}

/* Addresses of a place's instructions that have at least a tenth of its largest's slots. */
static size_t spent_insts(const struct session *s, const struct spent_place *place, bool waits,
                          uint64_t pcs[SPENT_INSTS])
{
	enum { PART = 10 };
	struct hot_profile p;
	uint64_t most = 0;
	size_t n = 0;
	for (bool counts = false; hot_last(s, &p); counts = true) {
		for (size_t i = 0; i < p.count && n < SPENT_INSTS; i++) {
			const struct hot_inst *e = &p.insts[i];
			const uint64_t slots = spent_slots(s, &p, e, waits);
			if (code_place_compare(&e->at, &place->at))
				continue;
			if (!counts)
				most = slots > most ? slots : most;
			else if (slots && PART * slots >= most)
				pcs[n++] = e->pc;
		}
		if (counts)
			break;
	}
	return n;
}

size_t spent_goal(const struct session *s, const struct spent_place *place,
                  uint64_t pcs[SPENT_INSTS], uint64_t *cycle)
{
	struct run_history h;
	const size_t all = spent_insts(s, place, false, pcs);
	run_history(s->run, &h);
	if (!hot_densest(s, pcs, all, cycle))
		*cycle = h.newest_cycle;
	const size_t own = spent_insts(s, place, true, pcs);
	return own ? own : spent_insts(s, place, false, pcs);
}

bool spent_measured(const struct session *s, struct region *out)
{
	struct spent all;
	struct run_history h;
	uint64_t pcs[SPENT_INSTS], middle;
	if (!spent_find(s, &all) || !all.count)
		return false;
	run_history(s->run, &h);
	spent_goal(s, &all.place[0], pcs, &middle);
	*out = (struct region){.given = true, .from = h.first_cycle, .to = h.newest_cycle};
	if (middle > out->from + SLOW_CYCLES / 2)
		out->from = middle - SLOW_CYCLES / 2;
	if (out->to - out->from > SLOW_CYCLES)
		out->to = out->from + SLOW_CYCLES;
	snprintf(out->text, sizeof out->text, "cycles %s to %s", GROUPED(out->from),
	         GROUPED(out->to));
	return out->from < out->to;
}

char *spent_where(const struct session *s, const struct spent_place *p, char *buf, size_t n)
{
	const struct symbol *sym = program_symbol_at(s->program, p->pc);
	char name[DEMANGLED_MAX];
	const char *inner = p->at.file ? inlined_name_of_line(s->program, p->pc, p->at.file,
	                                                      p->at.line, name, sizeof name)
	                               : NULL;
	char brief[DEMANGLED_MAX];
	const char *function = name_short(inner ? inner : sym ? sym->name : "", brief);
	if (p->at.file)
		snprintf(buf, n, "%s%s%s:%u", function, *function ? ", " : "",
		         file_base_name(p->at.file), p->at.line);
	else if (*function)
		snprintf(buf, n, "%s", function);
	else
		snprintf(buf, n, "function 0x%" PRIx64, p->at.first);
	return buf;
}

char *spent_sentence(const struct session *s, const struct spent_place *p, char *buf, size_t n)
{
	char where[256], lost[64] = "";
	if (200 * p->lost >= 1)
		snprintf(lost, sizeof lost, "for %.0f %% ", 100 * p->lost);
	snprintf(buf, n, "%.0f %% of the time is in %s; %sit %s", 100 * p->share,
	         spent_where(s, p, where, sizeof where), lost, p->cause->doing);
	return buf;
}
