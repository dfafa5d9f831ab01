/* The rows that lost cycles are charged to: one cause at a time. In each program all but a few
 * slots must go to one row of the CPI stack, and all rows must add up to commit width times
 * cycles. */
#include "tests/timing/bodies.h"

#include <string.h>

enum { LOADS = 8 };

static void timing_cpi_emit_load_ring(struct program *p, int64_t stride)
{
	p->x[10] = DATA;
	set_ring(p, 64, stride);
	for (int i = 0; i < LOADS; i++)
		emit(p, rv_ld(10, 0, 10));
}

static void csr_reads(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_rdfflags(10));
}

/* Each load reads some bytes of the preceding store, and other bytes from memory. */
static void partial_overlaps(struct program *p, int64_t n)
{
	while (n-- > 0) {
		emit(p, rv_sd(10, 0, X_DATA));
		emit(p, rv_ld(10, 4, X_DATA));
	}
}

static const char *const rows[] = {
	"cpi.base",       "cpi.frontend",   "cpi.icache",       "cpi.bad_speculation",
	"cpi.dependency", "cpi.l1d",        "cpi.l2",           "cpi.memory",
	"cpi.tlb",        "cpi.structural", "cpi.memory_order", "cpi.serial",
};

void group_cpi(struct bench *b)
{
	static const struct {
		const char *options;
		body_fn *body;
		int64_t arg;
		const char *row;
	} programs[] = {
		{"lat.idiv=40", div_chain, 8, "cpi.dependency"},
		{"fu.imuldiv=1 occ.idiv=40 lat.idiv=1", bodies_emit_divs, 8, "cpi.structural"},
		{"l1d.latency=40", timing_cpi_emit_load_ring, 0, "cpi.l1d"},
		{"l1d.size=1K l2.latency=40", timing_cpi_emit_load_ring, 64, "cpi.l2"},
		{"l1d.size=256 l2.size=1K", timing_cpi_emit_load_ring, 64, "cpi.memory"},
		{"dtlb.sets=1", timing_cpi_emit_load_ring, 8192 + 64, "cpi.tlb"},
		{"bpred.kind=nottaken bpred.penalty=20", bodies_emit_taken_branches, 8,
	         "cpi.bad_speculation"},
		{"btb.sets=0 l1i.latency=20", bodies_emit_jumps, 8, "cpi.frontend"},
		{"l1i.size=512 l2.latency=40", bodies_emit_code, 1024, "cpi.icache"},
		{"pipe.commit_delay=4", csr_reads, 8, "cpi.serial"},
	};
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		const char *options = with("pipe.commit_width=1 %s", programs[i].options);
		int64_t cycles = rounds(b, "wide", options, programs[i].body, programs[i].arg),
			sum = 0, lost = 0, own = 0;
		for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
			int64_t slots = rounds_stat(b, "wide", options, programs[i].body,
			                            programs[i].arg, rows[r]);
			sum += slots;
			lost += r ? slots : 0;
			if (!strcmp(rows[r], programs[i].row))
				own = slots;
		}
		check(b, "cpi", options, "rows add up to the cycles", cycles, sum);
		check_within(b, "cpi", options, with("lost slots under %s", programs[i].row),
		             lost - lost / 8, lost, own);
	}
	/* A cycle that commits a store and the load before it loses its third slot to the load after
	 * it. At the round's end the loop's own two instructions commit with the load, and the
	 * store, which commits alone, loses two. */
	check(b, "cpi", "pipe.commit_width=3", "8 partial overlaps: slots under cpi.memory_order",
	      (7 + 2) * ROUNDS,
	      rounds_stat(b, "wide", "pipe.commit_width=3", partial_overlaps, 8,
	                  "cpi.memory_order"));
}
