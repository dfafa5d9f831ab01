/* Arguments of functions over all their call sites, merged from samples at these (--values
 * args). */
#include "hwviews/reports/value_hints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/values/value_rows.h"

enum { VALUES_MAX = 32, LIST_MAX = 256 };

/* An argument register of a function. */
struct sum {
	const struct symbol *callee;
	unsigned kind, sites, values;
	uint64_t seen;
	double probability; /* the lowest of its lists */
	bool varies;        /* not fixed by the code of every call */
	struct {
		uint64_t value;
		double times;
	} at[VALUES_MAX];
};

struct sums {
	struct sum *at; /* [room], owned */
	size_t count, room;
};

const struct symbol *called_function(const struct session *s, const struct code *c)
{
	if (!inst_pushes_ras(&c->inst) || (inst_flags(&c->inst) & OPF_INDIRECT))
		return NULL;
	const uint64_t to = c->pc + c->prefix + (uint64_t)(int64_t)c->inst.imm;
	const struct symbol *f = program_symbol_at(s->program, to);
	return f && f->code && f->addr == to ? f : NULL;
}

static struct sum *argument_values_intern_sum(struct sums *all, const struct symbol *callee,
                                              unsigned kind)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->at[i].callee == callee && all->at[i].kind == kind)
			return &all->at[i];
	if (all->count == all->room) {
		const size_t room = 2 * all->room + 64;
		struct sum *grown = alloc_resize(all->at, room * sizeof *grown);
		if (!grown)
			return NULL;
		all->at = grown;
		all->room = room;
	}
	struct sum *n = &all->at[all->count++];
	*n = (struct sum){.callee = callee, .kind = kind, .probability = 1};
	return n;
}

/* Values without room count only as seen. */
static void argument_values_add_value(struct sum *to, uint64_t value, double times)
{
	unsigned k = 0;
	while (k < to->values && to->at[k].value != value)
		k++;
	if (k == VALUES_MAX)
		return;
	if (k == to->values) {
		to->at[to->values].value = value;
		to->at[to->values++].times = 0;
	}
	to->at[k].times += times;
}

static bool argument_values_add_hotlist(const struct session *s, const struct hotlists *lists,
                                        uint32_t i, const char *kind, struct sums *all)
{
	struct hot_estimate v[LIST_MAX];
	const struct hotlist_info info = hotlists_info(lists, i);
	struct code c;
	if (!value_list_is_present(s, &info) || !code_at(s, info.pc, &c))
		return true;
	const struct symbol *callee = called_function(s, &c);
	struct sum *to = callee ? argument_values_intern_sum(all, callee, info.kind) : NULL;
	if (!to)
		return !callee;
	const unsigned n = hotlists_top(lists, i, v, LIST_MAX);
	to->sites++;
	to->seen += info.seen;
	to->varies = to->varies || !code_fixes(s, &c, kind);
	if (info.probability < to->probability)
		to->probability = info.probability;
	for (unsigned k = 0; k < n; k++)
		argument_values_add_value(to, v[k].value,
		                          v[k].estimate < (double)info.seen ? v[k].estimate
		                                                            : (double)info.seen);
	return true;
}

/* False: no hint follows. */
static bool argument_values_evaluate_sum(const struct session *s, const struct sum *sum,
                                         const char *kind, struct argument *a)
{
	const struct config *cfg = machine_config(s->machine);
	unsigned top = 0;
	for (unsigned k = 1; k < sum->values; k++)
		if (sum->at[k].times > sum->at[top].times)
			top = k;
	if (sum->sites < 2 || !sum->varies || !sum->values)
		return false;
	const double seen = (double)sum->seen, n = seen * sum->probability,
		     share = sum->at[top].times < seen ? sum->at[top].times / seen : 1;
	struct finding *f = &a->f;
	*a = (struct argument){.sites = sum->sites,
	                       .reg = (unsigned)reg_from_name(strrchr(kind, '.') + 1)};
	*f = (struct finding){
		.kind = sum->kind, .value = sum->at[top].value, .seen = sum->seen, .share = share};
	f->least = share_at_least(share * n, n) - 2 * sqrt((1 - sum->probability) / n);
	f->always = sum->probability >= 1 && f->share > 0.995 && f->least > 0.9;
	if (n < (double)CONFIG(cfg, values_least) ||
	    100 * f->least < (double)CONFIG(cfg, values_invariant) ||
	    !code_at(s, sum->callee->addr, &f->code) || !code_takes(s, sum->callee->addr, a->reg))
		return false;
	const struct function_time t = function_time(s, sum->callee);
	f->time = t.share * share;
	f->executions = t.entered;
	return true;
}

bool arguments_collect(const struct session *s, struct arguments *out, struct err *err)
{
	const struct value_daemon *values = session_values(s, err);
	struct sums all = {0};
	bool ok = true;
	*out = (struct arguments){0};
	if (!values)
		return false;
	const struct hotlists *lists = value_daemon_main(values);
	const struct value_kind *kind = value_daemon_source(values)->kind;
	for (uint32_t i = 0; ok && i < hotlists_count(lists); i++) {
		const char *name = kind[hotlists_info(lists, i).kind].name;
		ok = !kind_is_of(name, "args") || !strchr(name, '.') ||
		     argument_values_add_hotlist(s, lists, i, name, &all);
	}
	out->at = ok ? alloc_bytes((all.count + 1) * sizeof *out->at) : NULL;
	for (size_t i = 0; out->at && i < all.count; i++)
		out->count += argument_values_evaluate_sum(s, &all.at[i], kind[all.at[i].kind].name,
		                                           &out->at[out->count]);
	free(all.at);
	return out->at || err_set(err, "out of memory for the report");
}

void arguments_deinit(struct arguments *a)
{
	free(a->at);
	*a = (struct arguments){0};
}
