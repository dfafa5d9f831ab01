#include "core/defs/config_fields.h"

#include "hwviews/bakeoff/beliefs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/sampler/sampler_exact.h"
#include "hwviews/bakeoff/flow_beliefs.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/values/value_rows.h"
#include "loader/edit/moved_code.h"
#include "loader/instrument/instrument.h"

const char *const believer_name[BELIEVER_COUNT] = {
#define B(id, name, help) #name,
	BELIEVERS(B)
#undef B
};

/* Adds samples of an instruction to its block. */
static void add_samples(struct beliefs *b, enum believer believer, uint64_t pc, uint64_t samples)
{
	const size_t i = oracle_block_at(b->block, b->n, pc);
	if (i < b->n && samples) {
		b->of[believer][i].insts += (double)samples;
		b->of[believer][i].samples += (double)samples;
	}
}

/* ---- each profiler's counts ---- */
static bool believe_counters(struct beliefs *b, const struct session *s,
                             const struct belief_ways *ways)
{
	(void)ways;
	struct counters c;
	struct moved_code moved;
	if (!program_counters_of(s->program, INSTRUMENT_BB, &c) ||
	    !program_moved_code(s->program, &moved))
		return false;
	for (uint64_t k = 0; k < c.count; k++) {
		uint64_t times = 0;
		if (!machine_peek(s->machine, c.memory + 8 * c.words * k, &times, sizeof times) ||
		    !times)
			continue;
		const size_t i = oracle_block_at(b->block, b->n,
		                                 moved_code_to(&moved, c.all[k].at));
		if (i == b->n)
			continue;
		b->of[BELIEVER_COUNTERS][i].insts += (double)times * b->block[i].length;
		/* c.type < 0: profile instructions, which count only while their flags are on: no
		 * exact count. */
		b->of[BELIEVER_COUNTERS][i].samples += c.type < 0 ? 0 : (double)times;
	}
	return true;
}

static bool believe_values(struct beliefs *b, const struct session *s,
                           const struct belief_ways *ways)
{
	(void)ways;
	struct err none;
	const struct value_daemon *d = session_values(s, &none);
	const struct hotlists *lists = d ? value_daemon_main(d) : NULL;
	for (uint32_t i = 0; lists && i < hotlists_count(lists); i++) {
		const struct hotlist_info info = hotlists_info(lists, i);
		if (!strcmp(value_daemon_source(d)->kind[info.kind].name, "results"))
			add_samples(b, BELIEVER_VALUES, info.pc, info.seen);
	}
	return lists != NULL;
}

static bool believe_profileme(struct beliefs *b, const struct session *s,
                              const struct belief_ways *ways)
{
	(void)ways;
	const struct prof *d = machine_pipe(s->machine)->prof;
	const uint32_t n = profileme_entries(d);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t pc;
		const struct profileme_counts *c = profileme_entry(d, i, &pc);
		add_samples(b, BELIEVER_PROFILEME, pc, c->fates[PROFILEME_FATE_RETIRED]);
	}
	return CONFIG(machine_config(s->machine), profileme);
}

/* Turns the block counts of a profiler into instructions. */
static bool believe_flow(struct beliefs *b, enum believer believer, struct flow_counts *counts,
                         const struct belief_ways *ways)
{
	struct flow_sum *sums = counts ? flow_blocks(ways, counts) : NULL;
	for (size_t i = 0; sums && i < b->n; i++)
		b->of[believer][i] =
			(struct belief){sums[i].times * b->block[i].length, sums[i].samples};
	flow_counts_free(counts);
	free(sums);
	return sums != NULL;
}

static bool believe_sampler(struct beliefs *b, const struct session *s,
                            const struct belief_ways *ways)
{
	const struct sampler_exact *x = sampler_exact_of(machine_pipe(s->machine)->prof);
	return x && believe_flow(b, BELIEVER_SAMPLER, flow_counts_of_sampler(x), ways);
}

static bool believe_cop(struct beliefs *b, const struct session *s, const struct belief_ways *ways)
{
	return believe_flow(b, BELIEVER_COP, flow_counts_of_cop(s), ways);
}

/* ---- all profilers ---- */
static void beliefs_sum_insts(struct beliefs *b)
{
	for (size_t i = 0; i < b->n; i++)
		b->insts += (double)b->block[i].insts;
	for (unsigned believer = 0; believer < BELIEVER_COUNT; believer++) {
		if (!b->on[believer]) {
			free(b->of[believer]);
			b->of[believer] = NULL;
		}
		for (size_t i = 0; b->of[believer] && i < b->n; i++)
			b->sum[believer] += b->of[believer][i].insts;
	}
}

bool beliefs_init(struct beliefs *b, const struct session *s, struct err *err)
{
	const struct oracle *o = oracle_with(s, ORACLE_EDGES, "oracle.blocks=true", err);
	*b = (struct beliefs){0};
	b->block = o ? oracle_blocks(o, &b->n) : NULL;
	if (!b->block)
		return o ? err_set(err, "out of memory for the blocks") : false;
	struct belief_ways *ways = belief_ways_new(o, b->block, b->n);
	bool ok = ways != NULL;
	for (unsigned believer = 0; believer < BELIEVER_COUNT; believer++)
		ok = (b->of[believer] = alloc_zeroed(b->n + 1, sizeof *b->of[believer])) && ok;
	if (!ok) {
		belief_ways_free(ways);
		beliefs_deinit(b);
		return err_set(err, "out of memory for the profilers' estimates");
	}
#define B(id, name, help) b->on[BELIEVER_##id] = believe_##name(b, s, ways);
	BELIEVERS(B)
#undef B
	beliefs_sum_insts(b);
	belief_ways_free(ways);
	return true;
}

void beliefs_deinit(struct beliefs *b)
{
	free(b->block);
	for (unsigned believer = 0; believer < BELIEVER_COUNT; believer++)
		free(b->of[believer]);
	*b = (struct beliefs){0};
}

double beliefs_truth(const struct beliefs *b, size_t block)
{
	return b->insts > 0 ? (double)b->block[block].insts / b->insts : 0;
}

bool beliefs_share(const struct beliefs *b, enum believer believer, size_t block, double *share,
                   double *bar)
{
	if (!b->of[believer] || b->sum[believer] <= 0)
		return false;
	const struct belief *i = &b->of[believer][block];
	*share = i->insts / b->sum[believer];
	/* 1 / samples: a block with all samples still gets an error, as if one sample had missed
	 * it. */
	*bar = i->samples > 0 ? *share * sqrt((1 - *share + 1 / i->samples) / i->samples) : 0;
	return i->insts > 0;
}

double beliefs_error(const struct beliefs *b, enum believer believer)
{
	double differ = 0, share, bar;
	if (!b->of[believer] || b->sum[believer] <= 0)
		return 1;
	for (size_t i = 0; i < b->n; i++)
		differ += fabs(beliefs_truth(b, i) -
		               (beliefs_share(b, believer, i, &share, &bar) ? share : 0));
	return differ / 2;
}
