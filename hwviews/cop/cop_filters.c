#include "hwviews/cop/cop_filters.h"

#include <string.h>

#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "hwviews/program/code_lines.h"

struct surveyor {
	const struct session *s;
	const struct prof *d;
	const struct cop_state *st;
	struct filter_survey *out;
};

static bool cop_filters_is_masked(const struct surveyor *v, enum cop_table t, uint64_t pc)
{
	return (v->st->tables >> t & 1) && cop_masks(v->d, t, pc);
}

/* The region with this value; added if missing and there is room, else NULL. */
static struct filter_region *cop_filters_intern_region(struct filter_survey *out, uint64_t value)
{
	unsigned at = 0;
	while (at < out->region_count && out->regions[at].value < value)
		at++;
	if (at < out->region_count && out->regions[at].value == value)
		return &out->regions[at];
	if (out->region_count == FILTER_REGIONS) {
		out->more_regions = true;
		return NULL;
	}
	memmove(&out->regions[at + 1], &out->regions[at],
	        (out->region_count - at) * sizeof *out->regions);
	out->region_count++;
	out->regions[at] = (struct filter_region){.value = value};
	return &out->regions[at];
}

static void cop_filters_count_pc(const struct surveyor *v, uint64_t pc,
                                 struct filter_counts *function)
{
	const uint64_t value = cop_region_hash(pc, v->st->shift) & v->st->mask;
	const bool high = cop_filters_is_masked(v, COP_TABLE_HIGH, pc),
		   low = !high && cop_filters_is_masked(v, COP_TABLE_LOW, pc),
		   here = value == v->st->match;
	struct filter_region *region = cop_filters_intern_region(v->out, value);
	struct filter_counts *to[] = {&v->out->all, function, region ? &region->n : NULL};
	for (unsigned i = 0; i < 3 && to[i]; i++) {
		const bool elsewhere = !i && !here;
		to[i]->elsewhere += elsewhere;
		to[i]->high += !elsewhere && high;
		to[i]->low += !elsewhere && low;
		to[i]->tagged += !elsewhere && !high && !low;
	}
}

static void keep_function(struct filter_survey *out, uint64_t addr, const struct filter_counts *n)
{
	unsigned at = FILTER_FUNCTIONS;
	if (!(n->high + n->low))
		return;
	out->function_count++;
	while (at &&
	       (!out->functions[at - 1].addr ||
	        out->functions[at - 1].n.high + out->functions[at - 1].n.low < n->high + n->low))
		at--;
	if (at == FILTER_FUNCTIONS)
		return;
	memmove(&out->functions[at + 1], &out->functions[at],
	        (FILTER_FUNCTIONS - at - 1) * sizeof *out->functions);
	out->functions[at] = (struct filter_function){addr, *n};
}

static void survey_function(const struct surveyor *v, uint64_t from, uint64_t to)
{
	struct filter_counts n = {0};
	struct code code;
	for (uint64_t pc = from; pc < to && code_at(v->s, pc, &code); pc += code.len)
		if (v->st->classes >> inst_kind(code.inst.op) & 1)
			cop_filters_count_pc(v, pc + code.prefix, &n);
	keep_function(v->out, from, &n);
}

void filter_survey(const struct session *s, struct filter_survey *out)
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	const struct surveyor v = {s, d, d->cop->st, out};
	size_t n;
	const struct symbol *sym = program_symbols(s->program, &n);
	uint64_t done = 0;
	*out = (struct filter_survey){0};
	for (size_t i = 0; i < n && sym[i].addr < MEM_TOP; i++) {
		if (!sym[i].code || !sym[i].size || sym[i].addr < done)
			continue;
		done = sym[i].addr + sym[i].size;
		survey_function(&v, sym[i].addr, done);
	}
}
