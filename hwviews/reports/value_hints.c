#include "hwviews/reports/value_hints.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/isa/regs.h"
#include "core/prof/profileme/profileme.h"
#include "hwviews/grid/order.h"
#include "hwviews/session/view_text.h"
#include "hwviews/values/value_rows.h"

static const struct prof *devices_of(const struct session *s)
{
	return machine_pipe(s->machine)->prof;
}

double share_at_least(double hits, double n)
{
	const double z = 2, p = n > 0 ? hits / n : 0;
	return n > 0 ? (p + z * z / (2 * n) - z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) /
	                       (1 + z * z / n)
	             : 0;
}

/* ---- time ---- */
static double value_hints_delay_share(const struct prof *d, uint64_t delay)
{
	const uint64_t all = profileme_all_delay(d);
	return all ? (double)delay / (double)all : 0;
}

static double own_time(const struct session *s, uint64_t pc)
{
	const struct profileme_counts *c = profileme_find(devices_of(s), pc);
	return c ? value_hints_delay_share(devices_of(s), c->delay) : 0;
}

static double value_hints_estimate_executions(const struct session *s, uint64_t pc)
{
	const struct profileme_counts *c = profileme_find(devices_of(s), pc);
	return c ? (double)c->fates[PROFILEME_FATE_RETIRED] * profileme_scale(devices_of(s)) : 0;
}

struct function_time function_time(const struct session *s, const struct symbol *f)
{
	const struct prof *d = devices_of(s);
	struct function_time t = {.entered = value_hints_estimate_executions(s, f->addr)};
	uint64_t delay = 0;
	for (uint32_t i = 0; i < profileme_entries(d); i++) {
		uint64_t pc;
		const struct profileme_counts *c = profileme_entry(d, i, &pc);
		if (program_symbol_at(s->program, pc) == f)
			delay += c->delay;
	}
	t.share = value_hints_delay_share(d, delay);
	return t;
}

/* ---- readers of a register ---- */
static bool value_hints_inst_reads_reg(const struct inst *in, unsigned reg)
{
	return in->rs1 == reg || in->rs2 == reg || in->rs3 == reg;
}

/* Places still to visit, and those visited. */
enum { WALK_MAX = 256 };
struct code_walk {
	uint64_t pc[WALK_MAX];
	unsigned count, done;
};

static void value_hints_enqueue_pc(struct code_walk *w, uint64_t pc)
{
	for (unsigned i = 0; i < w->count; i++)
		if (w->pc[i] == pc)
			return;
	if (w->count < WALK_MAX)
		w->pc[w->count++] = pc;
}

/* Adds successors within the function, except of indirect jumps; after a call only if over_calls:
 * the call can't change the register. */
static void walk_behind(struct code_walk *w, const struct code *c, bool over_calls)
{
	const unsigned flags = inst_flags(&c->inst);
	const uint64_t at = c->pc + c->prefix;
	if (inst_pushes_ras(&c->inst)) {
		if (over_calls)
			value_hints_enqueue_pc(w, c->pc + c->len);
		return;
	}
	if (flags & OPF_INDIRECT)
		return;
	if (flags & OPF_CONTROL)
		value_hints_enqueue_pc(w, at + (uint64_t)(int64_t)c->inst.imm);
	if (!(flags & OPF_JUMP))
		value_hints_enqueue_pc(w, c->pc + c->len);
}

/* Retire delays of instructions that read the result of the one at pc, as a share of all. */
static double readers_time(const struct session *s, uint64_t pc)
{
	struct code_walk w = {0};
	struct code c;
	double time = 0;
	if (!code_at(s, pc, &c) || c.inst.rd == REG_SINK)
		return 0;
	const unsigned reg = c.inst.rd;
	walk_behind(&w, &c, false);
	while (w.done < w.count) {
		const uint64_t at = w.pc[w.done++];
		if (!code_at(s, at, &c))
			continue;
		if (at != pc && value_hints_inst_reads_reg(&c.inst, reg))
			time += own_time(s, at);
		if (c.inst.rd != reg)
			walk_behind(&w, &c, false);
	}
	return time;
}

bool code_leads_to(const struct session *s, uint64_t pc, uint64_t to)
{
	struct code_walk w = {0};
	struct code c;
	if (!code_at(s, pc, &c))
		return false;
	walk_behind(&w, &c, true);
	while (w.done < w.count) {
		if (w.pc[w.done] == to)
			return true;
		if (code_at(s, w.pc[w.done++], &c))
			walk_behind(&w, &c, true);
	}
	return false;
}

bool code_takes(const struct session *s, uint64_t entry, unsigned reg)
{
	struct code_walk w = {.pc = {entry}, .count = 1};
	struct code c;
	while (w.done < w.count) {
		if (!code_at(s, w.pc[w.done++], &c))
			continue;
		if (value_hints_inst_reads_reg(&c.inst, reg))
			return true;
		if (c.inst.rd != reg)
			walk_behind(&w, &c, false);
	}
	return false;
}

/* ---- values fixed by the code ---- */
bool code_fixes(const struct session *s, const struct code *c, const char *kind)
{
	struct constants before;
	const char *part = strchr(kind, '.');
	constants_before(s, c->pc, &before);
	if (kind_is_of(kind, "results") || kind_is_of(kind, "halves"))
		return constants_fix_result(s, &before, c);
	if (kind_is_of(kind, "operands"))
		return constants_base(&before, c->inst.rs2) != BASE_UNKNOWN;
	if (kind_is_of(kind, "jumps") || kind_is_of(kind, "addresses"))
		return constants_base(&before, c->inst.rs1) != BASE_UNKNOWN;
	const int reg = part ? reg_from_name(part + 1) : -1;
	return reg >= 0 && constants_base(&before, (unsigned)reg) != BASE_UNKNOWN;
}

/* True for a branch that compares the register with a value fixed by the code. */
static bool value_hints_branch_tests_reg(const struct session *s, const struct code *c,
                                         unsigned reg)
{
	struct constants before;
	if (!(inst_flags(&c->inst) & OPF_BRANCH))
		return false;
	constants_before(s, c->pc, &before);
	return constants_base(&before, c->inst.rs1 == reg ? c->inst.rs2 : c->inst.rs1) ==
	       BASE_NUMBER;
}

bool code_only_tests(const struct session *s, uint64_t pc)
{
	struct code_walk w = {0};
	struct code c;
	bool any = false;
	if (!code_at(s, pc, &c) || c.inst.rd == REG_SINK)
		return false;
	const unsigned reg = c.inst.rd;
	walk_behind(&w, &c, false);
	while (w.done < w.count) {
		const uint64_t at = w.pc[w.done++];
		if (!code_at(s, at, &c))
			continue;
		if (value_hints_inst_reads_reg(&c.inst, reg) &&
		    !value_hints_branch_tests_reg(s, &c, reg))
			return false;
		any = any || value_hints_inst_reads_reg(&c.inst, reg);
		if (c.inst.rd != reg)
			walk_behind(&w, &c, false);
	}
	return any;
}

bool kind_is_of(const char *kind, const char *module)
{
	const size_t n = strlen(module);
	return !strncmp(kind, module, n) && (!kind[n] || kind[n] == '.');
}

/* A return address is invariant when the function has one caller; don't report it. */
static bool is_return(const struct inst *in)
{
	return inst_pops_ras(in) || ((inst_flags(in) & OPF_LOAD) && in->rd == REG_RA);
}

/* ---- collecting ---- */
char *format_line(const struct session *s, uint64_t pc, char *buf, size_t n)
{
	struct source_line line;
	buf[0] = '\0';
	if (!program_line_at(s->program, pc, &line) || !line.line || !line.file)
		return buf;
	const char *base = strrchr(line.file, '/');
	snprintf(buf, n, "%s:%u", base ? base + 1 : line.file, line.line);
	return buf;
}

/* False: the list supports no finding. */
static bool value_hints_evaluate_hotlist(const struct session *s, const struct hotlists *lists,
                                         uint32_t i, struct finding *f)
{
	const struct config *cfg = machine_config(s->machine);
	const struct hotlist_info info = hotlists_info(lists, i);
	struct hot_estimate top;
	if (!value_list_is_present(s, &info) || !hotlists_top(lists, i, &top, 1))
		return false;
	/* Number of values that passed the coin toss of probability p, and so count as evidence. */
	const double n = (double)info.seen * info.probability,
		     kept = top.estimate * info.probability, hits = kept < n ? kept : n;
	*f = (struct finding){.kind = info.kind, .value = top.value, .seen = info.seen,
	                      .share = n > 0 ? hits / n : 0, .least = share_at_least(hits, n)};
	/* Coins are tossed only when there are more values than a list holds, so the value is not
	 * nearly always the same. */
	if (n > 0)
		f->least -= 2 * sqrt((1 - info.probability) / n);
	f->always = info.probability >= 1 && f->share > 0.995 && f->least > 0.9;
	if (n < (double)CONFIG(cfg, values_least) ||
	    100 * f->least < (double)CONFIG(cfg, values_invariant) ||
	    !code_at(s, info.pc, &f->code))
		return false;
	f->own = own_time(s, info.pc);
	f->executions = value_hints_estimate_executions(s, info.pc);
	return true;
}

ORDER(by_time, struct finding, DOWN(time) ?: UP(code.pc) ?: UP(kind))

bool findings_collect(const struct session *s, struct findings *out, struct err *err)
{
	const struct value_daemon *values = session_values(s, err);
	*out = (struct findings){0};
	if (!values)
		return false;
	const struct hotlists *lists = value_daemon_main(values);
	const struct value_source *source = value_daemon_source(values);
	out->lists = hotlists_count(lists);
	out->at = alloc_bytes((out->lists + 1) * sizeof *out->at);
	if (!out->at)
		return err_set(err, "out of memory for the report");
	for (uint32_t i = 0; i < out->lists; i++) {
		struct finding *f = &out->at[out->count];
		if (!value_hints_evaluate_hotlist(s, lists, i, f))
			continue;
		if (is_return(&f->code.inst) || code_fixes(s, &f->code, source->kind[f->kind].name))
			continue;
		f->time = f->own + readers_time(s, f->code.pc);
		out->count++;
	}
	sort_stable(out->at, out->count, sizeof *out->at, by_time);
	return true;
}

void findings_deinit(struct findings *f)
{
	free(f->at);
	*f = (struct findings){0};
}
