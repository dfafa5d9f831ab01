#include "core/run/phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/machine/run_blocks.h"

/* ---- vectors ---- */
enum { BLOCKS = 4096 }; /* initially; a power of two */

struct block {
	uint64_t pc; /* pc + 1 of the branch or jump at its end; 0: none */
	uint64_t insts;
	float to[PHASE_DIMS];
};

struct collector {
	struct phases *p;
	struct block *block; /* owned; [mask + 1] */
	size_t mask, used;
	uint64_t last;       /* instructions before the block's first */
	bool failed;
};

/* Projects a block onto each dimension by a pseudo-random factor from -1 to 1. */
static void phases_project_block(struct block *b)
{
	uint64_t random = b->pc;
	for (int d = 0; d < PHASE_DIMS; d++)
		b->to[d] = (float)((double)(hash_splitmix64_next(&random) >> 11) /
		                           (double)(UINT64_C(1) << 52) -
		                   1);
}

static struct block *phases_find_block_slot(struct block *table, size_t mask, uint64_t pc)
{
	uint64_t random = pc;
	size_t i = (size_t)hash_splitmix64_next(&random) & mask;
	while (table[i].pc && table[i].pc != pc + 1)
		i = (i + 1) & mask;
	return &table[i];
}

static bool phases_grow_blocks(struct collector *c)
{
	const size_t mask = c->mask * 2 + 1;
	struct block *more = alloc_zeroed(mask + 1, sizeof *more);
	if (!more)
		return false;
	for (size_t i = 0; i <= c->mask; i++)
		if (c->block[i].pc)
			*phases_find_block_slot(more, mask, c->block[i].pc - 1) = c->block[i];
	free(c->block);
	c->block = more;
	c->mask = mask;
	return true;
}

static void phases_on_block(void *ctx, uint64_t pc, uint64_t insts)
{
	struct collector *c = ctx;
	struct block *b = phases_find_block_slot(c->block, c->mask, pc);
	if (!b->pc) {
		if (c->used * 2 > c->mask) {
			c->failed |= !phases_grow_blocks(c);
			b = phases_find_block_slot(c->block, c->mask, pc);
		}
		if (c->failed)
			return;
		b->pc = pc + 1;
		phases_project_block(b);
		c->used++;
	}
	b->insts += insts + 1 - c->last;
	c->last = insts + 1;
}

/* Adds the vector of the blocks executed, and starts a new interval. */
static bool close_interval(struct collector *c, uint64_t insts)
{
	struct phases *p = c->p;
	struct interval_vector *more =
		alloc_grow(p->interval, p->count, &p->cap, sizeof *more, 256);
	if (!more)
		return false;
	p->interval = more;
	struct interval_vector *v = &p->interval[p->count++];
	*v = (struct interval_vector){.insts = insts};
	for (size_t i = 0; i <= c->mask; i++) {
		struct block *b = &c->block[i];
		for (int d = 0; b->insts && d < PHASE_DIMS; d++)
			v->at[d] += (double)b->insts / (double)insts * (double)b->to[d];
		b->insts = 0;
	}
	return true;
}

bool phases_collect(struct phases *p, struct machine *m, uint64_t interval, uint64_t most)
{
	struct collector c = {.p = p, .mask = BLOCKS - 1};
	c.block = alloc_zeroed(BLOCKS, sizeof *c.block);
	bool ok = c.block;
	for (uint64_t done = 0; ok && done < most;) {
		const uint64_t n = most - done < interval ? most - done : interval,
			       ran = machine_run_blocks(m, n, phases_on_block, &c);
		done += ran;
		ok = !c.failed && (!ran || close_interval(&c, ran));
		if (ran < n)
			break;
	}
	free(c.block);
	return ok;
}

/* ---- k-means ---- */
static double phases_distance_squared(const double *a, const double *b)
{
	double sum = 0;
	for (int d = 0; d < PHASE_DIMS; d++)
		sum += (a[d] - b[d]) * (a[d] - b[d]);
	return sum;
}

static double phases_nearest_mean(const double mean[][PHASE_DIMS], unsigned k, const double *at,
                                  uint32_t *which)
{
	double least = INFINITY;
	for (unsigned i = 0; i < k; i++) {
		const double d = phases_distance_squared(mean[i], at);
		if (d < least) {
			least = d;
			*which = i;
		}
	}
	return least;
}

/* Chooses initial means: intervals, each with a probability that grows with its distance from the
 * previous ones (Arthur and Vassilvitskii, k-means++, 2007). Returns how many differ. */
static unsigned phases_seed_means(const struct phases *p, double mean[][PHASE_DIMS], unsigned k,
                                  uint64_t seed)
{
	size_t next = (size_t)(hash_splitmix64_next(&seed) % p->count);
	unsigned n = 0;
	for (;;) {
		memcpy(mean[n++], p->interval[next].at, sizeof *mean);
		double all = 0;
		uint32_t which = 0;
		for (size_t i = 0; i < p->count; i++)
			all += phases_nearest_mean(mean, n, p->interval[i].at, &which);
		if (n == k || all <= 0)
			return n;
		double left = (double)(hash_splitmix64_next(&seed) >> 11) /
		              (double)(UINT64_C(1) << 53) * all;
		for (size_t i = 0; i < p->count; i++) {
			const double d = phases_nearest_mean(mean, n, p->interval[i].at, &which);
			if (d > 0)
				next = i;
			left -= d;
			if (left < 0 && d > 0)
				break;
		}
	}
}

/* Moves each mean to that of its intervals; an empty phase keeps its mean. */
static void move_means(const struct phases *p, double mean[][PHASE_DIMS], unsigned k)
{
	double sum[PHASES_MAX][PHASE_DIMS] = {{0}}, all[PHASES_MAX] = {0};
	for (size_t i = 0; i < p->count; i++) {
		const double w = (double)p->interval[i].insts;
		all[p->phase[i]] += w;
		for (int d = 0; d < PHASE_DIMS; d++)
			sum[p->phase[i]][d] += w * p->interval[i].at[d];
	}
	for (unsigned j = 0; j < k; j++)
		for (int d = 0; d < PHASE_DIMS && all[j] > 0; d++)
			mean[j][d] = sum[j][d] / all[j];
}

/* Assigns intervals to their nearest mean. True if any has changed its phase. */
static bool phases_assign_intervals(struct phases *p, const double mean[][PHASE_DIMS], unsigned k)
{
	bool changed = false;
	for (size_t i = 0; i < p->count; i++) {
		uint32_t which = 0;
		(void)phases_nearest_mean(mean, k, p->interval[i].at, &which);
		changed |= p->phase[i] != which;
		p->phase[i] = which;
	}
	return changed;
}

/* Drops empty phases, and chooses the interval that represents each other one. */
static void phases_choose_middles(struct phases *p, const double mean[][PHASE_DIMS], unsigned k)
{
	double all = 0;
	uint32_t number[PHASES_MAX];
	p->k = 0;
	for (unsigned j = 0; j < k; j++) {
		double least = INFINITY, weight = 0, squares = 0;
		for (size_t i = 0; i < p->count; i++) {
			if (p->phase[i] != j)
				continue;
			const double d = phases_distance_squared(mean[j], p->interval[i].at);
			weight += (double)p->interval[i].insts;
			squares += d * (double)p->interval[i].insts;
			if (d < least) {
				least = d;
				p->middle[p->k] = i;
			}
		}
		number[j] = p->k;
		if (weight <= 0)
			continue;
		p->spread[p->k] = sqrt(squares / weight);
		p->weight[p->k++] = weight;
		all += weight;
	}
	for (unsigned j = 0; j < p->k; j++)
		p->weight[j] /= all;
	for (size_t i = 0; i < p->count; i++)
		p->phase[i] = number[p->phase[i]];
}

bool phases_group(struct phases *p, unsigned k, uint64_t seed)
{
	enum { ROUNDS = 200 };
	double mean[PHASES_MAX][PHASE_DIMS];
	p->k = 0;
	if (!p->count)
		return true;
	uint32_t *phase = alloc_resize(p->phase, p->count * sizeof *phase);
	if (!phase)
		return false;
	p->phase = phase;
	memset(phase, 0xff, p->count * sizeof *phase);
	k = phases_seed_means(p, mean, k < PHASES_MAX ? k : PHASES_MAX, seed);
	for (int i = 0; phases_assign_intervals(p, mean, k) && i < ROUNDS; i++)
		move_means(p, mean, k);
	phases_choose_middles(p, mean, k);
	return true;
}

void phases_deinit(struct phases *p)
{
	free(p->interval);
	free(p->phase);
	*p = (struct phases){0};
}
