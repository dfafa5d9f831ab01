/* The co-processor's engine: microinstructions, their execution, and their text (Zilles and Sohi,
 * "A programmable co-processor for profiling", sections 3.3 and 3.4).
 *
 * A microinstruction is two words of 64 bits: core/prof/cop/micro.def draws and lists their fields,
 * and generates the encoding, the assembler, the disassembler, the help and the executor. Its
 * operations run in parallel: each reads the registers' values from before the microinstruction.
 * The branch sees the conditions after it.
 *
 * Three stages, in order: fetch, decode, execute; one microinstruction a clock. Everything happens
 * when it executes. Each branch is predicted by a bit of its own when it is fetched; after a wrong
 * prediction the two microinstructions fetched after the branch are squashed. `done` leads to the
 * routine of the next record's class: fetch goes on there without a pause if that record is already
 * in the sample buffer, and microinstructions fetched from there read that record's fields.
 *
 * A fault (enum micro_fault) is raised when the microinstruction executes: none of its operations
 * is performed, and the record is done with. Fetching beyond the microcode on a wrong path is no
 * fault.
 *
 * All state lies in the arena and holds no pointers. The sample buffer's owner calls micro_cycle()
 * once a clock, and removes the record at its head unless the outcome is MICRO_NOTHING. */
#ifndef CYCLOPS_CORE_PROF_COP_MICRO_H
#define CYCLOPS_CORE_PROF_COP_MICRO_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/state_ranges.h"

struct arena;
struct ranges;

enum {
	MICRO_VALUES = 16,   /* v0-v15 and k0-k15: 64 bits */
	MICRO_INDEXES = 8,   /* x0-x7: 16 bits */
	MICRO_BASES = 8,     /* b0-b7: 16 bits */
	MICRO_TARGETS = 8,   /* t0-t7: microcode addresses */
	MICRO_CLASSES = 32,  /* enum inst_kind, and room */
	MICRO_NO_ROUTINE = 0xffff, /* in the start table */
	/* microinstructions: a branch to before the first wraps to beyond these */
	MICRO_CODE_MAX = 0x8000,
	MICRO_ARRAY_MAX = 65536,   /* words of the associative array, and of the data array */
};

/* Fields that a record may carry: bits of cop_record.fields, and the order of its words after the
 * header. id, name, help */
#define RECORD_FIELDS(F)                                                                           \
	F(PC, "pc", "byte address of the instruction")                                             \
	F(INST, "inst", "its bits, 16 or 32")                                                      \
	F(RS1, "rs1", "value of its first source register")                                        \
	F(RS2, "rs2", "value of its second source register")                                       \
	F(RESULT, "result", "value that it wrote to its register")                                 \
	F(ADDR, "addr", "byte address that it accessed")                                           \
	F(TARGET, "target", "where control went after it")

enum record_field {
#define F(id, name, help) RECORD_##id,
	RECORD_FIELDS(F)
#undef F
	RECORD_FIELD_COUNT
};

extern const char *const record_field_name[RECORD_FIELD_COUNT],
	*const record_field_help[RECORD_FIELD_COUNT];

/* Events of the instruction: bits of cop_record.events, in each header. id, name in microcode, help
 */
#define RECORD_EVENTS(E)                                                                           \
	E(TAKEN, "TAKEN", "control went elsewhere than after it")                                  \
	E(MISPREDICTED, "MISPREDICTED", "fetch had predicted something else")                      \
	E(L1_MISS, "L1_MISS", "its access began the fill of a line of the first level")            \
	E(L2_MISS, "L2_MISS", "and the line was not in the second")                                \
	E(TLB_MISS, "TLB_MISS", "the translation of its address was not there")                    \
	E(L1_DELAYED, "L1_DELAYED", "its line was on its way to the first level: a delayed hit")   \
	E(FORWARDED, "FORWARDED", "its data came from stores, in the queue or the write buffer")   \
	E(STREAM, "STREAM", "no instruction: thread rs1, or its handler of signal rs2, goes on")

enum record_event {
#define E(id, name, help) RECORD_EVENT_##id,
	RECORD_EVENTS(E)
#undef E
	RECORD_EVENT_COUNT
};

extern const char *const record_event_name[RECORD_EVENT_COUNT],
	*const record_event_help[RECORD_EVENT_COUNT];

/* A record in the sample buffer. Fields that its class does not carry are 0. */
struct cop_record {
	uint64_t pc, inst, rs1, rs2, result, addr, target; /* in the order of RECORD_FIELDS */
	uint64_t seq;      /* of the instruction, for display */
	uint64_t arrived;  /* guest cycle */
	uint32_t latency;  /* cycles from issue to completion */
	uint16_t events;   /* 1 << enum record_event */
	uint16_t kind;     /* enum inst_kind */
	uint16_t fields;   /* 1 << enum record_field: those it carries */
	uint16_t words;    /* of the record, including its header */
	uint32_t spare;    /* 0 */
};
static_assert(sizeof(struct cop_record) == 88,
              "no padding: records are compared and copied as bytes");

/* The sample buffer, as the engine sees it: `count` records from ring[head] on.
 */
struct micro_records {
	const struct cop_record *ring; /* [capacity]; borrowed during the call */
	unsigned capacity, head, count;
};

struct micro_word {
	uint64_t w[2];
};

/*   id, name */
#define MICRO_FAULTS(F) \
	F(NONE, "none") \
	F(CODE, "microcode address out of range") \
	F(CAM, "associative array index out of range") \
	F(DATA, "data array address out of range") \
	F(ENCODING, "no such operation") \
	F(ENDLESS, "a routine without an end")

enum micro_fault {
#define F(id, name) MICRO_FAULT_##id,
	MICRO_FAULTS(F)
#undef F
	MICRO_FAULT_COUNT
};

extern const char *const micro_fault_name[MICRO_FAULT_COUNT];

/* Conditions: bits of micro_state.conditions. Each unit's conditions stay until its next operation.
 */
enum micro_flag {
	/* ALU: the result is 0; of cmp the difference, of test the bits in common */
	MICRO_Z = 1 << 0,
	MICRO_LT = 1 << 1,   /* ALU: cmp, sub, ssub: a is less than b, unsigned */
	MICRO_SAT = 1 << 2,  /* ALU: sadd, ssub: the result was cut off */
	MICRO_XZ = 1 << 3,   /* index ALU */
	MICRO_XLT = 1 << 4,
	MICRO_HIT = 1 << 5,  /* associative array: match found an entry, free an empty one */
	/* data array: the value now stored is the greatest of its width */
	MICRO_CSAT = 1 << 6,
	MICRO_CZ = 1 << 7,   /* data array: it is 0 */
};

/* Contents of a slot between two stages. */
enum micro_slot_kind {
	MICRO_SLOT_EMPTY,
	MICRO_SLOT_CODE,  /* a microinstruction */
	MICRO_SLOT_SKIP,  /* the record's class has no routine */
	MICRO_SLOT_FAULT, /* fetched from beyond the microcode */
};

/* Where fetch goes next. */
enum micro_goal {
	MICRO_GOAL_RECORD, /* the routine of record `ahead` (0: the one at the head) */
	MICRO_GOAL_AT,     /* address `at` */
	MICRO_GOAL_STOP,   /* nowhere: after `interrupt` or a fault */
};

struct micro_next {
	uint16_t goal; /* enum micro_goal */
	uint16_t at;   /* microcode address; 0 unless MICRO_GOAL_AT */
};

/* A microinstruction between two stages. */
struct micro_slot {
	uint16_t kind;     /* enum micro_slot_kind */
	uint16_t at;       /* microcode address */
	struct micro_next predicted;
	struct micro_word word;
};

/* The microinstruction executed in a clock, and its accesses. */
struct micro_trace {
	/* enum micro_slot_kind; MICRO_SLOT_EMPTY: nothing was executed, and the rest is 0 */
	uint16_t kind;
	uint16_t at;         /* microcode address */
	uint8_t taken;       /* its branch was taken */
	uint8_t wrong;       /* its branch was predicted wrongly */
	uint8_t fault;       /* enum micro_fault */
	uint8_t outcome;     /* enum micro_outcome */
	struct micro_next next;
	/* 1 + register number; 0: none. By ALU, associative array, data; by index ALU, associative
	 * array */
	uint8_t wrote_v[3], wrote_x[2];
	uint8_t cam_op, data_op, spare; /* of these units; 0: did nothing */
	/* which entry the associative array read, wrote, found or invalidated, if it did */
	uint32_t cam_index;
	uint32_t data_address; /* word of the data array, if it worked */
	uint32_t data_before, data_after; /* the whole word */
	struct micro_word word;
};

struct micro_state {
#define STATE STATE_FIELD
#include "core/prof/cop/micro_state.def"
#undef STATE
};

struct micro_sizes {
	/* microinstructions, entries, words; 1 up to MICRO_CODE_MAX and MICRO_ARRAY_MAX */
	unsigned code, cam, data;
	/* most microinstructions for one record: one more faults; 0: unlimited */
	uint32_t watchdog;
};

struct micro {
	struct micro_state *st;  /* in the arena, like the rest */
	struct micro_word *code; /* [code_n] */
	uint32_t *cam;           /* [cam_n] */
	uint64_t *valid;         /* bit i % 64 of word i / 64: entry i is valid */
	uint32_t *data;          /* [data_n] */
	unsigned code_n, cam_n, data_n;
	uint32_t watchdog;       /* as micro_sizes has it */
};

enum micro_outcome {
	MICRO_NOTHING,
	MICRO_DONE,      /* done with the record at the head, or its class has no routine */
	MICRO_INTERRUPT, /* done with it, and halted */
	MICRO_FAULT,     /* likewise */
};

static inline unsigned micro_valid_words(unsigned cam_n)
{
	return (cam_n + 63) / 64;
}

void micro_place(struct micro *m, struct arena *a, const struct micro_sizes *sizes);
/* Resets state that is all zeros: no class has a routine, and the random numbers begin with this
 * seed (0 is taken as 1). */
void micro_reset(struct micro *m, uint32_t seed);

/* One clock. Fills *out, which may not be NULL; while halted it does nothing. */
enum micro_outcome micro_cycle(struct micro *m, const struct micro_records *r,
                               struct micro_trace *out);
/* True if micro_cycle() changes nothing until another record comes, or, while halted, until
 * micro_resume(). */
bool micro_waits(const struct micro *m, const struct micro_records *r);
/* Halts an engine that is between two records, as a microprogram's interrupt does. */
void micro_halt(struct micro *m);
/* Continues a halted engine with the record at the head. No effect on one that is not halted. */
void micro_resume(struct micro *m);
/* Empties the pipeline and begins anew with the record at the head. Call it when the buffer was
 * flushed, or the microcode or start table changed. */
void micro_restart(struct micro *m);
/* Special operations of the host. */
void micro_invalidate_cam(struct micro *m);
void micro_clear_data(struct micro *m);
void micro_set_lfsr(struct micro *m, uint32_t value);

void micro_ranges(const struct micro *m, struct ranges *rs);
/* NULL, or the broken invariant; records: number of records in the sample buffer. */
const char *micro_check(const struct micro *m, uint64_t records);

#endif
