#include "loader/instrument/path_code.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/isa/csr.h"

enum { T0 = 5, T1, T2, FP, T3 = 28, T4, T5, T6, SP = 2 };

/* State of writing a procedure's code. */
struct paths_of {
	struct path_counting *all;
	struct job *j;
	const struct edit_function *f;
	struct path_plan *plan;
	unsigned path;          /* register of the number; 0: it is in memory */
	bool metrics;
	const struct path_place *place;
	/* Position of the code: see path_base_fn. */
	uint32_t i;
	bool behind;
};

static bool path_code_insert_code(const struct paths_of *p, put_fn *put, uint32_t i,
                                  struct writer *w)
{
	p->j->sum->spilled += w->spilled;
	return !w->n || put(p->j->e, i, w->code, w->n, p->j->err);
}

/* ---- place of the path's number ---- */
/* The register from which the stack pointer at the entry can be computed here. */
static unsigned entry_base(const struct paths_of *p, int32_t *more)
{
	return activation_base(&p->all->act.at[path_stand(p->j, p->i, p->behind)], more);
}

/* Registers that code here must neither save nor use. */
static uint32_t path_code_reserved_registers(const struct paths_of *p)
{
	int32_t more;
	return p->path                      ? UINT32_C(1) << p->path
	       : entry_base(p, &more) == FP ? UINT32_C(1) << FP
	                                    : 0;
}

/* The profile type of code that tracks the path. It must run completely or not at all: plain code
 * if a flag may change at any place. */
static int path_code_profile_type(const struct paths_of *p)
{
	return job_is_steady(p->j) && !p->j->o->steady ? p->j->type : -1;
}

static void path_code_begin_writer(const struct paths_of *p, struct writer *w, int type,
                                   unsigned registers, uint32_t live)
{
	writer_init(w, type);
	writer_begin_with(w, registers, live | path_code_reserved_registers(p),
	                  path_code_reserved_registers(p));
}

/* at = the place in a region for address base + more, as seen by the procedure. */
static void path_code_emit_region_place(struct writer *w, uint64_t region, unsigned base,
                                        int32_t more, unsigned at, unsigned scratch)
{
	const int32_t offset = more + (base == SP ? writer_sp(w) : 0);
	if (offset >= -2048 && offset <= 2047) {
		writer_put(w, OP_ADDI, at, base, 0, offset);
	} else {
		writer_put_constant(w, scratch, offset);
		writer_put(w, OP_ADD, at, base, scratch, 0);
	}
	writer_put(w, OP_SLLI, at, at, 0, 64 - PATH_STACK_LOG2);
	writer_put(w, OP_SRLI, at, at, 0, 64 - PATH_STACK_LOG2);
	writer_put_ref(w, OP_AUIPC, scratch, 0, 0, REF_HIGH, region);
	writer_put_ref(w, OP_ADDI, scratch, scratch, 0, REF_LOW, 0);
	writer_put(w, OP_ADD, at, at, scratch, 0);
}

/* at = address of the path's number in memory. */
static void put_home(const struct paths_of *p, struct writer *w, unsigned at, unsigned scratch)
{
	int32_t more;
	const unsigned base = entry_base(p, &more);
	path_code_emit_region_place(w, p->all->homes, base, more, at, scratch);
}

/* ---- code ---- */
/* to = from + n. A large n uses scratch. */
static void put_add(struct writer *w, unsigned to, unsigned from, int64_t n, unsigned scratch)
{
	if (n < -2048 || n > 2047) {
		writer_put_constant(w, scratch, n);
		writer_put(w, OP_ADD, to, from, scratch, 0);
	} else if (n || to != from) {
		writer_put(w, OP_ADDI, to, from, 0, (int32_t)n);
	}
}

static void begin_path(const struct paths_of *p, struct writer *w, int64_t n, uint32_t live)
{
	path_code_begin_writer(p, w, path_code_profile_type(p), p->path ? 0 : 2, live);
	if (p->path) {
		writer_put_constant(w, p->path, n);
	} else {
		put_home(p, w, w->temporary[0], w->temporary[1]);
		writer_put_constant(w, w->temporary[1], n);
		writer_put(w, OP_SD, REG_SINK, w->temporary[0], w->temporary[1], 0);
	}
	writer_end(w);
	if (p->metrics)
		writer_put(w, OP_CSRRWI, REG_SINK, 0, 0, CSR_PIC);
}

/* Adds n to the path's number. Labels on chords may be negative. */
static void add_to_path(const struct paths_of *p, struct writer *w, int64_t n, uint32_t live)
{
	const bool large = n < -2048 || n > 2047;
	path_code_begin_writer(p, w, path_code_profile_type(p), p->path ? large : 3, live);
	if (p->path) {
		put_add(w, p->path, p->path, n, w->temporary[0]);
	} else {
		const unsigned at = w->temporary[0], scratch = w->temporary[1],
			       path = w->temporary[2];
		put_home(p, w, at, scratch);
		writer_put(w, OP_LD, path, at, 0, 0);
		put_add(w, path, path, n, scratch);
		writer_put(w, OP_SD, REG_SINK, at, path, 0);
	}
	writer_end(w);
}

/* rd = the table's address, plus `offset` if the address is known. */
static void path_code_emit_table_base(const struct paths_of *p, struct writer *w, unsigned rd,
                                      unsigned scratch, uint64_t offset)
{
	if (p->place->where == PATHS_IN_RECORDS) {
		p->place->base(p->place->ctx, w, p->i, p->behind, rd, scratch);
		return;
	}
	const uint64_t at = p->place->where == PATHS_IN_TABLE
	                            ? p->place->at
	                            : p->j->memory + 8 * p->j->words * p->place->at;
	writer_put_ref(w, OP_AUIPC, rd, 0, 0, REF_HIGH, at + offset);
	writer_put_ref(w, OP_ADDI, rd, rd, 0, REF_LOW, 0);
}

/* Adds to the counter at `at`; `both` holds the value of pic. Overwrites the registers;
 * `at`, only with `atomic`. */
static void path_code_emit_counter_update(const struct paths_of *p, struct writer *w, unsigned at,
                                          unsigned value, unsigned both, unsigned old)
{
	const bool atomic = p->j->o->atomic;
	writer_add_one(w, atomic, at, 0, value);
	if (!p->metrics)
		return;
	writer_put(w, OP_SLLI, value, both, 0, 32);
	writer_put(w, OP_SRLI, value, value, 0, 32);
	writer_add(w, atomic, at, 8, value, old);
	writer_put(w, OP_SRLI, both, both, 0, 32);
	writer_add(w, atomic, at, atomic ? 8 : 16, both, old);
}

/* Counts path `path + n` in an array. pic is read first, so that counting is not counted. */
static void count_in_array(const struct paths_of *p, struct writer *w, int64_t n, uint32_t live)
{
	const bool known = p->place->where != PATHS_IN_RECORDS;
	const unsigned registers = 2U + p->metrics + !p->path;
	const bool checked = p->plan->checked;
	path_code_begin_writer(p, w, p->j->type, registers, live);
	const unsigned none = checked ? writer_new_label(w) : 0;
	const unsigned at = w->temporary[0], value = w->temporary[1], both = w->temporary[2];
	const unsigned path = p->path ? p->path : w->temporary[registers - 1];
	if (p->metrics)
		writer_put(w, OP_CSRRS, both, 0, 0, CSR_PIC);
	if (!p->path) {
		put_home(p, w, path, value);
		writer_put(w, OP_LD, path, path, 0, 0);
	}
	/* The number is not needed afterwards. */
	if (checked) {
		put_add(w, value, path, n, at);
		writer_put_constant(w, at, (int64_t)p->plan->g.paths);
		writer_branch(w, OP_BGEU, value, at, none);
	}
	path_code_emit_table_base(p, w, at, value, 8 * p->plan->table.words * (uint64_t)n);
	if (!known)
		put_add(w, path, path, n, value);
	writer_put(w, OP_SLLI, value, path, 0, 3);
	writer_put(w, OP_ADD, at, at, value, 0);
	if (p->metrics) { /* 24 bytes each */
		writer_put(w, OP_SLLI, value, path, 0, 4);
		writer_put(w, OP_ADD, at, at, value, 0);
	}
	path_code_emit_counter_update(p, w, at, value, both, path);
	if (checked)
		writer_here(w, none);
	writer_end(w);
}

/* Counts in a hash table. The routine uses t0 to t5, which may include the path's register. */
static void count_in_hash(const struct paths_of *p, struct writer *w, int64_t n, uint32_t live)
{
	enum { MINE = 1 << T0 | 1 << T1 | 1 << T2 | 1 << T3 | 1 << T4 | 1 << T5 };
	writer_init(w, p->j->type);
	writer_begin_fixed(w, MINE | (p->metrics ? UINT32_C(1) << T6 : 0), live,
	                   path_code_reserved_registers(p));
	if (p->path && p->path != T2)
		writer_put(w, OP_ADDI, T2, p->path, 0, 0);
	if (p->metrics)
		writer_put(w, OP_CSRRS, T6, 0, 0, CSR_PIC);
	if (!p->path) {
		put_home(p, w, T2, T1);
		writer_put(w, OP_LD, T2, T2, 0, 0);
	}
	put_add(w, T2, T2, n, T1);
	path_code_emit_table_base(p, w, T1, T3, 0);
	writer_call(w, T0, p->all->hash);
	path_code_emit_counter_update(p, w, T1, T2, T6, T3);
	writer_end(w);
}

static void count_path(const struct paths_of *p, struct writer *w, int64_t n, uint32_t live)
{
	if (p->plan->table.log2)
		count_in_hash(p, w, n, live);
	else
		count_in_array(p, w, n, live);
}

/* Adds the routine, called through t0: sets t1, the table, to the counter of path t2, or to the
 * counter of paths without room. Changes t2 to t5. */
uint64_t path_put_hash(const struct job *j, const struct path_table *t)
{
	/* atomic: t3 points to the slot's number itself, for lr and sc */
	const bool atomic = j->o->atomic;
	const int32_t head = atomic ? 0 : PATH_HEAD;
	struct writer w;
	writer_init(&w, -1);
	const int32_t step = 1 << path_slot_log2(t);
	const unsigned next = writer_new_label(&w), found = writer_new_label(&w),
		       take = writer_new_label(&w);
	writer_put(&w, OP_SRLI, T3, T2, 0, 32);
	writer_put(&w, OP_XOR, T3, T3, T2, 0);
	writer_put_constant(&w, T4, (int32_t)PATH_MULTIPLIER);
	writer_put(&w, OP_MULW, T3, T3, T4, 0);
	writer_put(&w, OP_SRLIW, T3, T3, 0, 32 - (int32_t)t->log2);
	writer_put(&w, OP_SLLI, T3, T3, 0, (int32_t)path_slot_log2(t));
	writer_put(&w, OP_ADD, T3, T3, T1, 0);
	if (atomic)
		writer_put(&w, OP_ADDI, T3, T3, 0, PATH_HEAD);
	writer_put(&w, OP_ADDI, T4, T3, 0, PATH_PROBES * step);
	writer_put(&w, OP_ADDI, T2, T2, 0, 1);
	writer_here(&w, next);
	writer_put(&w, OP_LD, T5, T3, 0, head);
	writer_branch(&w, OP_BEQ, T5, T2, found);
	writer_branch(&w, OP_BEQ, T5, 0, take);
	writer_put(&w, OP_ADDI, T3, T3, 0, step);
	writer_branch(&w, OP_BLTU, T3, T4, next);
	writer_return(&w, T0);
	writer_here(&w, take);
	if (atomic) { /* unless another thread takes it */
		writer_put(&w, OP_LR_D, T5, T3, 0, 0);
		writer_branch(&w, OP_BNE, T5, 0, next);
		writer_put(&w, OP_SC_D, T5, T3, T2, 0);
		writer_branch(&w, OP_BNE, T5, 0, take);
	} else {
		writer_put(&w, OP_SD, REG_SINK, T3, T2, PATH_HEAD);
	}
	writer_here(&w, found);
	writer_put(&w, OP_ADDI, T1, T3, 0, head + 8);
	writer_return(&w, T0);
	writer_link(&w);
	return edit_routine(j->e, w.code, w.n, j->err);
}

static bool put_hash(struct path_counting *c, const struct path_table *t)
{
	c->hash = path_put_hash(c->j, t);
	return c->hash;
}

/* Saves or restores the path's number, and pic, at the place in the region given by the stack
 * pointer. */
static void move_path(const struct paths_of *p, struct writer *w, bool store, uint32_t live)
{
	writer_init(w, -1);
	if (!p->path && !p->metrics)
		return;
	path_code_begin_writer(p, w, path_code_profile_type(p), 2, live);
	const unsigned at = w->temporary[0], value = w->temporary[1];
	path_code_emit_region_place(w, p->all->region, SP, 0, at, value);
	if (p->path && store)
		writer_put(w, OP_SD, REG_SINK, at, p->path, 0);
	else if (p->path)
		writer_put(w, OP_LD, p->path, at, 0, 0);
	if (p->metrics && store) {
		writer_put(w, OP_CSRRS, value, 0, 0, CSR_PIC);
		writer_put(w, OP_SD, REG_SINK, at, value, 8);
	} else if (p->metrics) {
		writer_put(w, OP_LD, value, at, 0, 8);
		writer_put(w, OP_CSRRW, REG_SINK, value, 0, CSR_PIC);
	}
	writer_end(w);
}

/* ---- one function ---- */
static bool path_code_insert_count(const struct paths_of *p, put_fn *put, int64_t n, uint32_t live)
{
	struct writer w;
	count_path(p, &w, n, live);
	return path_code_insert_code(p, put, p->i, &w);
}

static bool put_begin(const struct paths_of *p, put_fn *put, int64_t n, uint32_t live)
{
	struct writer w;
	begin_path(p, &w, n, live);
	return path_code_insert_code(p, put, p->i, &w);
}

/* Inserts code where control arrives at a place by its address. */
static bool put_arrival(struct paths_of *p, const struct cfg_edge *c, const struct path_edge *e)
{
	struct writer w;
	p->i = c->lead;
	const uint32_t live = job_live_at(p->j, p->i);
	if ((!e->cut && !e->value) || (!p->path && !path_knows_place(p->all, p->i, false)))
		return true;
	if (e->cut)
		return path_code_insert_count(p, edit_enter, e->end, live) &&
		       put_begin(p, edit_enter, e->start, live);
	add_to_path(p, &w, e->value, live);
	return path_code_insert_code(p, edit_enter, p->i, &w);
}

static bool path_code_insert_edge_code(struct paths_of *p, uint32_t k)
{
	const struct cfg_edge *c = &p->plan->cfg.edges[k];
	const struct path_edge *e = &p->plan->g.edges[k];
	p->behind = c->kind == CFG_NEXT;
	if (c->kind == CFG_START) {
		p->i = c->lead;
		return put_begin(
			p, p->plan->cfg.blocks[c->to - CFG_BLOCKS].start ? edit_before : edit_enter,
			e->value, job_live_at(p->j, p->i));
	}
	if (c->kind == CFG_ARRIVE)
		return put_arrival(p, c, e);
	const uint32_t last = c->kind == CFG_TAKEN
	                              ? c->at
	                              : p->plan->cfg.blocks[c->from - CFG_BLOCKS].last;
	const bool leaves = c->to == CFG_EXIT;
	if (!leaves && !e->cut && !e->value)
		return true;
	p->i = last;
	if (!p->path && !path_knows_place(p->all, last, p->behind))
		return true; /* never executed */
	put_fn *put = c->kind == CFG_TAKEN  ? edit_taken
	              : c->kind == CFG_NEXT ? edit_behind
	                                    : edit_before;
	const uint32_t live = c->kind == CFG_TAKEN  ? job_live_taken(p->j, last)
	                      : c->kind == CFG_NEXT ? job_live_behind(p->j, last)
	                                            : job_live_at(p->j, last);
	if (!leaves && !e->cut) {
		struct writer w;
		add_to_path(p, &w, e->value, live);
		return path_code_insert_code(p, put, last, &w);
	}
	/* A call that may return twice begins a path each time. */
	const bool twice = path_comes_back_twice(p->j, last);
	if (!path_code_insert_count(p, twice ? edit_before : put, leaves ? e->value : e->end,
	                            twice ? job_live_at(p->j, last) : live))
		return false;
	return leaves || put_begin(p, put, e->start, live);
}

static bool put_calls(struct paths_of *p)
{
	for (uint32_t k = 0; k < p->plan->cfg.block_count; k++) {
		const uint32_t i = p->plan->cfg.blocks[k].last;
		if (!path_is_call(&p->j->insts[i]) || path_comes_back_twice(p->j, i))
			continue;
		p->i = i;
		p->behind = false;
		struct writer before, behind;
		move_path(p, &before, true, job_live_at(p->j, i));
		p->behind = true;
		move_path(p, &behind, false, job_live_behind(p->j, i));
		if (!path_code_insert_code(p, edit_before, i, &before) ||
		    !path_code_insert_code(p, edit_behind, i, &behind))
			return false;
	}
	return true;
}

/* ---- the section ---- */
static bool path_code_append_section_word(struct path_counting *all, uint64_t word)
{
	if (all->word_count == all->word_room) {
		size_t room = 2 * all->word_room + 4096;
		uint64_t *more = alloc_resize(all->words, room * sizeof *more);
		if (!more)
			return err_set(all->j->err, "out of memory for paths");
		all->words = more;
		all->word_room = room;
	}
	all->words[all->word_count++] = word;
	return true;
}

/* Appends the function to the section that program_paths() reads. */
static bool path_code_describe_function(const struct paths_of *p)
{
	struct path_counting *all = p->all;
	bool ok = path_code_append_section_word(all, p->j->insts[p->f->first].addr) &&
	          path_code_append_section_word(all, p->place->at) &&
	          path_code_append_section_word(all, p->place->where | (uint64_t)p->plan->g.apart
	                                                                       << 8) &&
	          path_code_append_section_word(all, p->plan->table.words |
	                                                     (uint64_t)p->plan->table.log2 << 32) &&
	          path_code_append_section_word(all, p->plan->g.vertices) &&
	          path_code_append_section_word(all, p->plan->g.count);
	for (uint32_t k = 0; ok && k < p->plan->cfg.block_count; k++) {
		const struct edit_inst *last = &p->j->insts[p->plan->cfg.blocks[k].last];
		ok = path_code_append_section_word(
			     all, p->j->insts[p->plan->cfg.blocks[k].first].addr) &&
		     path_code_append_section_word(all, last->addr + last->in.len);
	}
	/* Vertices of ways have no code. */
	for (uint32_t k = 0; ok && k < 2 * p->plan->cfg.way_count; k++)
		ok = path_code_append_section_word(all, 0);
	for (uint32_t k = 0; ok && k < p->plan->g.count; k++)
		ok = path_code_append_section_word(all, p->plan->g.edges[k].from |
		                                                (uint64_t)p->plan->g.edges[k].to
		                                                        << 32) &&
		     path_code_append_section_word(all, p->plan->g.edges[k].weight << 2 |
		                                                (uint64_t)p->plan->g.edges[k].forced
		                                                        << 1 |
		                                                p->plan->g.edges[k].cut);
	return ok;
}

/* ---- interface ---- */
bool path_put(struct path_counting *c, struct path_plan *plan, const struct path_place *where)
{
	struct paths_of p = {.all = c,
	                     .j = c->j,
	                     .f = plan->f,
	                     .plan = plan,
	                     .path = plan->path,
	                     .metrics = c->metrics,
	                     .place = where};
	bool ok = (!plan->table.log2 || c->hash || put_hash(c, &plan->table)) &&
	          path_code_describe_function(&p);
	/* At a place, code of starts precedes all other code, and restoring after a call precedes
	 * the code of the call's edge. */
	for (uint32_t k = 0; ok && k < plan->cfg.edge_count; k++)
		if (plan->cfg.edges[k].kind == CFG_START)
			ok = path_code_insert_edge_code(&p, k);
	ok = ok && put_calls(&p);
	for (uint32_t k = 0; ok && k < plan->cfg.edge_count; k++)
		if (plan->cfg.edges[k].kind != CFG_START)
			ok = path_code_insert_edge_code(&p, k);
	if (plan->path)
		job_reserve(c->j, plan->f, plan->path);
	return ok;
}

bool path_describe_all(struct path_counting *c)
{
	return edit_section(c->j->e, PATHS_SECTION, c->words, c->word_count * sizeof *c->words,
	                    c->j->err);
}
