/* Tuples, which the value sampler (core/prof/values/vsample.h) records of instructions, and
 * captures, which select their words. */
#ifndef CYCLOPS_CORE_PROF_VALUES_VSAMPLE_TUPLE_H
#define CYCLOPS_CORE_PROF_VALUES_VSAMPLE_TUPLE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/isa/inst.h"

/*   id, name, contents of the word */
#define VSAMPLE_FIELDS(F)                                                                          \
	F(OPERANDS, "operands", "its source registers' values")                                    \
	F(RESULT, "result", "what it writes to its destination register")                          \
	F(ADDRESS, "address", "the byte address that it accesses")                                 \
	F(LATENCY, "latency", "cycles until a load's data was there")                              \
	F(CONTEXT, "context",                                                                      \
	  "ra and the word at the top of the stack, before it: one of them is the return address " \
	  "of its procedure")

enum vsample_field_bit {
#define F(id, name, help) VSAMPLE_BIT_##id,
	VSAMPLE_FIELDS(F)
#undef F
	VSAMPLE_FIELD_COUNT
};

enum vsample_field {
#define F(id, name, help) VSAMPLE_##id = 1 << VSAMPLE_BIT_##id,
	VSAMPLE_FIELDS(F)
#undef F
};

/* Extra words of a tuple: registers, counters, the system's state, memory. */
enum { VSAMPLE_EXTRAS = 4, VSAMPLE_EXTRA = 1 << 8 /* << which */, VSAMPLE_TUPLE = 1 << 15 };

enum vsample_source {
	VSAMPLE_NOTHING,
	VSAMPLE_REG,
	VSAMPLE_STAT,
	VSAMPLE_CYCLE,
	VSAMPLE_SYSTEM,
	VSAMPLE_MEMORY,
	VSAMPLE_SOURCES
};

/* The source of an extra word, whose value is that before the instruction. */
struct vsample_extra {
	uint64_t source; /* enum vsample_source */
	/* register 0..63; a counter's row in stat_rows; enum system_word; address of 8 bytes */
	uint64_t number;
};

/* Which operations are recorded, with which words. */
struct vsample_capture {
	/* by enum op: VSAMPLE_TUPLE if it is recorded at all, enum vsample_field, VSAMPLE_EXTRA <<
	 * i */
	uint16_t fields[OP_ROOM];
	struct vsample_extra extra[VSAMPLE_EXTRAS];
	uint32_t latencies; /* 1: a module records latencies */
};

/* Cycles from one of the daemon's fetches of taken tuples to the next. */
enum { VSAMPLE_PERIOD = 256 };

/* Captured words that the method could not determine. */
enum vsample_unknown {
	VSAMPLE_NO_OPERAND = 1 << 0, /* and the next two bits: rs1, rs2, rs3 */
	VSAMPLE_NO_RESULT = 1 << 3,
	VSAMPLE_NO_ADDRESS = 1 << 4,
	VSAMPLE_NO_LATENCY = 1 << 5,
	VSAMPLE_NO_LEVEL = 1 << 6,
	VSAMPLE_NO_RA = 1 << 7,
	VSAMPLE_NO_TOP = 1 << 8,
	VSAMPLE_NO_EXTRA = 1 << 9 /* and the next bits, one for each extra word */
};

/* The record of one instruction; words that are not captured, that it does not have, or that are
 * unknown, are 0. */
struct vsample_tuple {
	uint64_t serial;     /* 1, 2, ...: all that were recorded, lost ones too */
	uint64_t sequence;   /* number of its interpretation, from 1 on */
	uint64_t pc;         /* byte address, of its prefix if it has one */
	uint64_t operand[3]; /* rs1, rs2, rs3 */
	uint64_t result;
	uint64_t address;    /* byte address */
	uint64_t ra, top;
	uint32_t word;       /* the instruction as it lies in memory */
	uint32_t latency;    /* cycles */
	/* in its interpretation, from 0 on, counting skipped instructions */
	uint32_t place;
	union {
		uint8_t served; /* both fields */
		struct {
			uint8_t level : 7; /* enum mem_level that served a load, with `latency` */
			/* 1: a load whose line was brought by a load so shortly before it that,
			 * without the handler, it might still have been on its way; with `latency`
			 */
			uint8_t delayed : 1;
		};
	};
	uint8_t version;     /* of the code at pc: core/os/code_versions.h */
	uint16_t unknown;    /* enum vsample_unknown */
	/* last: the handler's records have only the captured ones */
	uint64_t extra[VSAMPLE_EXTRAS];
};

/* True if text is a capture: "result address", "all", "none" (pc and word alone). False with *err,
 * which lists the choices. */
bool vsample_check_capture(const char *text, struct err *err);
/* Reads such a text as enum vsample_field bits; false with *err. */
bool vsample_read_capture(const char *text, unsigned *bits, struct err *err);

#endif
