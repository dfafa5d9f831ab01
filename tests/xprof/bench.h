/* Common parts of tests of Xprof: guests written with the encoder, machines that run them, and a
 * record of all events.
 *
 * A guest lies at TEXT, which it may read, write and execute; X_DATA points to DATA, zeros but for
 * the words it sets; sp is its end, and flags are saved where the loader would have them saved.
 * Whatever can't be built ends the test. */
#ifndef TESTS_XPROF_BENCH_H
#define TESTS_XPROF_BENCH_H

#include <stdint.h>

#include "core/isa/csr.h"
#include "core/machine/machine.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "tests/cases.h"
#include "tests/timing/encode.h"

enum {
	TEXT = 0x10000,
	TEXT_BYTES = 1 << 16,
	DATA = 0x4000000,
	DATA_BYTES = 1 << 20,
	X_SP = 2,
	X_DATA = 9,          /* register that points to DATA */
	SP = DATA + DATA_BYTES,
	CYCLES_MAX = 2000000
};

/* Where flag k is saved when the stack pointer is sp, by the manual's formula. */
static inline uint64_t bench_saved_flag_address(uint64_t sp, unsigned k)
{
	return SHADOW_BASE + sp / 16 * 8 + k;
}

/* ---- guests ---- */
struct guest {
	uint8_t text[TEXT_BYTES];
	uint32_t size;       /* bytes so far */
	bool wide;           /* Xprof in its 4-byte form */
	uint64_t x[32];      /* integer registers at the start */
	uint64_t pflags;     /* flags at the start */
};

struct guest *guest_new(void); /* empty; freed with free() */
void put(struct guest *g, uint32_t inst);
void put16(struct guest *g, uint32_t inst);
void nops(struct guest *g, unsigned n);
/* TEXT + at; zeros between, which are illegal */
void go_to(struct guest *g, uint32_t at);
static inline uint64_t bench_next_pc(const struct guest *g)
{
	return TEXT + g->size;
}
/* A forward branch or jal at `at` to here; put() something of 4 bytes there first. */
void land(struct guest *g, uint64_t at, uint32_t (*make)(int32_t offset));
void finish(struct guest *g); /* exit with status 0; x10 and x17 are used for it */

/* Xprof, in the guest's form. */
void hint(struct guest *g, unsigned s);
static inline void bench_emit_pi(struct guest *g, unsigned k)
{
	hint(g, 8 + k);
}
static inline void bench_emit_resetpf(struct guest *g, unsigned k)
{
	hint(g, 16 + k);
}
static inline void bench_emit_setpf(struct guest *g, unsigned k)
{
	hint(g, 24 + k);
}
static inline void bench_emit_pushpf(struct guest *g, unsigned k)
{
	hint(g, 32 + k);
}
static inline void bench_emit_poppf(struct guest *g, unsigned k)
{
	hint(g, 40 + k);
}
static inline void pushpf_all(struct guest *g) { hint(g, 48); }
static inline void poppf_all(struct guest *g) { hint(g, 49); }
void pblen(struct guest *g, int32_t bytes);
/* A profile instruction: prefix and instruction. Returns its address. */
uint64_t prof(struct guest *g, unsigned k, uint32_t inst);
static inline uint32_t rv_csrw(unsigned csr, unsigned rs1)
{
	return enc_i(OP_CSRRW, 0, rs1, (int32_t)csr);
}
static inline uint32_t rv_csrr(unsigned rd, unsigned csr)
{
	return enc_i(OP_CSRRS, rd, 0, (int32_t)csr);
}

/* ---- machines ---- */
/* The default configuration and "name=value ...". */
void configure(struct config *cfg, const char *options);
/* Before the first cycle; freed with machine_free(). */
struct machine *boot(const struct guest *g, const char *options);
struct plugins;
/* kinds with a plug-in are set to external */
struct machine *boot_with(const struct guest *g, const char *options,
                          const struct plugins *plugins);
/* The same, with an interrupt by firmware every so many cycles. Firmware counts them at
 * FIRMWARE_COUNT. */
struct machine *boot_interrupted(const struct guest *g, const char *options, unsigned period);
#define FIRMWARE_COUNT (FIRMWARE_BASE + PAGE_BYTES + 24)
void run_to_end(struct machine *m); /* exit or fault */
uint64_t peek(const struct machine *m, uint64_t addr); /* 8 bytes */
int64_t stat(const struct machine *m, const char *name);
unsigned flags_committed(const struct machine *m);

/* Ample resources, except for those that a test sets, and lines that hold a small loop. */
#define AMPLE                                                                                      \
	"pipe.fetch_width=16 pipe.decode_width=16 pipe.issue_width=16 pipe.commit_width=16 "       \
	"pipe.fetch_queue=64 "                                                                     \
	"pipe.rob_size=256 lsq.size=256 fu.int=16 fu.imuldiv=16 fu.mem=16 bpred.kind=taken "       \
	"l1i.line=256 l2.line=256 "                                                                \
	"bus.bytes=256 l1d.mshrs=0 l1d.mshr_targets=0 l1d.write_buffer=0 "

/* ---- a run with all its events ---- */
struct log {
	struct machine *m; /* owned; at its end */
	struct event *event;
	size_t count, room;
};

struct log *run(const struct guest *g, const char *options);
struct log *log_new(struct machine *m);
void log_free(struct log *l);
unsigned count(const struct log *l, enum event_id id, uint64_t pc);
unsigned count_all(const struct log *l, enum event_id id);
/* The n-th, from 0; it must be there. */
const struct event *nth(const struct log *l, enum event_id id, uint64_t pc, unsigned n);
uint64_t cycle_of(const struct log *l, enum event_id id, uint64_t pc, unsigned n);
int64_t cycles_of(const struct guest *g, const char *options); /* whole run */

/* small(): fewer repetitions, for builds that check each cycle. large(): more of them, before a
 * release. */
bool small(void);
bool large(void);
/* Distance of the cycles that a test tries in a run; 1 for the first of several settings. */
static inline int64_t bench_cycle_stride(unsigned setting)
{
	return small() ? 11 : large() || !setting ? 1 : 13;
}

uint64_t random_of(uint64_t *state); /* 64 bits; state is not 0 */
static inline unsigned bench_random_below(uint64_t *state, unsigned n)
{
	return (unsigned)(random_of(state) >> 33) % n;
}

#endif
