/* Between the files of switch_plan.h: how control goes through a function (switch_flow.c), and
 * where flags change by that (switch_plan.c). */
#ifndef CYCLOPS_LOADER_INSTRUMENT_SWITCH_PLAN_PRIV_H
#define CYCLOPS_LOADER_INSTRUMENT_SWITCH_PLAN_PRIV_H

#include "loader/edit/loops.h"
#include "loader/instrument/switch_plan.h"

/* How far sp is below where it was when the function was entered. */
#define UNSEEN INT64_MIN
#define UNKNOWN INT64_MAX

enum { TABLES_DATA = 1, TABLES_NAMED = 2 };

/* A function's blocks, as whoever switches sees them: jump tables lead anywhere in it whose address
 * is known. */
struct body {
	uint32_t *first; /* [count + 1]: instructions; the last is the end's */
	uint32_t count;
	int64_t *depth; /* [count]: where a block begins */
	struct loop_edge *edges;
	uint32_t edge_count;
};

struct planner {
	struct job *j;
	const struct edit_inst *insts;
	const struct edit_function *functions;
	uint32_t function_count;
	/* [function_count], owned: functions whose code is one's: jumps lead from one into the
	 * other's middle */
	uint32_t *same;
	/* [function_count], owned: of a `same`, 1 + enum skip_reason: it has no flags; 0 */
	uint8_t *why;
	/* [function_count], owned: of a `same`: TABLES_*: places in it have an address that data or
	 * code knows */
	uint8_t *tables;
	/* [function_count], owned: of a `same`: one of them is to be instrumented */
	uint8_t *wanted;
	/* [function_count], owned: of a `same`: it has landing pads, or calls what returns twice */
	uint8_t *catches;
	uint8_t *pads;    /* [count], owned */
	uint8_t *entered; /* [count], owned: another function jumps here */
	struct body body;
	struct switch_plan *out;
	enum switch_units units;
	uint32_t min_loop;
	bool leaps_out; /* somebody may jump to another function's label */
};

/* What an indirect jump that is no return does. */
enum leaps { LEAPS_WITHIN, LEAPS_AWAY, LEAPS_SOMEWHERE };

void planner_body_free(struct body *b);
int64_t planner_depth_at(const struct planner *p, uint32_t block, uint32_t end);
/* Blocks are those of edit_is_leader(); data between them is a block in which nothing happens. */
bool planner_find_blocks(struct planner *p, const struct edit_function *f);
/* Depths of all blocks, and which jumps are tables'. */
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
/* What is executed behind i if it doesn't jump; EDIT_NONE: nothing that is known. */
uint32_t planner_next_of(const struct planner *p, uint32_t i);
uint32_t planner_one_at(struct planner *p, uint32_t i);
uint32_t planner_one_of(struct planner *p, uint32_t f);
void planner_refuse(struct planner *p, uint32_t f, enum skip_reason why);
/* It goes back by another frame than its own. */
bool planner_strays(const struct inst *in);
uint32_t planner_target_of(const struct planner *p, uint32_t i);

#endif
