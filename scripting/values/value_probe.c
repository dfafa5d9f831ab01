/* Latencies of the memory hierarchy, found by an experiment: a program follows pointers through
 * lines that are in L1D, in L2 or in neither, and the value sampler measures its loads (Burrows et
 * al., 3.3: "automatic programs determine such thresholds experimentally"). */
#include "core/defs/config_fields.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/encode.h"
#include "core/isa/op.h"
#include "core/machine/machine.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/prof/values/vsample.h"
#include "scripting/values/value_machine.h"

#define CODE UINT64_C(0x10000)
#define DATA UINT64_C(0x1000000)

enum {
	CODE_WORDS = 256,
	NEAR_LINES = 4,
	FAR_LINES = 512,
	LAPS_NEAR = 128,
	LATENCY_MAX = 4096,
	CYCLES_MAX = 20000000
};
/* Consecutive loops. FILL only brings the lines of SECOND into L2; the other three are measured. */
enum { PHASE_NEAR, PHASE_FILL, PHASE_SECOND, PHASE_FAR, PHASES };

struct probe {
	uint32_t code[CODE_WORDS];
	unsigned words;
	uint64_t load_pc[PHASES];
	uint64_t line, second_lines; /* bytes; number of lines that exceed L1D and fit L2 */
	uint32_t times[PHASES][LATENCY_MAX];
	bool wrong;
};

static void value_probe_append_inst(struct probe *p, struct inst in)
{
	in.len = 4;
	if (p->words == CODE_WORDS || !inst_encode(&in, &p->code[p->words++]))
		p->wrong = true;
}

/* rd = value, below 2^31. */
static void value_probe_append_constant(struct probe *p, uint8_t rd, uint64_t value)
{
	const int32_t low = (int32_t)((value & 0xfff) ^ 0x800) - 0x800;
	value_probe_append_inst(p, (struct inst){.op = OP_LUI,
	                                         .rd = rd,
	                                         .imm = (int32_t)(value - (uint64_t)(int64_t)low)});
	value_probe_append_inst(p, (struct inst){.op = OP_ADDI, .rd = rd, .rs1 = rd, .imm = low});
}

/* for (n = times; n; n--) t0 = *t0; */
static void put_loop(struct probe *p, unsigned phase, uint64_t from, uint64_t times)
{
	enum { T0 = 5, T1 = 6 };
	value_probe_append_constant(p, T0, from);
	value_probe_append_constant(p, T1, times);
	p->load_pc[phase] = CODE + 4 * p->words;
	value_probe_append_inst(p, (struct inst){.op = OP_LD, .rd = T0, .rs1 = T0});
	value_probe_append_inst(p, (struct inst){.op = OP_ADDI, .rd = T1, .rs1 = T1, .imm = -1});
	value_probe_append_inst(p,
	                        (struct inst){.op = OP_BNE, .rs1 = T1, .rs2 = REG_ZERO, .imm = -8});
}

/* Makes a ring of pointers through n lines, n a power of two, in an order that prefetchers cannot
 * predict. */
static void put_ring(struct machine *m, uint64_t from, uint64_t n, uint64_t line)
{
	uint64_t i = 1;
	do {
		const uint64_t next = (5 * i + 1) & (n - 1), pointer = from + next * line;
		mem_poke(machine_mem(m), from + i * line, &pointer, sizeof pointer);
		i = next;
	} while (i != 1);
}

static uint64_t power_above(uint64_t n)
{
	uint64_t power = 4;
	while (power < n)
		power *= 2;
	return power;
}

static struct config value_probe_machine_config(const struct config *cfg)
{
	struct config c = *cfg;
	c.vsample = 1;
	c.firmware = c.oracle = c.sampler = c.cop = c.profileme = 0;
	c.oracle_blocks = c.oracle_contexts = c.oracle_values = c.oracle_addresses =
		c.oracle_loads = c.oracle_speculative = 0;
	c.vsample_interval_min = 3;
	c.vsample_interval_max = 17;
	c.vsample_every = 1;
	/* The pipeline has requested the first load's line already; later ones count. */
	c.vsample_length = 30;
	c.vsample_skip = 0;
	c.vsample_method = VSAMPLE_BY_HANDLER;
	/* pending memory requests of the program are done when the handler begins */
	c.vsample_interrupt_cycles = 200;
	c.vsample_start_cycles = 0;
	c.vsample_inst_cycles = 1;
	c.vsample_tuple_cycles = 0;
	c.vsample_code_lines = c.vsample_data_lines = c.vsample_inst_lines = 0;
	c.vsample_deadline = 0;
	c.vsample_protect_from = c.vsample_protect_to = 0;
	c.vsample_queue = 64;
	c.vsample_service = 1;
	return c;
}

static struct machine *value_probe_build_machine(struct probe *p, const struct config *cfg,
                                                 struct err *err)
{
	const uint64_t l1d = (uint64_t)cfg->l1d_size, l2 = (uint64_t)cfg->l2_size;
	const struct config c = value_probe_machine_config(cfg);
	struct vsample_capture capture = {.fields = {[OP_LD] = VSAMPLE_TUPLE | VSAMPLE_LATENCY}};
	p->line = (uint64_t)(cfg->l2_line > cfg->l1d_line ? cfg->l2_line : cfg->l1d_line);
	p->second_lines = power_above(2 * l1d / p->line);
	if (p->second_lines * p->line > l2) /* L2 is hardly larger than L1D */
		p->second_lines = power_above(l2 / p->line / 2 + 1);
	const uint64_t second = DATA + power_above(2 * NEAR_LINES * p->line + PAGE_BYTES),
		       far = second + 2 * p->second_lines * p->line + (UINT64_C(4) << 20);
	const uint64_t bytes = far + FAR_LINES * p->line + PAGE_BYTES - DATA;
	put_loop(p, PHASE_NEAR, DATA + p->line, NEAR_LINES * LAPS_NEAR);
	put_loop(p, PHASE_FILL, second + p->line, p->second_lines);
	put_loop(p, PHASE_SECOND, second + p->line, p->second_lines);
	put_loop(p, PHASE_FAR, far + p->line, FAR_LINES);
	value_probe_append_inst(p, (struct inst){.op = OP_ADDI, .rd = REG_A7, .imm = 93});
	value_probe_append_inst(p, (struct inst){.op = OP_ECALL});
	struct machine *m = machine_new(&c, err);
	if (!m)
		return NULL;
	if (p->wrong || !mem_map(machine_mem(m), CODE, PAGE_BYTES, PROT_R | PROT_X, "code") ||
	    !mem_map(machine_mem(m), DATA, (bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1),
	             PROT_R | PROT_W, "data") ||
	    !mem_poke(machine_mem(m), CODE, p->code, sizeof p->code)) {
		err_set(err, "out of memory for measuring latencies");
		machine_free(m);
		return NULL;
	}
	put_ring(m, DATA, NEAR_LINES, p->line);
	put_ring(m, second, p->second_lines, p->line);
	put_ring(m, far, FAR_LINES, p->line);
	machine_hart(m)->pc = CODE;
	vsample_set_capture(machine_pipe(m)->prof, &capture);
	machine_start(m, DATA + bytes);
	return m;
}

static void value_probe_record_latency(struct probe *p, const struct vsample_tuple *t)
{
	for (unsigned i = 0; i < PHASES; i++)
		if (t->pc == p->load_pc[i] && t->latency < LATENCY_MAX)
			p->times[i][t->latency]++;
}

static uint64_t most_frequent(const uint32_t *times)
{
	uint64_t best = 0;
	for (uint64_t i = 1; i < LATENCY_MAX; i++)
		if (times[i] > times[best])
			best = i;
	return best;
}

bool value_probe(const struct config *cfg, uint64_t cycles[3], struct err *err)
{
	struct probe *p = alloc_zeroed(1, sizeof *p);
	if (!p)
		return err_set(err, "out of memory for measuring latencies");
	struct machine *m = value_probe_build_machine(p, cfg, err);
	uint64_t serial = 0;
	while (m && machine_status(m) == MACHINE_RUNNING && machine_cycle(m) < CYCLES_MAX) {
		const struct vsample_tuple *t;
		machine_run(m, machine_cycle(m) + 64, UINT64_MAX);
		while ((t = vsample_find(machine_pipe(m)->prof, serial + 1))) {
			value_probe_record_latency(p, t);
			serial++;
		}
	}
	const bool ended = m && machine_status(m) == MACHINE_EXITED;
	if (m && !ended)
		err_set(err, "latencies can't be measured: the probe does not come to its end on "
		             "this machine");
	cycles[0] = most_frequent(p->times[PHASE_NEAR]);
	cycles[1] = most_frequent(p->times[PHASE_SECOND]);
	cycles[2] = most_frequent(p->times[PHASE_FAR]);
	machine_free(m);
	free(p);
	return ended;
}
