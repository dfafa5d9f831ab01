/* Between the files of indirect_jumps.h: register values at each block of a function
 * (jump_values.c), and the targets of its jumps that follow (indirect_jumps.c). */
#ifndef CYCLOPS_LOADER_EDIT_INDIRECT_JUMPS_PRIV_H
#define CYCLOPS_LOADER_EDIT_INDIRECT_JUMPS_PRIV_H

#include "loader/edit/edit_priv.h"
#include "loader/edit/indirect_jumps.h"

enum { SP = 2, REGISTERS = 32, SLOTS_MOST = 4096 };

/* Knowledge of a register's value. */
enum value_kind {
	UNKNOWN,
	CONSTANT, /* at */
	LABEL,    /* some label of the function */
	TABLE,    /* an address: at, plus an unknown index */
	ENTRY,    /* loaded from such an address, `width` bytes */
	DISTANCE, /* base plus an entry */
	STACK,    /* the stack pointer at the function's entry, plus at */
};

struct value {
	uint64_t at, base;
	uint8_t kind, width;
};

struct state {
	struct value reg[REGISTERS];
	bool seen;
};

struct finder {
	const struct edit *e;
	const struct edit_function *f;
	struct ways *out;
	uint8_t *pads; /* [instructions], owned */
	bool leaps_out;
	bool failed; /* out of memory */
	/* Fields of the current function. */
	uint32_t *first; /* [count + 1], owned: blocks */
	uint32_t count;
	/* [instructions of the largest function], owned: the block of an instruction, counted from
	 * the function's first */
	uint32_t *block;
	struct state *in; /* [blocks of the largest function], owned */
	/* the same, owned: predecessors, 2 at most; 2 if control may also come otherwise than by
	 * direct jumps */
	uint8_t *froms;
	uint32_t *from;       /* the same, owned: the only predecessor */
	struct state leaping; /* state at targets of jumps with unknown table */
	bool changed;
};

/* The number of entries that the comparison before a jump allows; 0: not known. */
uint64_t jumps_bound(const struct finder *f, uint32_t jump);
const struct edit_section *jumps_data_section(const struct edit *e, uint64_t addr);
void jumps_find_blocks(struct finder *f);
void jumps_follow(struct finder *f);
struct value jumps_value(const struct state *s, unsigned reg);
bool jumps_inside(const struct finder *f, uint32_t i);
/* Whether only jumps through a register reach instruction i. */
bool jumps_is_aimable(const struct finder *f, uint32_t i);
bool jumps_is_code(const struct edit *e, uint32_t i);
bool jumps_is_label(const struct finder *f, const struct value *v);
bool jumps_is_leap(const struct edit_inst *i);
/* Whether a jump through a register may lead to instruction i. */
bool jumps_is_place(const struct finder *f, uint32_t i);
struct state jumps_state_behind(const struct finder *f, uint32_t k);
/* The target in the k-th entry; EDIT_NONE: it is no code. */
uint32_t jumps_slot_target(const struct edit *e, uint32_t section, const struct value *v,
                           uint64_t k);

#endif
