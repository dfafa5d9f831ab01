/* Between the files of indirect_jumps.h: what registers hold at each block of a function
 * (jump_values.c), and where its jumps lead by that (indirect_jumps.c). */
#ifndef CYCLOPS_LOADER_EDIT_INDIRECT_JUMPS_PRIV_H
#define CYCLOPS_LOADER_EDIT_INDIRECT_JUMPS_PRIV_H

#include "loader/edit/edit_priv.h"
#include "loader/edit/indirect_jumps.h"

enum { SP = 2, REGISTERS = 32, SLOTS_MOST = 4096 };

/* What a register holds. */
enum value_kind {
	UNKNOWN,
	CONSTANT, /* at */
	LABEL,    /* some label of the function */
	TABLE,    /* an address: at, and an index that nobody knows */
	ENTRY,    /* what was loaded from there, `width` bytes */
	DISTANCE, /* base, and an entry */
	STACK,    /* the stack pointer that the function was entered with, and at */
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
	bool failed; /* memory is out */
	/* Of the function. */
	uint32_t *first; /* [count + 1], owned: blocks */
	uint32_t count;
	/* [instructions of the largest function], owned: by instruction, less the function's first
	 */
	uint32_t *block;
	struct state *in; /* [blocks of the largest function], owned */
	/* the same, owned: how many come to each, 2 at most, 2 if others than direct jumps may */
	uint8_t *froms;
	uint32_t *from;       /* the same, owned: the block that comes, if it is one */
	struct state leaping; /* where jumps through registers lead that may lead anywhere */
	bool changed;
};

/* How many entries the comparison before a jump lets through; 0: nobody knows. */
uint64_t jumps_bound(const struct finder *f, uint32_t jump);
const struct edit_section *jumps_data_section(const struct edit *e, uint64_t addr);
void jumps_find_blocks(struct finder *f);
void jumps_follow(struct finder *f);
struct value jumps_value(const struct state *s, unsigned reg);
bool jumps_inside(const struct finder *f, uint32_t i);
/* One to which nobody else goes. */
bool jumps_is_aimable(const struct finder *f, uint32_t i);
bool jumps_is_code(const struct edit *e, uint32_t i);
bool jumps_is_label(const struct finder *f, const struct value *v);
bool jumps_is_leap(const struct edit_inst *i);
/* A place that a jump through a register may lead to. */
bool jumps_is_place(const struct finder *f, uint32_t i);
struct state jumps_state_behind(const struct finder *f, uint32_t k);
/* What the k-th entry leads to; EDIT_NONE: it is none. */
uint32_t jumps_slot_target(const struct edit *e, uint32_t section, const struct value *v,
                           uint64_t k);

#endif
