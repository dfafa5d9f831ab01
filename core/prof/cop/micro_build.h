/* Shared by the files that make a microinstruction of a line: operands, ports, the forms of
 * operations. */
#ifndef CYCLOPS_CORE_PROF_COP_MICRO_BUILD_H
#define CYCLOPS_CORE_PROF_COP_MICRO_BUILD_H

#include "core/prof/cop/micro_read.h"

enum operand_kind {
	OPERAND_SOURCE,   /* number: of micro_sources; literal: its value */
	OPERAND_MEMORY,   /* number: base register; index, literal; lane */
	OPERAND_ENTRY,    /* cam[x]; number: index register */
	OPERAND_CAM,      /* cam */
};

struct operand {
	enum operand_kind kind;
	unsigned number, index, lane;
	uint64_t literal;
	bool has_literal, bracketed, has_lane;
	const char *at;
};

enum { OPERANDS_MAX = 3 };

/* An operation as written. */
struct op {
	const char *at, *end;
	char name[80];
	unsigned width; /* bits; 0: not given */
	unsigned count;
	struct operand operand[OPERANDS_MAX];
};

enum unit { UNIT_ALU, UNIT_INDEX, UNIT_CAM, UNIT_DATA, UNIT_BRANCH, UNIT_COUNT };

/* A microinstruction as far as it is read. Each unit, port and register that is taken has the place
 * in the line of the operation that took it. */
struct building {
	struct reader *r;
	struct micro_inst in;
	unsigned at;
	struct span {
		const char *at, *end;
	} unit[UNIT_COUNT], port_a, literal, wrote_v[MICRO_VALUES], wrote_x[MICRO_INDEXES];
};

/* micro_ports.c. Taking one twice is an error that names both operations. */
bool claim_unit(struct building *b, enum unit u, const struct op *op);
bool claim_v(struct building *b, const struct op *op, unsigned n);
bool claim_x(struct building *b, const struct op *op, unsigned n);
/* Takes the literal, if the operand is one. */
bool take_literal(struct building *b, const struct op *op, const struct operand *o);
/* Takes the main ALU's first source, which the index ALU may share. */
bool take_a(struct building *b, const struct op *op, const struct operand *o);

static inline bool operand_is_v(const struct operand *o)
{
	return o->kind == OPERAND_SOURCE && o->number < MS_V + MICRO_VALUES;
}

static inline bool operand_is_x(const struct operand *o)
{
	return o->kind == OPERAND_SOURCE && o->number >= MS_X && o->number < MS_X + MICRO_INDEXES;
}

#endif
