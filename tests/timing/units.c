/* Functional units: latency, occupancy and number. */
#include "tests/timing/encode.h"
#include "tests/timing/harness.h"

enum unit_op { INT, IMUL, IDIV, FADD, FMUL, FMA, FDIV, FSQRT };

/* Registers 10 and 11 are initially 0: divisions by zero give values like other divisions. */
static uint32_t op_word(enum unit_op op, unsigned rd, unsigned rs)
{
	switch (op) {
	case INT: return rv_add(rd, rs, rs);
	case IMUL: return rv_mul(rd, rs, rs);
	case IDIV: return rv_divu(rd, rs, rs);
	case FADD: return rv_fadd(rd, rs, rs);
	case FMUL: return rv_fmul(rd, rs, rs);
	case FMA: return rv_fma(rd, rs, F_ONE, F_ONE);
	case FDIV: return rv_fdiv(rd, rs, F_ONE);
	case FSQRT: return rv_fsqrt(rd, rs);
	}
	return 0;
}

enum { CHAIN = 8, MANY = 30 };

/* A chain of dependent operations: CHAIN latencies a round. */
static void timing_units_emit_chain(struct program *p, int64_t op)
{
	for (int i = 0; i < CHAIN; i++)
		emit(p, op_word((enum unit_op)op, 10, 10));
}

/* None uses another's result. With the loop's own two, 32 instructions. */
static void timing_units_emit_independent(struct program *p, int64_t op)
{
	for (int i = 0; i < MANY; i++)
		emit(p, op_word((enum unit_op)op, 11, 10));
}

static void timing_units_emit_loads_and_stores(struct program *p, int64_t arg)
{
	(void)arg;
	for (int i = 0; i < MANY / 2; i++) {
		emit(p, rv_ld(11, 8 * i, X_DATA));
		emit(p, rv_sd(10, 256 + 8 * i, X_DATA));
	}
}

/* Classes that share a pool wait for the same unit: half slow, half quick. */
static void division_and_multiplication(struct program *p, int64_t fp)
{
	for (int i = 0; i < MANY / 2; i++) {
		emit(p, op_word(fp ? FDIV : IDIV, 11, 10));
		emit(p, op_word(fp ? FMUL : IMUL, 12, 10));
	}
}

static void timing_units_check_latencies(struct bench *b)
{
	static const struct {
		const char *parameter;
		enum unit_op op;
		int64_t cycles[3];
	} rows[] = {
		{"lat.int", INT, {1, 2, 9}},      {"lat.imul", IMUL, {1, 3, 7}},
		{"lat.idiv", IDIV, {1, 20, 35}},  {"lat.fadd", FADD, {1, 2, 5}},
		{"lat.fmul", FMUL, {1, 4, 6}},    {"lat.fma", FMA, {1, 4, 9}},
		{"lat.fdiv", FDIV, {1, 12, 128}}, {"lat.fsqrt", FSQRT, {1, 24, 31}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int k = 0; k < 3; k++)
			check_rounds(b, rows[i].parameter, "wide",
			             with("%s=%d occ.idiv=1 occ.fdiv=1 occ.fsqrt=1",
			                  rows[i].parameter, (int)rows[i].cycles[k]),
			             timing_units_emit_chain, rows[i].op, "8 in a chain",
			             CHAIN * rows[i].cycles[k]);
}

/* One unit: the next begins when it is free again, however long the result takes. */
static void timing_units_check_occupancies(struct bench *b)
{
	static const struct {
		const char *parameter, *count;
		enum unit_op op;
	} rows[] = {{"occ.imul", "fu.imuldiv", IMUL},
	            {"occ.fadd", "fu.fadd", FADD},
	            {"occ.fmul", "fu.fmuldiv", FMUL},
	            {"occ.fma", "fu.fmuldiv", FMA},
	            {"occ.idiv", "fu.imuldiv", IDIV},
	            {"occ.fdiv", "fu.fmuldiv", FDIV},
	            {"occ.fsqrt", "fu.fmuldiv", FSQRT}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int occupancy = 1; occupancy <= 40; occupancy = occupancy * 4 + 3)
			check_rounds(
				b, rows[i].parameter, "wide",
				with("%s=%d %s=1", rows[i].parameter, occupancy, rows[i].count),
				timing_units_emit_independent, rows[i].op,
				"30 independent, one unit", MANY * occupancy);
	/* "Fully pipelined": a long latency takes no throughput. */
	static const struct {
		const char *parameter, *setting;
		enum unit_op op;
	} pipelined[] = {{"fu.imuldiv", "fu.imuldiv=1 lat.imul=9", IMUL},
	                 {"fu.fadd", "fu.fadd=1 lat.fadd=9", FADD},
	                 {"fu.fmuldiv", "fu.fmuldiv=1 lat.fmul=9", FMUL},
	                 {"fu.fmuldiv", "fu.fmuldiv=1 lat.fma=9", FMA}};
	for (size_t i = 0; i < sizeof pipelined / sizeof *pipelined; i++)
		check_rounds(b, pipelined[i].parameter, "wide", pipelined[i].setting,
		             timing_units_emit_independent, pipelined[i].op,
		             "30 independent, pipelined", MANY);
}

static void timing_units_check_counts(struct bench *b)
{
	static const struct {
		const char *parameter;
		enum unit_op op;
		int own; /* of the loop's instructions, how many use the pool, too */
	} rows[] = {{"fu.int", INT, 2},
	            {"fu.imuldiv", IMUL, 0},
	            {"fu.fadd", FADD, 0},
	            {"fu.fmuldiv", FMUL, 0}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int units = 1; units <= 4; units++)
			check(b, rows[i].parameter, with("%s=%d", rows[i].parameter, units),
			      "30 independent", ROUNDS * (MANY + rows[i].own) / units,
			      rounds(b, "wide", with("%s=%d", rows[i].parameter, units),
			             timing_units_emit_independent, rows[i].op));
	/* The first misses are quick, for their backlog would last longer than the run. */
	for (int ports = 1; ports <= 4; ports++)
		check(b, "fu.mem", with("fu.mem=%d", ports), "15 loads, 15 stores",
		      ROUNDS * MANY / ports,
		      rounds(b, "wide", with("fu.mem=%d mem.latency=1 tlb.penalty=0", ports),
		             timing_units_emit_loads_and_stores, 0));
	/* 15 divisions of 5 cycles and 15 multiplications of 1 on 1 and 2 units. */
	for (int units = 1; units <= 2; units++) {
		check_rounds(b, "fu.imuldiv", "wide", with("fu.imuldiv=%d occ.idiv=5", units),
		             division_and_multiplication, 0, "15 divisions, 15 multiplications",
		             15 * (5 + 1) / units);
		check_rounds(b, "fu.fmuldiv", "wide", with("fu.fmuldiv=%d occ.fdiv=5", units),
		             division_and_multiplication, 1, "15 divisions, 15 multiplications",
		             15 * (5 + 1) / units);
	}
}

/* The default machine as Table I has it: 4 wide, 4 integer units, 2 of the others and 2 ports. */
static void default_preset(struct bench *b)
{
	check_rounds(b, "vaswani2003", "vaswani2003", "", timing_units_emit_independent, INT,
	             "30 independent additions", (MANY + 2) / 4);
	check_rounds(b, "vaswani2003", "vaswani2003", "", timing_units_emit_independent, IMUL,
	             "30 independent multiplications", MANY / 2);
	check_rounds(b, "vaswani2003", "vaswani2003", "", timing_units_emit_independent, FADD,
	             "30 independent FP additions", MANY / 2);
	check_rounds(b, "vaswani2003", "vaswani2003", "", timing_units_emit_independent, FMUL,
	             "30 independent FP multiplications", MANY / 2);
	check_rounds(b, "vaswani2003", "vaswani2003", "", timing_units_emit_loads_and_stores, 0,
	             "15 loads, 15 stores", MANY / 2);
}

void group_units(struct bench *b)
{
	timing_units_check_latencies(b);
	timing_units_check_occupancies(b);
	timing_units_check_counts(b);
	default_preset(b);
}
