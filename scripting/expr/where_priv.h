/* Shared by the files of conditions in C: the tree. */
#ifndef CYCLOPS_SCRIPTING_EXPR_WHERE_PRIV_H
#define CYCLOPS_SCRIPTING_EXPR_WHERE_PRIV_H

#include "core/pipe/pipe.h"
#include "hwviews/grid/field_text.h"
#include "hwviews/session/uop_fields.h"
#include "scripting/expr/where.h"

enum { WHERE_PARTS_MAX = 16 };

enum where_op {
	/* constants */
	W_NIL,
	W_BOOL,
	W_INT,
	W_TEXT,
	/* words of the event */
	W_FIELD,
	W_SEQ,
	W_PC,
	W_OP,
	/* words of the machine */
	W_UOP,
	W_REG,
	W_CYCLE,
	W_INSTS,
	/* words without an event */
	W_PLACE,
	W_COUNT,
	W_ENTRY,
	W_COUNTER,
	W_RATIO,
	/* operators, comparisons beside each other */
	W_OR,
	W_AND,
	W_LT,
	W_GT,
	W_LE,
	W_GE,
	W_NE,
	W_EQ,
	W_BOR,
	W_XOR,
	W_BAND,
	W_SHL,
	W_SHR,
	W_ADD,
	W_SUB,
	W_MUL,
	W_IDIV,
	W_MOD,
	W_NOT,
	W_NEG,
	W_BNOT,
	/* comparisons of an integer field, or the pc, with a constant, in the order of the
	 * comparisons */
	W_FIELD_LT,
	W_FIELD_GT,
	W_FIELD_LE,
	W_FIELD_GE,
	W_FIELD_NE,
	W_FIELD_EQ,
	W_PC_LT,
	W_PC_GT,
	W_PC_LE,
	W_PC_GE,
	W_PC_NE,
	W_PC_EQ,
	W_OP_IS /* the op has a certain mnemonic */
};

struct where_node {
	enum where_op op;
	uint16_t a, b;   /* operands; FIELD: its word; OP_IS: another op of this name, or i; UOP,
	                    ENTRY: enum uop_field; REG: its number; COUNTER, RATIO: row of
	                    statistics; COUNT: enum where_queue, as is ENTRY's b */
	uint16_t type;   /* enum field_type of FIELD, UOP, ENTRY */
	/* INT, BOOL; constant that a field is compared with; ENTRY: index from 1, the oldest */
	int64_t i;
	char *text;      /* TEXT, owned */
};

enum where_queue { QUEUE_ROB, QUEUE_LSQ, QUEUE_FETCHQ };

struct where {
	enum event_id id; /* EV_COUNT: no event */
	bool own;        /* uses words of the event only */
	unsigned count, parts;
	uint16_t top;    /* root node */
	/* [parts] operands of the top-level `and`: all must hold */
	uint16_t part[WHERE_PARTS_MAX];
	struct where_node node[];       /* [count] */
};

/* Integer arithmetic as in Lua; false: an error. */
bool where_arithmetic(enum where_op op, int64_t a, int64_t b, int64_t *out);

#endif
