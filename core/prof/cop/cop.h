/* The co-processor's front end (Zilles and Sohi, "A programmable co-processor for profiling",
 * sections 3.1, 3.2 and 3.5). It tags instructions at decode, takes a record of each at commit, and
 * carries it to the sample buffer; the host reaches all of it by registers. The engine that works
 * on the records is core/prof/cop/micro.h.
 *
 * Decode. An instruction is tagged, on the right path or not, if its class is selected, hash(pc) &
 * mask == match, and no enabled table masks it. A table masks it if all bits that the hash
 * functions select are set. With p = pc >> 1, where pc is the address of the instruction after its
 * prefix, if it has one:
 *
 *   region          hash(pc) = p ^ p >> shift; shift 0: p itself, so that mask and match pick
 *                   ranges of addresses
 *   table, hash i   bit (p ^ p >> (5 + 2 * i)) & (cop.filter - 1), i < cop.filter_hashes
 *
 * Commit. A tagged instruction leaves a header (class, events, latency) and a word for each field
 * of its class's records. They enter the transport queue together, or, if there is no room, are
 * dropped together. From the next cycle on the bus takes cop.bus words a cycle; cop.bus_latency
 * cycles after its last word has left, the record enters the sample buffer, or is dropped if that
 * has no room. The engine sees it from its next clock on. In a cycle the engine's clock comes
 * first, then arrivals, then sending: room that the engine makes can be used in the same cycle.
 *
 * New code (core/pipe/new_code.h) clears both tables: its instructions are not known.
 *
 * Firmware's own instructions are never tagged. Without timing nothing is, and the device stands
 * still: its time is the pipeline's.
 *
 * Another stream of instructions (struct os_stream) leaves a record as well, of class `system`, if
 * that is tagged, with event STREAM: pc and addr (sp) are those with which the stream continues,
 * rs1 is its thread, rs2 the signal whose handler begins, result 1 if a handler has ended, 2 if the
 * previous thread has. Microprograms that keep a stack of calls keep one for each. Where there is
 * no room for such a record, the newest before it are dropped.
 *
 * Simple sampling: one record in as many as the register `every` holds is made, before the bus; the
 * others cost nothing there.
 *
 * Registers (struct device): core/prof/cop/cop_registers.def. */
#ifndef CYCLOPS_CORE_PROF_COP_COP_H
#define CYCLOPS_CORE_PROF_COP_COP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/state_ranges.h"
#include "core/isa/inst.h"
#include "core/prof/cop/micro.h"

struct config;
struct device_write;
struct err;
struct micro_image;
struct os_stream;
struct prof;
struct retired;
struct uop;

enum cop_register {
#define COP_REGISTER(ID, at, name, count, help) COP_##ID = (at),
#include "core/prof/cop/cop_registers.def"
#undef COP_REGISTER
	COP_REGISTERS_END = 0x70000
};

struct cop_register_info {
	const char *name, *help;
	unsigned at, count; /* COP_REGISTER */
};

enum { COP_REGISTER_COUNT = 34 };
extern const struct cop_register_info cop_register_info[COP_REGISTER_COUNT];

enum { COP_RUN = 1 << 0, COP_TAG = 1 << 1, COP_HALT = 1 << 2 };
enum { COP_HALTED = 1 << 0, COP_IDLE = 1 << 1, COP_FAULT_SHIFT = 8, COP_FAULT_AT_SHIFT = 16 };
enum { COP_RECORD_WORDS_MAX = 1 + RECORD_FIELD_COUNT };

enum cop_table { COP_TABLE_HIGH, COP_TABLE_LOW, COP_TABLE_COUNT };

/* Outcomes of a step for the engine's record, as the event `micro` has them: id, name */
#define COP_STEPS(S) \
	S(ON, "on") \
	S(DONE, "done") \
	S(INTERRUPT, "interrupt") \
	S(FAULT, "fault") \
	S(SKIPPED, "skipped")

enum cop_step {
#define S(id, name) COP_STEP_##id,
	COP_STEPS(S)
#undef S
	COP_STEP_COUNT
};

extern const char *const cop_step_name[COP_STEP_COUNT];

struct cop_state {
#define STATE STATE_FIELD
#include "core/prof/cop/cop_state.def"
#undef STATE
};

struct cop {
	struct cop_state *st;      /* in the arena, as the rest */
	/* by slot of the pipeline: seq of the tagged instruction */
	uint64_t *tag;
	struct cop_record *way;    /* [way_n] */
	struct cop_record *buffer; /* [cop.buffer] */
	uint64_t *table[COP_TABLE_COUNT]; /* [cop.filter / 64] */
	struct micro micro;
	unsigned way_n;
};

/* NULL if the machine has none. d is machine_pipe(m)->prof. */
const struct cop *cop_of(const struct prof *d);
/* The sample buffer, as the engine sees it. */
struct micro_records cop_records(const struct prof *d);
/* Record i < count of the sample buffer, oldest first; record i < way_count of the records on their
 * way to the buffer likewise. */
const struct cop_record *cop_record_at(const struct prof *d, uint64_t i);
const struct cop_record *cop_way_at(const struct prof *d, uint64_t i);
/* True if the instruction is tagged, and so leaves a record if it commits. */
bool cop_tagged(const struct prof *d, const struct uop *u);

/* ---- filters: core/prof/cop/cop_filter.c ---- */
uint64_t cop_region_hash(uint64_t pc, uint64_t shift);
uint64_t cop_table_bit(const struct config *cfg, uint64_t pc, unsigned hash);
/* Whether this table's bits mask the instruction at pc, enabled or not. */
bool cop_masks(const struct prof *d, enum cop_table t, uint64_t pc);
/* Whether an instruction of this class at pc is to be tagged. */
bool cop_wants(const struct prof *d, unsigned kind, uint64_t pc);
/* Recomputes st->ops. Call it when control or classes have changed. */
void cop_filter_changed(struct cop_state *st);
void cop_clear_table(struct prof *d, enum cop_table t);
/* New code is not known yet: no instruction is masked. */
void cop_new_code(struct prof *d);

/* ---- records: core/prof/cop/cop_record.c ---- */
/* The record's header, as the bus carries it. */
uint64_t cop_record_header(const struct cop_record *r);
/* Puts the instruction's record into the transport queue, or drops it. */
void cop_commit(struct prof *d, const struct retired *r);
/* The same with a record of class `system` and event STREAM, if that class is tagged. */
void cop_stream(struct prof *d, const struct os_stream *s);
/* Moves the records that arrive in this cycle to the sample buffer, then sends words. */
void cop_transport(struct prof *d);
/* Takes the oldest record out of the sample buffer. */
void cop_pop(struct prof *d);
void cop_flush(struct prof *d);

/* ---- registers: core/prof/cop/cop_registers.c ---- */
/* The offset of a register by its name: "control", "v3". False with *err. */
bool cop_register_find(const char *name, unsigned *offset, struct err *err);
uint64_t cop_read(struct prof *d, unsigned offset);
void cop_write(struct prof *d, unsigned offset, uint64_t value);

/* ---- core/prof/cop/cop_load.c ---- */
/* The register writes that stop and clear the co-processor, load this program and start it: the
 * bytes of a change (core/os/journal.def), or writes for firmware to make. [*n], owned by the
 * caller; NULL with *err if it doesn't fit or memory is short. */
struct device_write *cop_load(const struct config *cfg, const struct micro_image *image, size_t *n,
                              struct err *err);

/* Sets whether the device has work in each cycle from now on. */
void cop_stay_busy(struct prof *d);

#endif
