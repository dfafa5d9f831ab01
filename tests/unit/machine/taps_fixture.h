/* Devices with taps, for tests of machines' calls to them. */
#ifndef CYCLOPS_TESTS_UNIT_MACHINE_TAPS_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_MACHINE_TAPS_FIXTURE_H

#include <stdint.h>
#include <stdlib.h>

#include "core/isa/csr.h"
#include "core/machine/machine.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/prof/common/emit.h"
#include "core/trap/trap.h"
#include "loader/launch.h"
#include "tests/cases.h"
#include "tests/encode.h"

enum { CODE = 0x10000, DATA = 0x40000, DATA_BYTES = 64 * PAGE_BYTES, ROUNDS = 200 };
enum { X0, T0 = 5, T1 = 6, T2 = 7, A0 = 10, A7 = 17 };

/* Writes a guest of loads that miss, so that many cycles have no commit; then exit(0). */
static inline void put_guest(struct machine *m)
{
	const uint32_t code[] = {
		enc_u(OP_LUI, T0, DATA),
		enc_i(OP_ADDI, T1, X0, ROUNDS),
		enc_i(OP_LD, T2, T0, 0), /* loop */
		enc_i(OP_ADDI, T0, T0, 1024),
		enc_i(OP_ADDI, T1, T1, -1),
		enc_b(OP_BNE, T1, X0, -12),
		enc_i(OP_ADDI, A0, X0, 0),
		enc_i(OP_ADDI, A7, X0, 93),
		enc_i(OP_ECALL, X0, X0, 0),
	};
	struct mem *mem = machine_mem(m);
	assert_true(mem_map(mem, CODE, PAGE_BYTES, PROT_R | PROT_X, "code"));
	assert_true(mem_map(mem, DATA, DATA_BYTES, PROT_R | PROT_W, "data"));
	assert_true(mem_poke(mem, CODE, code, sizeof code));
	machine_hart(m)->pc = CODE;
}

/* ---- the device ---- */
/* The device's record of an instruction without timing. */
struct told {
	uint64_t pc, next_pc, addr, result, more;
};

static struct {
	uint64_t calls, last_cycle;  /* calls of the cycle tap */
	uint64_t bundles, last_retired;
	uint64_t late;      /* cycles in which the cycle tap came before the bundle's */
	uint64_t idle;      /* calls in cycles without a commit */
	uint64_t off_after; /* calls until the device becomes idle; 0: never */
	bool wakes, reports;
	uint64_t asks_from; /* cycle; 0: no interrupts */
	bool asks;
	uint32_t kinds;
	struct told *log; /* [told], of [log_max] */
	size_t told, log_max;
	size_t stop_at;   /* instructions reported; 0: never */
	uint64_t stop_pc; /* after the last reported instruction */
} dev;

static inline void taps_fixture_on_cycle(struct prof *d)
{
	assert_true(dev.calls == 0 || *d->cycle > dev.last_cycle);
	dev.calls++;
	dev.idle += dev.last_retired != *d->cycle;
	dev.last_cycle = *d->cycle;
	if (dev.asks_from && *d->cycle >= dev.asks_from)
		dev.asks = true;
	if (dev.reports)
		PROF_EMIT(d, CONTROL, control, NULL, CODE + (*d->cycle & 1));
	if (dev.off_after && dev.calls % dev.off_after == 0)
		prof_busy(d, DEVICE_ORACLE, false);
}

static inline void taps_fixture_on_retired(struct prof *d, const struct retired *bundle, unsigned n)
{
	dev.bundles++;
	dev.late += dev.calls && dev.last_cycle == *d->cycle;
	dev.last_retired = *d->cycle;
	if (dev.wakes)
		prof_busy(d, DEVICE_ORACLE, true);
	for (unsigned i = 0; i < n && dev.reports; i++)
		PROF_EMIT(d, PFLAG, pflag, bundle[i].u, bundle[i].u->pc,
		          .flags = bundle[i].u->result, .before = dev.bundles);
}

static inline bool taps_fixture_on_executed(struct prof *d, const struct executed *e)
{
	PROF_EMIT(d, PFLAG, pflag, NULL, e->pc, .flags = e->result);
	if (e->machine) {
		dev.asks = false; /* the interrupt was taken */
		return false;
	}
	if (dev.told < dev.log_max)
		dev.log[dev.told] = (struct told){
			.pc = e->pc,
			.next_pc = e->done->next_pc,
			.addr = e->done->addr,
			.result = e->in->rd == REG_SINK ? 0 : e->result,
			.more = e->in->raw | (uint64_t)e->done->size << 32 |
		                (uint64_t)e->done->taken << 40 | (uint64_t)e->done->stored << 41 |
		                (uint64_t)(e->h->pc == e->done->next_pc) << 42,
		};
	if (++dev.told != dev.stop_at)
		return false;
	dev.stop_pc = e->done->next_pc;
	return dev.asks = true;
}

static inline uint32_t taps_fixture_wanted_kinds(const struct prof *d)
{
	(void)d;
	return dev.kinds;
}

static inline uint64_t taps_fixture_pending_irqs(const struct prof *d)
{
	(void)d;
	return (uint64_t)dev.asks << IRQ_INSTRUCTIONS;
}

static inline uint64_t taps_fixture_never_due(const struct prof *d)
{
	(void)d;
	return UINT64_MAX;
}

static const struct device device = {
	.retired = taps_fixture_on_retired,
	.cycle = taps_fixture_on_cycle,
	.executed = taps_fixture_on_executed,
	.kinds = taps_fixture_wanted_kinds,
	.pending = taps_fixture_pending_irqs,
	.next_cycle = taps_fixture_never_due,
	.next_inst = taps_fixture_never_due,
};

static inline void taps_fixture_insert_device(struct machine *m)
{
	struct prof *d = machine_pipe(m)->prof;
	d->present[d->count++] = &device;
	d->ticks[DEVICE_ORACLE] = &device;
	d->retired = d->operands = d->executed = d->pending = true;
	for (unsigned t = TAP_RETIRED; t <= TAP_CYCLE; t <<= 1)
		d->tap[__builtin_ctz(t)].of[d->tap[__builtin_ctz(t)].count++] = &device;
	memset(&dev, 0, sizeof dev);
	dev.last_retired = UINT64_MAX;
	dev.kinds = UINT32_MAX;
	prof_changed(d);
}

static inline struct machine *machine_with_device(struct config *cfg)
{
	struct err err;
	struct machine *m = machine_new(cfg, &err);
	if (!m)
		fail_msg("%s", err.msg);
	taps_fixture_insert_device(m);
	put_guest(m);
	return m;
}

static inline struct machine *taps_fixture_start_machine(unsigned rob)
{
	struct config cfg;
	config_default(&cfg);
	cfg.rob_size = rob;
	struct machine *m = machine_with_device(&cfg);
	machine_start(m, DATA + DATA_BYTES);
	return m;
}

/* ---- interrupts ---- */
/* Firmware that waits (wfi) and returns. */
static inline struct machine *taps_fixture_firmware_machine(void)
{
	struct config cfg;
	config_default(&cfg);
	cfg.firmware = 1;
	struct machine *m = machine_with_device(&cfg);
	const uint32_t code[] = {enc_i(OP_WFI, X0, X0, 0), enc_i(OP_MRET, X0, X0, 0)};
	assert_true(mem_map(machine_mem(m), FIRMWARE_BASE, PAGE_BYTES, PROT_R | PROT_X | PROT_M,
	                    "firmware"));
	assert_true(mem_poke(machine_mem(m), FIRMWARE_BASE, code, sizeof code));
	return m;
}

#endif
