/* Instrumentation of kind cct: a calling context tree (loader/edit/cct.h).
 *
 *   entry   finds the procedure's record by what gCSP points to, inline if it is the one that was called from there before; counts; and, if the
 *           procedure calls, puts gCSP and the record into its place
 *   call    gCSP = its slot of the record
 *   exit    gCSP = what it was at the entry
 *
 * A procedure's place is known by the stack pointer that it was entered with. One in which that isn't known where it calls, or that calls before it
 * has lowered the stack pointer, so that its callee would have the same, is left alone. */
#include <stdlib.h>
#include <string.h>

#include "loader/edit/activation.h"
#include "loader/edit/cct.h"
#include "loader/edit/cct_code.h"
#include "loader/edit/kind.h"

enum { SP = 2, STACK_LOG2 = 23 /* bytes: Linux's limit. Deeper stacks share places */ };

#define CCT_MAGIC UINT64_C(0x3154434343594343) /* "CCYCCCT1" */

/* What shares code (loader/edit/activation.h). */
struct group {
	uint32_t sites;      /* calls that are counted */
	uint32_t slots;      /* sites, or 1 if they are merged */
	uint32_t first;      /* its first in `site_at` */
	uint32_t bytes;      /* of its records */
	uint32_t filled;
	uint16_t why;        /* enum left_why, LEFT_WHY_COUNT: instrumented */
	bool calls;          /* anything, counted or not */
	bool goes_on;        /* it may end by a tail call */
	bool fixed;          /* its place is fixed: the program begins in it */
};

struct cct_job {
	struct job *j;
	struct activations act;
	struct group *groups;    /* [functions], owned: by act.group */
	const struct edit_function *functions;
	uint32_t function_count;
	uint32_t *slot;          /* [instructions], owned: of a call that is counted, else EDIT_NONE */
	uint64_t *site_at;       /* [slots of all groups], owned: addresses of calls */
	uint32_t *list_at;       /* the same, owned: where in a record a slot's list begins; 0: none */
	uint32_t slots;
	struct cct_procedure *procedures; /* [procedure_count], owned */
	uint32_t procedure_count;
	uint64_t find;           /* routine */
	uint64_t state, heap, spares; /* addresses */
	uint64_t spare_bytes;
	uint64_t heap_bytes;
	uint32_t callees;        /* where slots begin in a record */
};

/* ---- which procedures, with which slots ---- */
static bool is_code(const struct edit_inst *i)
{
	return !(i->flags & EDIT_DATA);
}

static bool links(const struct edit_inst *i)
{
	return is_code(i) && (inst_flags(&i->in) & OPF_JUMP) && i->in.rd != REG_SINK;
}

static struct group *group_at(const struct cct_job *c, uint32_t i)
{
	return &c->groups[c->act.group[c->j->insts[i].function]];
}

/* The group that a direct call leads to; NULL: nobody knows. */
static struct group *callee_of(const struct cct_job *c, uint32_t i)
{
	const uint32_t to = c->j->insts[i].ref == REF_NEAR ? edit_inst_at(c->j->e, c->j->insts[i].target) : EDIT_NONE;
	return to == EDIT_NONE ? NULL : group_at(c, to);
}

/* Whether control leaves the procedure here: returns and tail calls, or what may be one. */
static bool leaves(const struct cct_job *c, uint32_t i)
{
	const struct edit_inst *in = &c->j->insts[i];
	if (!is_code(in) || links(in))
		return false;
	return ((inst_flags(&in->in) & OPF_INDIRECT) && inst_pops_ras(&in->in)) || activation_tail_call(c->j->e, &c->act, i) != EDIT_NONE ||
	       activation_indirect_tail_call(c->j->e, &c->act, i);
}

static void look_at_all(struct cct_job *c)
{
	for (uint32_t i = 0; i < c->j->count; i++) {
		struct group *g = group_at(c, i);
		const struct edit_inst *in = &c->j->insts[i];
		if (!is_code(in))
			continue;
		if (links(in)) {
			g->calls = true;
			if (!reg_is_link(in->in.rd))
				g->why = LEFT_LINKS_OTHERWISE;
			else if (c->act.at[i].reached)
				g->sites++;
		} else if (activation_tail_call(c->j->e, &c->act, i) != EDIT_NONE || activation_indirect_tail_call(c->j->e, &c->act, i)) {
			g->goes_on = true;
		}
	}
}

/* Whether what is called here has the place of its caller: no, if it needs none. */
static bool needs_no_place(const struct cct_job *c, uint32_t i)
{
	const struct group *callee = callee_of(c, i);
	return callee && !callee->calls && !callee->goes_on;
}

static void leave_alone(struct cct_job *c, uint32_t entry)
{
	for (uint32_t i = 0; i < c->j->count; i++) {
		struct group *g = group_at(c, i);
		int32_t more = 0;
		if (!is_code(&c->j->insts[i]) || !g->sites || !c->act.at[i].reached)
			continue;
		const bool call = links(&c->j->insts[i]);
		if (!call && !leaves(c, i))
			continue;
		const bool known = activation_base(&c->act, i, &more);
		/* Who returns with an unknown stack pointer unwinds: where it goes, gCSP is put back. */
		const bool needed = call || !inst_pops_ras(&c->j->insts[i].in);
		const bool moved = !call && c->j->insts[i].in.rd == SP; /* the next procedure is gone on to with another one */
		if (g == group_at(c, entry) && !known)
			g->fixed = true;
		else if ((!known || moved) && needed)
			g->why = LEFT_STACK_UNKNOWN;
		else if (call && c->act.at[i].sp > -16 && c->act.at[i].sp != ACTIVATION_UNKNOWN && !g->fixed && !needs_no_place(c, i))
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
	c->slot = calloc(j->count + (size_t)1, sizeof *c->slot);
	c->site_at = calloc(c->slots + (size_t)1, sizeof *c->site_at);
	c->list_at = calloc(c->slots + (size_t)1, sizeof *c->list_at);
	if (!c->slot || !c->site_at || !c->list_at)
		return err_set(j->err, "out of memory for call sites");
	for (uint32_t i = 0; i < j->count; i++) {
		struct group *g = group_at(c, i);
		c->slot[i] = EDIT_NONE;
		if (!g->slots || !links(&j->insts[i]) || !c->act.at[i].reached)
			continue;
		const struct group *callee = callee_of(c, i);
		const bool list = j->o->merge_sites || !callee || callee->goes_on || callee->why != LEFT_WHY_COUNT;
		c->slot[i] = j->o->merge_sites ? 0 : g->filled++;
		c->site_at[g->first + c->slot[i]] = j->o->merge_sites ? 0 : j->insts[i].addr;
		c->list_at[g->first + c->slot[i]] = list;
	}
	return true;
}

/* Lists stand behind the slots. */
static void lay_out_records(struct cct_job *c)
{
	for (uint32_t f = 0; f < c->function_count; f++) {
		struct group *g = &c->groups[f];
		g->bytes = (c->callees + 8 * g->slots + 15) / 16 * 16;
		for (uint32_t k = g->first; k < g->first + g->slots; k++) {
			if (!c->list_at[k])
				continue;
			c->list_at[k] = g->bytes;
			g->bytes += 16;
		}
	}
}

/* ---- code ---- */
static bool place(struct cct_job *c, put_fn *put, uint32_t i, struct writer *w)
{
	c->j->sum->spilled += w->spilled;
	return put(c->j->e, i, w->code, w->n, c->j->err);
}

static void put_address(struct writer *w, unsigned rd, uint64_t of)
{
	writer_put_ref(w, OP_AUIPC, rd, 0, 0, REF_HIGH, of);
	writer_put_ref(w, OP_ADDI, rd, rd, 0, REF_LOW, 0);
}

/* state = where the program's words are, at = the place of the activation that instruction i is in; what it has there is so many bytes behind at. */
static int32_t put_place(struct cct_job *c, struct writer *w, uint32_t i, unsigned state, unsigned at)
{
	int32_t more = 0;
	unsigned base = activation_base(&c->act, i, &more);
	put_address(w, state, c->state);
	if (group_at(c, i)->fixed) {
		writer_put(w, OP_ADDI, at, state, 0, 0);
		return CCT_FIXED;
	}
	if (base == SP)
		more += writer_sp(w);
	if (more < -2048 || more > 2047) {
		writer_put_constant(w, at, more);
		writer_put(w, OP_ADD, at, at, base, 0);
	} else if (more) {
		writer_put(w, OP_ADDI, at, base, 0, more);
	}
	if (more)
		base = at;
	writer_put(w, OP_SLLI, at, base, 0, 64 - STACK_LOG2);
	writer_put(w, OP_SRLI, at, at, 0, 64 - STACK_LOG2);
	writer_put(w, OP_ADD, at, at, state, 0);
	return CCT_PLACES;
}

/* Only these registers are used, and saved where they matter. */
static void begin_with(struct writer *w, uint32_t live)
{
	writer_begin_with(w, 5, live, ~CCT_REGISTERS);
}

/* Any two that don't tell where the activation's place is. */
static void begin_at(const struct cct_job *c, struct writer *w, uint32_t i, uint32_t live)
{
	int32_t more;
	const uint32_t base = UINT32_C(1) << activation_base(&c->act, i, &more);
	writer_begin(w, live | base, base);
}

static bool put_begin(struct cct_job *c, uint32_t entry)
{
	struct writer w = {.type = -1};
	begin_with(&w, job_live_at(c->j, entry));
	cct_put_begin(&w, c->state, c->heap, c->heap_bytes, 1);
	writer_end(&w);
	return place(c, edit_enter, entry, &w);
}

static bool put_entry(struct cct_job *c, uint32_t f, uint64_t table)
{
	const uint32_t i = c->functions[f].first;
	const struct group *g = group_at(c, i);
	const unsigned value = CCT_TABLE, state = CCT_BASE;
	struct writer w = {.type = -1};
	begin_with(&w, job_live_at(c->j, i));
	const unsigned search = writer_new_label(&w), found = writer_new_label(&w);
	put_address(&w, state, c->state);
	writer_put(&w, OP_LD, CCT_SLOT, state, 0, CCT_CSP);
	writer_put(&w, OP_LD, CCT_RECORD_REG, CCT_SLOT, 0, 0);
	writer_put(&w, OP_ANDI, value, CCT_RECORD_REG, 0, CCT_TAGS);
	writer_branch(&w, OP_BNE, value, 0, search);
	writer_put(&w, OP_LD, value, CCT_RECORD_REG, 0, CCT_ID);
	writer_put_constant(&w, CCT_LINK, (int32_t)c->j->insts[i].addr);
	writer_branch(&w, OP_BEQ, value, CCT_LINK, found);
	writer_here(&w, search);
	put_address(&w, CCT_TABLE, table);
	writer_call(&w, CCT_LINK, c->find);
	writer_here(&w, found);
	writer_put(&w, OP_LD, value, CCT_RECORD_REG, 0, CCT_METRICS);
	writer_put(&w, OP_ADDI, value, value, 0, 1);
	writer_put(&w, OP_SD, REG_SINK, CCT_RECORD_REG, value, CCT_METRICS);
	if (g->slots) {
		const int32_t at = put_place(c, &w, i, state, value);
		writer_put(&w, OP_SD, REG_SINK, value, CCT_SLOT, at);
		writer_put(&w, OP_SD, REG_SINK, value, CCT_RECORD_REG, at + 8);
	}
	writer_end(&w);
	return place(c, edit_enter, i, &w);
}

static bool put_call(struct cct_job *c, uint32_t i)
{
	struct writer w = {.type = -1};
	begin_at(c, &w, i, job_live_at(c->j, i));
	const unsigned state = w.temporary[0], value = w.temporary[1];
	const uint32_t slot = c->callees + 8 * c->slot[i];
	const int32_t at = put_place(c, &w, i, state, value);
	writer_put(&w, OP_LD, value, value, 0, at + 8);
	for (uint32_t left = slot; left; left -= left > 2040 ? 2040 : left)
		writer_put(&w, OP_ADDI, value, value, 0, left > 2040 ? 2040 : (int32_t)left);
	writer_put(&w, OP_SD, REG_SINK, state, value, CCT_CSP);
	writer_end(&w);
	return place(c, edit_before, i, &w);
}

static bool put_exit_at(struct cct_job *c, uint32_t i, put_fn *put, uint32_t live)
{
	int32_t more;
	struct writer w = {.type = -1};
	if (!activation_base(&c->act, i, &more) && !group_at(c, i)->fixed)
		return true;
	begin_at(c, &w, i, live);
	const unsigned state = w.temporary[0], value = w.temporary[1];
	const int32_t at = put_place(c, &w, i, state, value);
	writer_put(&w, OP_LD, value, value, 0, at);
	writer_put(&w, OP_SD, REG_SINK, state, value, CCT_CSP);
	writer_end(&w);
	return place(c, put, i, &w);
}

static bool put_exit(struct cct_job *c, uint32_t i)
{
	const unsigned flags = inst_flags(&c->j->insts[i].in);
	if (flags & OPF_BRANCH)
		return put_exit_at(c, i, edit_taken, job_live_taken(c->j, i));
	if (flags & OPF_JUMP)
		return put_exit_at(c, i, edit_before, job_live_at(c->j, i));
	return put_exit_at(c, i, edit_behind, job_live_behind(c->j, i));
}

/* ---- all of it ---- */
static bool put_procedure(struct cct_job *c, uint32_t f)
{
	const struct edit_inst *first = &c->j->insts[c->functions[f].first];
	const struct group *g = group_at(c, c->functions[f].first);
	const uint64_t spare = edit_memory(c->j->e, g->bytes);
	c->spare_bytes = spare + g->bytes - c->spares;
	const struct cct_table t = {
		.id = (uint32_t)first->addr, .bytes = g->bytes, .callees = c->callees, .sites = g->slots, .spare = spare, .lists = c->list_at + g->first,
	};
	if (first->addr > INT32_MAX)
		return err_set(c->j->err, "%s lies above 2 GB, where the tree has no names for procedures", c->functions[f].name);
	const uint64_t table = cct_put_table(c->j->e, &t, c->j->err);
	c->procedures[c->procedure_count++] = (struct cct_procedure){
		.at = first->addr, .size = g->bytes, .callees = c->callees, .first = g->first, .sites = g->slots, .spare = spare,
	};
	return table && put_entry(c, f, table);
}

static bool put_all(struct cct_job *c)
{
	struct job *j = c->j;
	for (uint32_t f = 0; f < c->function_count; f++) {
		const struct group *g = group_at(c, c->functions[f].first);
		if (!c->act.entry[f])
			continue;
		if (g->why != LEFT_WHY_COUNT ? !job_leave(j, &c->functions[f], (enum left_why)g->why) : !put_procedure(c, f))
			return false;
	}
	for (uint32_t i = 0; i < j->count; i++) {
		if (c->slot[i] != EDIT_NONE && !put_call(c, i))
			return false;
		if (group_at(c, i)->slots && c->act.at[i].reached && leaves(c, i) && !put_exit(c, i))
			return false;
	}
	return true;
}

static bool describe(struct cct_job *c)
{
	const struct cct_head head = {
		.magic = CCT_MAGIC, .state = c->state, .heap = c->heap, .heap_bytes = c->heap_bytes, .metrics = 1, .merged = c->j->o->merge_sites,
		.spares = c->spares, .spare_bytes = c->spare_bytes, .procedures = c->procedure_count, .sites = c->slots,
	};
	const size_t procedures = c->procedure_count * sizeof *c->procedures, sites = c->slots * sizeof *c->site_at;
	uint8_t *bytes = malloc(sizeof head + procedures + sites);
	if (!bytes)
		return err_set(c->j->err, "out of memory for contexts");
	memcpy(bytes, &head, sizeof head);
	memcpy(bytes + sizeof head, c->procedures, procedures);
	memcpy(bytes + sizeof head + procedures, c->site_at, sites);
	bool ok = edit_section(c->j->e, CCT_SECTION, bytes, sizeof head + procedures + sites, c->j->err);
	free(bytes);
	return ok;
}

bool count_contexts(struct job *j)
{
	struct cct_job c = {.j = j, .callees = CCT_METRICS + 8, .heap_bytes = j->o->heap_bytes ? j->o->heap_bytes : INSTRUMENT_HEAP};
	const uint32_t entry = edit_inst_at(j->e, edit_entry(j->e));
	if (j->type >= 0)
		return err_set(j->err, "contexts need all calls and returns: %s is plain code, without --type", instrument_name[j->kind]);
	bool ok = activations_of(j->e, &c.act, j->err);
	c.functions = edit_functions(j->e, &c.function_count);
	c.groups = calloc(c.function_count + (size_t)1, sizeof *c.groups);
	c.procedures = calloc(c.function_count + (size_t)1, sizeof *c.procedures);
	if (ok && (!c.groups || !c.procedures))
		ok = err_set(j->err, "out of memory for contexts");
	for (uint32_t f = 0; ok && f < c.function_count; f++)
		c.groups[f].why = LEFT_WHY_COUNT;
	if (ok) {
		c.state = edit_memory(j->e, CCT_PLACES + ((size_t)1 << STACK_LOG2));
		c.heap = edit_memory(j->e, c.heap_bytes);
		look_at_all(&c);
		leave_alone(&c, entry);
		c.find = cct_put_find(j->e, c.state, j->err);
		ok = c.find && number_slots(&c);
	}
	if (ok) {
		lay_out_records(&c);
		c.spares = edit_memory_here(j->e);
		ok = put_begin(&c, entry) && put_all(&c) && describe(&c);
	}
	activations_free(&c.act);
	free(c.groups);
	free(c.procedures);
	free(c.slot);
	free(c.site_at);
	free(c.list_at);
	return ok;
}
