/* Ports and registers that are few: of the register files, of L1D, of L2, and L2's miss registers.
 * The time of a loop of many accesses follows from how many begin in a cycle; the waits of
 * simultaneous ones follow from their places in the queue, 0 + 1 + 2 + ... */
#include "core/defs/stats_fields.h"
#include "tests/timing/encode.h"
#include "tests/timing/harness.h"

#include "core/isa/regs.h"
#include "core/pipe/memory/cache.h"

#include <stdlib.h>

enum { CROWD = 8, WAITS = CROWD * (CROWD - 1) / 2 };

/* ---- throughput ---- */
static void ports_emit_additions(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_add(11, 10, 10));
}

static void fp_additions(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_fadd(11, F_ONE, F_ONE));
}

/* Half loads, half stores, each store to a line of its own. */
static void ports_emit_loads_and_stores(struct program *p, int64_t n)
{
	for (int32_t i = 0; i < n / 2; i++) {
		emit(p, rv_ld(11, 8 * i, X_DATA));
		emit(p, rv_sd(10, 256 + 64 * i, X_DATA));
	}
}

/* 256 lines, more than the window has instructions: no line is accessed while in flight. */
static void ports_emit_line_walk(struct program *p, int64_t groups)
{
	p->x[15] = 32 * 64;
	emit(p, rv_add(12, X_DATA, 0));
	while (groups-- > 0) {
		for (int32_t i = 0; i < 32; i++)
			emit(p, rv_ld(11, 64 * i, 12));
		emit(p, rv_add(12, 12, 15));
	}
}

static void ports_check_throughput(struct bench *b)
{
	for (int ports = 1; ports <= 8; ports *= 2) {
		/* The loop's own addition takes a port, too; its branch writes nothing. */
		check_rounds(b, "pipe.int_writes", "wide", with("pipe.int_writes=%d", ports),
		             ports_emit_additions, 31, "31 additions and the loop's", 32 / ports);
		check_rounds(b, "pipe.fp_writes", "wide", with("pipe.fp_writes=%d", ports),
		             fp_additions, 32, "32 additions", 32 / ports);
	}
	for (int ports = 1; ports <= 4; ports *= 2) {
		if (ports < 4) /* with more, stores wait for their turn to commit */
			check_rounds(b, "l1d.ports", "wide", with("l1d.ports=%d", ports),
			             ports_emit_loads_and_stores, 32, "16 loads and 16 stores",
			             32 / ports);
		check_rounds(b, "l2.ports", "wide", with("l1d.size=256 l2.ports=%d", ports),
		             ports_emit_line_walk, 8, "256 loads from L2", 256 / ports);
		for (int latency = 50; latency <= 100; latency += 50)
			check_rounds(b, "l2.mshrs", "small caches",
			             with("mem.latency=%d l2.mshrs=%d", latency, ports),
			             ports_emit_line_walk, 8, "256 loads from memory",
			             256 * (latency + 1) / ports);
	}
}

/* ---- loads ready in one cycle ---- */
/* Loads that become ready when the first load's line arrives: all from that line, or each from
 * another line. */
static void ports_emit_crowd(struct program *p, int64_t stride)
{
	p->x[6] = 1;
	emit(p, rv_ld(5, 0, X_DATA));
	emit(p, rv_divu(12, 5, 6));
	emit(p, rv_add(13, X_DATA, 12));
	for (int32_t i = 0; i < CROWD; i++)
		emit(p, rv_ld(14, stride ? (int32_t)stride * (i + 1) : 8 * (i % 4), 13));
}

static void ports_check_crowds(struct bench *b)
{
	check(b, "l1d.ports", "l1d.ports=1", "refusals of 8 loads at once", WAITS,
	      whole_run(b, "wide", "l1d.ports=1", ports_emit_crowd, 0, 1, "l1d.port_waits"));
	check(b, "l2.ports", "l2.ports=1", "cycles that 8 misses at once wait", WAITS,
	      whole_run(b, "wide", "l2.ports=1", ports_emit_crowd, 64, 1, "l2.port_waits"));
	for (int registers = 1; registers <= 2; registers++) {
		const char *options = with("l1i.perfect=true l2.mshrs=%d", registers);
		check(b, "l2.mshrs", options, "cycles that 8 misses at once wait",
		      registers == 1 ? WAITS * 101
		                     : 2 * (1 + 2 + 3) * 101 +
		                               3, /* the bus brings one of two a cycle later */
		      whole_run(b, "wide", options, ports_emit_crowd, 64, 1, "l2.mshr_waits"));
	}
}

/* ---- write ports, by stamps ---- */
enum { UOPS = 200, MIXED = 60 };

/* Loads that hit among chains and crowds of additions. */
static struct program *ports_build_mixed_program(void)
{
	struct program *p = program_new();
	p->x[6] = 1;
	emit(p, rv_ld(5, 0, X_DATA));
	emit(p, rv_divu(12, 5, 6));
	emit(p, rv_add(13, X_DATA, 12));
	for (unsigned i = 0; i < MIXED; i++) {
		if (i % 4 == 0)
			emit(p, rv_ld(14 + i / 4 % 4, 8 * (int32_t)(i % 3), 13));
		else
			emit(p, rv_add(20 + i % 5, i % 3 ? 20 + (i + 1) % 5 : 13, 13));
	}
	emit_exit(p);
	return p;
}

static void ports_check_stamps(struct bench *b, int ports)
{
	static struct uop uops[UOPS];
	struct program *p = ports_build_mixed_program();
	const char *options = with("pipe.int_writes=%d", ports);
	const unsigned n = trace(b, "wide", options, p, uops, UOPS);
	int64_t most = 0, late = 0;
	for (unsigned i = 0; i < n; i++) {
		if (uops[i].state != UOP_RETIRED || uops[i].inst.rd >= REG_F0)
			continue;
		int64_t together = 0;
		for (unsigned k = 0; k < n; k++)
			together += uops[k].state == UOP_RETIRED && uops[k].inst.rd < REG_F0 &&
			            uops[k].when.done == uops[i].when.done;
		most = together > most ? together : most;
		/* All but the first hit, in 2 cycles. */
		if ((uops[i].op_flags & OPF_LOAD) && uops[i].mem.level == LEVEL_L1)
			late += (int64_t)(uops[i].when.done - uops[i].when.mem) - 2;
	}
	check(b, "pipe.int_writes", options, "results in a cycle, at most", ports, most);
	struct machine *m = machine_for(b, "wide", options, p);
	machine_run(m, 100000, UINT64_MAX);
	check(b, "lsq.write_ports", options, "cycles that loads waited", late,
	      (int64_t)machine_stats(m)->load_ports);
	check(b, "lsq.write_ports", options, "some did", 1, late > 0);
	machine_free(m);
	free(p);
}

void group_ports(struct bench *b)
{
	ports_check_throughput(b);
	ports_check_crowds(b);
	for (int ports = 1; ports <= 3; ports++)
		ports_check_stamps(b, ports);
}
