/* Instrumentation of the kinds cct, cct+hw and cct+path: a calling context tree
 * (loader/instrument/cct.h).
 *
 *   entry   finds the procedure's record through gCSP, inline if it is the callee of the last call
 *           there; counts; and, if the procedure calls, stores gCSP and the record in its place
 *   call    gCSP = the call's slot in the record
 *   exit    gCSP = its value at the entry
 *
 * cct+hw (section 4.3): pic0 and pic1 are 0 after a procedure's entry; their counts are added to
 * its record at its calls, exits and loops' back edges, so that callees don't count and longjmp()
 * loses only the last part. Inserted code between two reads of pic is counted, other inserted code
 * is not.
 *
 * cct+path: counters of paths (loader/instrument/path_code.h) lie in the records.
 *
 * As profile instructions: a procedure is in the tree if its flag is on at its entry, and so until
 * its exit; if not, its callees become callees of its caller, and its metrics count for its caller.
 * Where control may come back to a procedure from anywhere, under any flag, plain code keeps it in
 * the tree, and only counting is profile instructions; with `steady` that is so everywhere.
 *
 * A procedure's place is found by the stack pointer at its entry. A procedure is left alone if that
 * is not known at a call, or if it calls before it has lowered the stack pointer, so that its
 * callee would have the same place, and goes on after the call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/instrument/cct_file.h"
#include "loader/instrument/kind_cct.h"
#include "loader/instrument/metrics.h"
#include "loader/instrument/switch_plan.h"

enum { PATH_LOG2 = 8 /* slots of hash tables of paths: there is one in each record */ };

#define CCT_MAGIC UINT64_C(0x3354434343594343) /* "CCYCCCT3" */

/* ---- procedures and slots ---- */
static bool kind_cct_inst_is_code(const struct edit_inst *i)
{
	return !(i->flags & EDIT_DATA);
}

static bool cct_links(const struct edit_inst *i)
{
	return kind_cct_inst_is_code(i) && (inst_flags(&i->in) & OPF_JUMP) && i->in.rd != REG_SINK;
}

struct group *cct_group_at(const struct cct_job *c, uint32_t i)
{
	return &c->groups[c->act.group[c->j->insts[i].function]];
}

/* The group that a direct call leads to; NULL: not known. */
struct group *cct_callee_of(const struct cct_job *c, uint32_t i)
{
	const uint32_t to = c->j->insts[i].ref == REF_NEAR
	                            ? edit_inst_at(c->j->e, c->j->insts[i].target)
	                            : EDIT_NONE;
	return to == EDIT_NONE ? NULL : cct_group_at(c, to);
}

/* Whether control may leave the procedure here: a return or tail call, or a jump that may be
 * one. */
static bool kind_cct_inst_leaves_procedure(const struct cct_job *c, uint32_t i)
{
	const struct edit_inst *in = &c->j->insts[i];
	if (!kind_cct_inst_is_code(in) || cct_links(in))
		return false;
	return ((inst_flags(&in->in) & OPF_INDIRECT) && inst_pops_ras(&in->in)) ||
	       activation_tail_call(c->j->e, &c->act, i) != EDIT_NONE ||
	       activation_indirect_tail_call(c->j->e, &c->act, i);
}

/* Whether a back edge leaves instruction i, but for the one that repeats an atomic sequence. */
static bool goes_back(const struct cct_job *c, uint32_t i)
{
	const struct edit_inst *in = &c->j->insts[i];
	const uint32_t to = in->ref == REF_NEAR && kind_cct_inst_is_code(in) && !cct_links(in)
	                            ? edit_inst_at(c->j->e, in->target)
	                            : EDIT_NONE;
	return to <= i && c->j->insts[to].function == in->function &&
	       edit_may_insert_taken(c->j->e, i);
}

/* Whether system call i is clone with a stack, or clone3, judged by the instructions before it. */
static bool begins_on_other_stack(const struct cct_job *c, uint32_t i)
{
	enum { A1 = 11, A7 = 17, SYS_CLONE = 220, SYS_CLONE3 = 435, LOOK_BACK = 24 };
	const struct edit_inst *all = c->j->insts;
	int32_t number = -1, stack = -1;
	bool numbered = false, stacked = false;
	for (uint32_t k = i; k-- > 0 && i - k < LOOK_BACK && kind_cct_inst_is_code(&all[k]) &&
	                     all[k].function == all[i].function && !(numbered && stacked);) {
		const struct inst *in = &all[k].in;
		const int32_t value = in->op == OP_ADDI && in->rs1 == 0 ? in->imm : -1;
		if (in->rd == A7 && !numbered) {
			number = value;
			numbered = true;
		} else if (in->rd == A1 && !stacked) {
			stack = value;
			stacked = true;
		}
	}
	return number == SYS_CLONE3 || (number == SYS_CLONE && stack != 0);
}

static void look_at_all(struct cct_job *c)
{
	for (uint32_t i = 0; i < c->j->count; i++) {
		struct group *g = cct_group_at(c, i);
		const struct edit_inst *in = &c->j->insts[i];
		if (!kind_cct_inst_is_code(in))
			continue;
		g->other_stack |= in->in.op == OP_ECALL && begins_on_other_stack(c, i);
		if (cct_links(in)) {
			g->calls = true;
			if (!reg_is_link(in->in.rd))
				g->why = LEFT_LINKS_OTHERWISE;
			else if (c->act.at[i].reached)
				g->sites++;
		} else if (activation_tail_call(c->j->e, &c->act, i) != EDIT_NONE ||
		           activation_indirect_tail_call(c->j->e, &c->act, i)) {
			g->goes_on = true;
		}
	}
}

bool cct_passes_over(const struct cct_job *c)
{
	return c->j->type >= 0 && !c->j->o->steady;
}

/* True if the callee never uses a place: then it may share its caller's place. */
static bool needs_no_place(const struct cct_job *c, uint32_t i)
{
	const struct group *callee = cct_callee_of(c, i);
	return callee && !callee->calls && !callee->goes_on && !c->hardware && !c->paths;
}

/* Whether instruction i needs the activation's place, and it is not known. */
static bool is_lost(const struct cct_job *c, uint32_t i)
{
	const struct edit_inst *in = &c->j->insts[i];
	const bool call = cct_links(in), goes_on = !(inst_flags(&in->in) & OPF_CONTROL);
	const struct activation at =
		goes_on ? activation_behind(c->j->e, &c->act, i) : c->act.at[i];
	int32_t more;
	if (!call && !kind_cct_inst_leaves_procedure(c, i))
		return false;
	/* A return with an unknown stack pointer is unwinding: its target restores gCSP. */
	return !activation_base(&at, &more) && (call || !inst_pops_ras(&in->in));
}

static void leave_alone(struct cct_job *c, uint32_t entry)
{
	struct group *first = cct_group_at(c, entry);
	for (uint32_t f = 0; f < c->function_count; f++)
		if (job_untouched(&c->functions[f]) != LEFT_WHY_COUNT)
			c->groups[c->act.group[f]].why =
				(uint16_t)job_untouched(&c->functions[f]);
	for (uint32_t f = 0; f < c->function_count; f++) {
		struct group *g = &c->groups[f];
		if (g->other_stack && g->why == LEFT_WHY_COUNT &&
		    (g->sites || c->hardware || c->paths))
			g->why = LEFT_OTHER_STACK;
	}
	for (uint32_t i = 0; i < c->j->count; i++)
		first->fixed |= cct_group_at(c, i) == first &&
		                kind_cct_inst_is_code(&c->j->insts[i]) && c->act.at[i].reached &&
		                is_lost(c, i);
	for (uint32_t i = 0; i < c->j->count; i++) {
		struct group *g = cct_group_at(c, i);
		const struct activation *at = &c->act.at[i];
		if (!kind_cct_inst_is_code(&c->j->insts[i]) || !g->sites || !at->reached ||
		    g->fixed || g->why == LEFT_DENIED || g->why == LEFT_FIXED ||
		    g->why == LEFT_ENTERED)
			continue;
		if (is_lost(c, i))
			g->why = LEFT_STACK_UNKNOWN;
		else if (cct_links(&c->j->insts[i]) && at->sp > -16 &&
		         at->sp != ACTIVATION_UNKNOWN && !needs_no_place(c, i) &&
		         !activation_call_is_last(c->j->e, &c->act, i))
			g->why = LEFT_CALLS_EARLY;
	}
}

static bool number_slots(struct cct_job *c)
{
	struct job *j = c->j;
	for (uint32_t f = 0; f < c->function_count; f++) {
		struct group *g = &c->groups[f];
		g->sites = g->why == LEFT_WHY_COUNT ? g->sites : 0;
		g->slots = g->sites && j->o->merge_sites ? 1 : g->sites;
		g->first = c->slots;
		c->slots += g->slots;
	}
	c->slot = alloc_zeroed(j->count + (size_t)1, sizeof *c->slot);
	c->site_at = alloc_zeroed(c->slots + (size_t)1, sizeof *c->site_at);
	c->list_at = alloc_zeroed(c->slots + (size_t)1, sizeof *c->list_at);
	if (!c->slot || !c->site_at || !c->list_at)
		return err_set(j->err, "out of memory for call sites");
	for (uint32_t i = 0; i < j->count; i++) {
		struct group *g = cct_group_at(c, i);
		c->slot[i] = EDIT_NONE;
		if (!g->slots || !cct_links(&j->insts[i]) || !c->act.at[i].reached)
			continue;
		const struct group *callee = cct_callee_of(c, i);
		const bool list = j->o->merge_sites || !callee || callee->goes_on ||
		                  callee->why != LEFT_WHY_COUNT || cct_passes_over(c);
		c->slot[i] = j->o->merge_sites ? 0 : g->filled++;
		c->site_at[g->first + c->slot[i]] = j->o->merge_sites ? 0 : j->insts[i].addr;
		c->list_at[g->first + c->slot[i]] = list;
	}
	return true;
}

/* Plans the paths of each instrumented function, with tables after the metrics; advances the
 * callees of its group. */
static bool plan_paths(struct cct_job *c)
{
	c->plans = alloc_zeroed(c->function_count + (size_t)1, sizeof *c->plans);
	c->table_at = alloc_zeroed(c->function_count + (size_t)1, sizeof *c->table_at);
	if (!c->plans || !c->table_at)
		return err_set(c->j->err, "out of memory for paths in contexts");
	for (uint32_t f = 0; f < c->function_count; f++) {
		struct group *g = &c->groups[c->act.group[f]];
		if (g->why != LEFT_WHY_COUNT || !g->entered)
			continue;
		if (!path_plan(&c->counting, &c->functions[f], &c->plans[f]))
			return false;
		if (!c->plans[f].counted)
			continue;
		c->table_at[f] = g->callees;
		g->callees += (uint32_t)(path_table_bytes(&c->plans[f].table) + 7) / 8 * 8;
	}
	return true;
}

/* Places lists after the slots. */
static void lay_out_records(struct cct_job *c)
{
	for (uint32_t f = 0; f < c->function_count; f++) {
		struct group *g = &c->groups[f];
		g->place = g->slots || c->hardware || c->paths;
		g->bytes = (g->callees + 8 * g->slots + 15) / 16 * 16;
		for (uint32_t k = g->first; k < g->first + g->slots; k++) {
			if (!c->list_at[k])
				continue;
			c->list_at[k] = g->bytes;
			g->bytes += 16;
		}
	}
}

/* ---- all of it ---- */
static bool kind_cct_insert_procedure_code(struct cct_job *c, uint32_t f)
{
	const struct edit_inst *first = &c->j->insts[c->functions[f].first];
	struct group *g = cct_group_at(c, c->functions[f].first);
	const uint64_t spare = g->spare = edit_memory(c->j->e, g->bytes);
	c->spare_bytes = spare + g->bytes - c->spares;
	const struct cct_table t = {
		.id = (uint32_t)first->addr,
		.bytes = g->bytes,
		.callees = g->callees,
		.sites = g->slots,
		.spare = spare,
		.lists = c->list_at + g->first,
	};
	if (first->addr > INT32_MAX)
		return err_set(
			c->j->err,
			"%s lies above 2 GB: records of the tree name procedures below that only",
			c->functions[f].name);
	const uint64_t table = cct_put_table(c->j->e, &t, c->j->err);
	c->procedures[c->procedure_count++] = (struct cct_procedure){
		.at = first->addr,
		.size = g->bytes,
		.callees = g->callees,
		.first = g->first,
		.sites = g->slots,
		.spare = spare,
		.group = c->act.group[f],
	};
	return table && cct_put_entry(c, f, table);
}

static bool kind_cct_insert_all_code(struct cct_job *c)
{
	struct job *j = c->j;
	for (uint32_t f = 0; f < c->function_count; f++) {
		const struct group *g = cct_group_at(c, c->functions[f].first);
		if (!c->act.entry[f])
			continue;
		if (g->why != LEFT_WHY_COUNT
		            ? job_untouched(&c->functions[f]) == LEFT_WHY_COUNT &&
		                      !job_leave(j, &c->functions[f], (enum skip_reason)g->why)
		            : !kind_cct_insert_procedure_code(c, f))
			return false;
	}
	for (uint32_t f = 0; c->paths && f < c->function_count; f++)
		if (!cct_put_paths(c, f))
			return false;
	for (uint32_t i = 0; i < j->count; i++) {
		const struct group *g = cct_group_at(c, i);
		if (c->m.words && kind_cct_inst_is_code(&j->insts[i]) &&
		    j->insts[i].in.op == OP_ECALL && !cct_put_thread_end(c, i))
			return false;
		if (c->slot[i] != EDIT_NONE && !cct_put_call(c, i))
			return false;
		if (!g->place || g->why != LEFT_WHY_COUNT || !c->act.at[i].reached)
			continue;
		if (kind_cct_inst_leaves_procedure(c, i)
		            ? !cct_put_exit(c, i)
		            : c->hardware && goes_back(c, i) && !cct_put_back(c, i))
			return false;
	}
	return true;
}

/* Inserts code at each system call: one that ends the program writes the tree first. */
static bool put_saves(struct cct_job *c, const struct cct_head *head, uint64_t digest)
{
	struct job *j = c->j;
	const char *file = j->o->cct_file;
	struct cct_signals s;
	const uint64_t save = cct_put_save(j->e, head, digest, file, j->err);
	bool ok = save && cct_signals_put(j->e, save, &s, j->err) &&
	          edit_section(j->e, CCT_FILE_SECTION, file, strlen(file) + 1, j->err) &&
	          cct_put_start_of_file(c, edit_inst_at(j->e, edit_entry(j->e)), &s);
	for (uint32_t i = 0; ok && i < j->count; i++)
		if (kind_cct_inst_is_code(&j->insts[i]) && j->insts[i].in.op == OP_ECALL)
			ok = cct_put_system_call(c, i, &s);
	return ok;
}

static bool kind_cct_write_section(struct cct_job *c)
{
	const struct cct_head head = {
		.magic = CCT_MAGIC,
		.state = c->m.state,
		.heap = c->m.heap,
		.heap_bytes = c->m.heap_bytes,
		.words = c->m.words,
		.metrics = c->m.metrics,
		.merged = c->j->o->merge_sites,
		.spares = c->spares,
		.spare_bytes = c->spare_bytes,
		.procedures = c->procedure_count,
		.sites = c->slots,
	};
	const size_t procedures = c->procedure_count * sizeof *c->procedures,
		     sites = c->slots * sizeof *c->site_at;
	uint8_t *bytes = alloc_bytes(sizeof head + procedures + sites);
	if (!bytes)
		return err_set(c->j->err, "out of memory for contexts");
	memcpy(bytes, &head, sizeof head);
	memcpy(bytes + sizeof head, c->procedures, procedures);
	memcpy(bytes + sizeof head + procedures, c->site_at, sites);
	bool ok = edit_section(c->j->e, CCT_SECTION, bytes, sizeof head + procedures + sites,
	                       c->j->err);
	if (ok && c->j->o->cct_file)
		ok = put_saves(c, &head, cct_digest(bytes, sizeof head + procedures + sites));
	free(bytes);
	return ok;
}

/* Where the first procedure of a context that makecontext() has made returns to; 0: nowhere. */
static uint64_t find_context_start(const struct cct_job *c)
{
	for (uint32_t f = 0; f < c->function_count; f++) {
		const struct edit_function *at = &c->functions[f];
		for (uint32_t i = at->first; !strcmp(at->name, "__start_context") &&
		                             i + 1 < at->first + at->count;
		     i++)
			if (cct_links(&c->j->insts[i]))
				return c->j->insts[i + 1].addr;
	}
	return 0;
}

static bool kind_cct_init_job(struct cct_job *c, uint32_t entry)
{
	struct job *j = c->j;
	if (!activations_of(j->e, &c->act, j->err))
		return false;
	c->functions = edit_functions(j->e, &c->function_count);
	c->groups = alloc_zeroed(c->function_count + (size_t)1, sizeof *c->groups);
	c->procedures = alloc_zeroed(c->function_count + (size_t)1, sizeof *c->procedures);
	if (!c->groups || !c->procedures)
		return err_set(j->err, "out of memory for contexts");
	for (uint32_t f = 0; f < c->function_count; f++) {
		c->groups[f].why = LEFT_WHY_COUNT;
		c->groups[f].callees = CCT_METRICS + 8 * c->m.metrics;
	}
	for (uint32_t f = 0; f < c->function_count; f++)
		c->groups[c->act.group[f]].entered |= c->act.entry[f];
	c->m.state = edit_memory(j->e, CCT_PLACES + ((size_t)1 << CCT_STACK_LOG2));
	c->m.heap = edit_memory(j->e, c->m.heap_bytes);
	look_at_all(c);
	leave_alone(c, entry);
	if (j->o->atomic) {
		c->m.words = edit_memory(j->e, (size_t)1 << CCT_WORDS_LOG2);
		c->m.context_end = find_context_start(c);
	}
	c->find = cct_put_find(j->e, &c->m, j->err);
	return c->find && number_slots(c) &&
	       (!c->paths ||
	        (path_counting_init(&c->counting, j, false, PATH_LOG2) && plan_paths(c)));
}

/* Reports flags that a tree cannot have: a procedure must be entered and left under one. */
static bool refuse_flags(const struct job *j)
{
	char why[192] = "; use units methods, or steady";
	const uint32_t catcher = j->plan ? j->plan->catcher : EDIT_NONE;
	if (catcher != EDIT_NONE)
		snprintf(why, sizeof why,
		         ", and %.96s, to which a jump from anywhere may come back, can't have "
		         "one; use steady",
		         edit_functions(j->e, &(uint32_t){0})[catcher].name);
	else if (j->plan)
		snprintf(why, sizeof why, ", and the program switches flags by itself; use steady");
	return err_set(j->err,
	               "a procedure is entered and left under one flag: %s=%d needs flags at "
	               "methods' entries%s",
	               instrument_name[j->kind], j->type, why);
}

bool count_contexts(struct job *j)
{
	struct cct_job c = {
		.j = j,
		.m = {.heap_bytes = j->o->heap_bytes ? j->o->heap_bytes : INSTRUMENT_HEAP,
		      .metrics = j->kind == INSTRUMENT_CCT_HW ? 1 + INSTRUMENT_METRICS : 1},
		.hardware = j->kind == INSTRUMENT_CCT_HW,
		.paths = j->kind == INSTRUMENT_CCT_PATH,
	};
	const uint32_t entry = edit_inst_at(j->e, edit_entry(j->e));
	if (j->type >= 0 && !job_is_steady(j) && !j->o->steady)
		return refuse_flags(j);
	bool ok = kind_cct_init_job(&c, entry);
	if (ok) {
		lay_out_records(&c);
		c.spares = edit_memory_here(j->e);
		ok = cct_put_start(&c, entry) && (!c.hardware || metrics_select(j)) &&
		     kind_cct_insert_all_code(&c) && kind_cct_write_section(&c) &&
		     (!c.paths || path_describe_all(&c.counting));
	}
	for (uint32_t f = 0; c.plans && f < c.function_count; f++)
		path_plan_free(&c.plans[f]);
	path_counting_free(&c.counting);
	activations_free(&c.act);
	free(c.plans);
	free(c.table_at);
	free(c.groups);
	free(c.procedures);
	free(c.slot);
	free(c.site_at);
	free(c.list_at);
	return ok;
}
