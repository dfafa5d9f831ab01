/* Between the files of switch_plan.h: control flow through a function (switch_flow.c), and where
 * flags change (switch_plan.c). */
#ifndef CYCLOPS_LOADER_INSTRUMENT_SWITCH_PLAN_PRIV_H
#define CYCLOPS_LOADER_INSTRUMENT_SWITCH_PLAN_PRIV_H

#include "loader/edit/loops.h"
#include "loader/instrument/switch_plan.h"

/* Distance of sp below its value at the function's entry. */
#define UNSEEN INT64_MIN
#define UNKNOWN INT64_MAX

enum { TABLES_DATA = 1, TABLES_NAMED = 2 };

/* A function's blocks for switching: jump tables lead to any place in it whose address is known. */
struct body {
	uint32_t *first; /* [count + 1]: instructions; the last is the end */
	uint32_t count;
	int64_t *depth; /* [count]: depth at a block's beginning */
	struct loop_edge *edges;
	uint32_t edge_count;
};

struct planner {
	struct job *j;
	const struct edit_inst *insts;
	const struct edit_function *functions;
	uint32_t function_count;
	/* [function_count], owned: representative of functions that share code: jumps lead from one
	 * into another's middle */
	uint32_t *same;
	/* [function_count], owned: by `same`: 1 + enum skip_reason: without flags; 0 */
	uint8_t *why;
	/* [function_count], owned: by `same`: TABLES_*: data or code has the address of places in
	 * it */
	uint8_t *tables;
	/* [function_count], owned: by `same`: some function of these is to be instrumented */
	uint8_t *wanted;
	/* [function_count], owned: by `same`: it has landing pads, or calls a function that returns
	 * twice */
	uint8_t *catches;
	uint8_t *pads;    /* [count], owned */
	uint8_t *entered; /* [count], owned: another function jumps here */
	struct body body;
	struct switch_plan *out;
	enum switch_units units;
	uint32_t min_loop;
	bool leaps_out; /* some code may jump to another function's label */
};

/* The target of an indirect jump that is no return. */
enum leaps { LEAPS_WITHIN, LEAPS_AWAY, LEAPS_SOMEWHERE };

void planner_body_free(struct body *b);
int64_t planner_depth_at(const struct planner *p, uint32_t block, uint32_t end);
/* Finds blocks by edit_is_leader(); data between them is an empty block. */
bool planner_find_blocks(struct planner *p, const struct edit_function *f);
/* Finds the stack depth of all blocks, and which jumps are jump tables'. */
void planner_find_depths(struct planner *p, const struct edit_function *f);
bool planner_find_edges(struct planner *p, const struct edit_function *f);
bool planner_is_call(const struct edit_inst *i);
bool planner_is_code(const struct planner *p, uint32_t i);
bool planner_is_entry(const struct planner *p, uint32_t i);
bool planner_is_inside(const struct edit_function *f, uint32_t i);
bool planner_is_jump(const struct edit_inst *i);
bool planner_is_leap(const struct edit_inst *i);
void planner_join_functions(struct planner *p);
enum leaps planner_leap(struct planner *p, uint32_t block, uint32_t jump);
/* The instruction after i when control falls through; EDIT_NONE: none is known. */
uint32_t planner_next_of(const struct planner *p, uint32_t i);
uint32_t planner_one_at(struct planner *p, uint32_t i);
uint32_t planner_one_of(struct planner *p, uint32_t f);
void planner_refuse(struct planner *p, uint32_t f, enum skip_reason why);
/* Whether the instruction switches to another frame than its own. */
bool planner_strays(const struct inst *in);
uint32_t planner_target_of(const struct planner *p, uint32_t i);

#endif
