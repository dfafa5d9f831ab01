/* A block of profile instructions, round after round, and the table's entry for it. */
#include "tests/xprof/bdt_rounds.h"

#include <stdlib.h>

#include "tests/xprof/model.h"

void as_the_model_says(const struct guest *g, const struct log *l)
{
	struct model *model = model_run(g);
	model_agrees(model, l->m);
	model_agrees_trace(model, l);
	model_free(model);
}

const struct bdt_entry *bdt_entry_of(const struct log *l, uint64_t leader)
{
	return bdt_find(&machine_pipe(l->m)->xprof.bdt, leader);
}

unsigned bdt_entries(const struct log *l)
{
	const struct bdt *t = &machine_pipe(l->m)->xprof.bdt;
	unsigned n = 0;
	for (size_t i = 0; i < ((size_t)t->mask + 1) * t->ways; i++)
		n += t->entry[i].leader != 0;
	return n;
}

uint64_t bdt_adds(struct guest *g, int n)
{
	const uint64_t leader = bench_next_pc(g);
	for (int i = 0; i < n; i++)
		prof(g, 0, rv_addi(16, 16, 1));
	return leader;
}

struct guest *bdt_around(block_fn *block, int arg, uint64_t bits, unsigned rounds, uint64_t *leader)
{
	struct guest *g = guest_new();
	g->x[X_PATTERN] = bits;
	g->x[X_N] = rounds;
	g->x[X_ONE] = 1;
	const uint64_t top = bench_next_pc(g);
	put(g, rv_andi(5, X_PATTERN, 1));
	put(g, rv_srli(X_PATTERN, X_PATTERN, 1));
	put(g, rv_csrw(CSR_PFLAGS, 5));
	nops(g, 40);
	*leader = block(g, arg);
	put(g, rv_addi(15, 15, 1));
	nops(g, 40);
	put(g, rv_addi(X_N, X_N, -1));
	put(g, rv_bne(X_N, 0, (int32_t)(top - bench_next_pc(g))));
	finish(g);
	return g;
}

void bdt_run_until(struct log *l, enum event_id id, uint64_t pc, unsigned n)
{
	while (count(l, id, pc) < n)
		assert_true(machine_step(l->m));
}
