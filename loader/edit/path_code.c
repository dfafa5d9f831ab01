#include "loader/edit/path_code.h"

#include <stdlib.h>
#include <string.h>

#include "core/isa/csr.h"

enum { T0 = 5, T1, T2, T3 = 28, T4, T5, T6, SP = 2, STACK_LOG2 = 23 /* bytes: Linux's limit. Deeper stacks share places */ };

/* A procedure's code being written. */
struct paths_of {
	struct path_counting *all;
	struct job *j;
	const struct edit_function *f;
	struct path_plan *plan;
	unsigned path;          /* register */
	bool metrics;
	const struct path_place *place;
};

/* ---- code ---- */
static struct writer writer_for(const struct paths_of *p)
{
	return (struct writer){.type = p->j->type};
}

static bool place(const struct paths_of *p, put_fn *put, uint32_t i, struct writer *w)
{
	p->j->sum->spilled += w->spilled;
	return put(p->j->e, i, w->code, w->n, p->j->err);
}

/* Adds to what is there: labels on chords may be negative. A large one goes over a register, if there is one. */
static void add_constant(const struct paths_of *p, struct writer *w, int64_t n, unsigned temporary)
{
	if (temporary && (n > 2047 || n < -2048)) {
		writer_put_constant(w, temporary, n);
		writer_put(w, OP_ADD, p->path, p->path, temporary, 0);
	} else if (n) {
		writer_put(w, OP_ADDI, p->path, p->path, 0, (int32_t)n);
	}
}

static void add_to_path(const struct paths_of *p, struct writer *w, int64_t n, uint32_t live)
{
	if (n > 2047 || n < -2048) {
		writer_begin_with(w, 1, live | UINT32_C(1) << p->path, UINT32_C(1) << p->path);
		add_constant(p, w, n, w->temporary[0]);
		writer_end(w);
	} else {
		add_constant(p, w, n, 0);
	}
}

static void begin_path(const struct paths_of *p, struct writer *w, int64_t n)
{
	writer_put_constant(w, p->path, n);
	if (p->metrics)
		writer_put(w, OP_CSRRWI, REG_SINK, 0, 0, CSR_PIC);
}

/* The address of the table, and `offset` more if it is known. */
static void put_base(const struct paths_of *p, struct writer *w, unsigned rd, uint64_t offset)
{
	if (p->place->where == PATHS_IN_RECORDS) {
		p->place->base(p->place->ctx, w, rd);
		return;
	}
	const uint64_t at = p->place->where == PATHS_IN_TABLE ? p->place->at : p->j->memory + 8 * p->j->words * p->place->at;
	writer_put_ref(w, OP_AUIPC, rd, 0, 0, REF_HIGH, at + offset);
	writer_put_ref(w, OP_ADDI, rd, rd, 0, REF_LOW, 0);
}

/* The counter at `at` is added to; `both` holds what pic said. Of the four registers only `at` is left. */
static void add_up(const struct paths_of *p, struct writer *w, unsigned at, unsigned value, unsigned both, unsigned old)
{
	writer_put(w, OP_LD, value, at, 0, 0);
	writer_put(w, OP_ADDI, value, value, 0, 1);
	writer_put(w, OP_SD, REG_SINK, at, value, 0);
	if (!p->metrics)
		return;
	writer_put(w, OP_SLLI, value, both, 0, 32);
	writer_put(w, OP_SRLI, value, value, 0, 32);
	writer_put(w, OP_LD, old, at, 0, 8);
	writer_put(w, OP_ADD, old, old, value, 0);
	writer_put(w, OP_SD, REG_SINK, at, old, 8);
	writer_put(w, OP_SRLI, both, both, 0, 32);
	writer_put(w, OP_LD, old, at, 0, 16);
	writer_put(w, OP_ADD, old, old, both, 0);
	writer_put(w, OP_SD, REG_SINK, at, old, 16);
}

/* Path `path + n` of an array. pic is read first: what follows is not the path's. */
static void count_in_array(const struct paths_of *p, struct writer *w, int64_t n, uint32_t live)
{
	const bool known = p->place->where != PATHS_IN_RECORDS;
	writer_begin_with(w, p->metrics ? 3 : 2, live | UINT32_C(1) << p->path, UINT32_C(1) << p->path);
	const unsigned at = w->temporary[0], value = w->temporary[1], both = w->temporary[2];
	if (p->metrics)
		writer_put(w, OP_CSRRS, both, 0, 0, CSR_PIC);
	put_base(p, w, at, 8 * p->plan->table.words * (uint64_t)n);
	if (!known)
		add_constant(p, w, n, value);
	writer_put(w, OP_SLLI, value, p->path, 0, 3);
	writer_put(w, OP_ADD, at, at, value, 0);
	if (p->metrics) { /* 24 bytes each */
		writer_put(w, OP_SLLI, value, p->path, 0, 4);
		writer_put(w, OP_ADD, at, at, value, 0);
	}
	add_up(p, w, at, value, both, p->path);
	writer_end(w);
}

/* The same of a hash table. The routine has registers of its own: t0 to t5; the path's may be one of them. */
static void count_in_hash(const struct paths_of *p, struct writer *w, int64_t n, uint32_t live)
{
	enum { MINE = 1 << T0 | 1 << T1 | 1 << T2 | 1 << T3 | 1 << T4 | 1 << T5 };
	writer_begin_fixed(w, MINE | (p->metrics ? UINT32_C(1) << T6 : 0), live, UINT32_C(1) << p->path);
	if (p->path != T2)
		writer_put(w, OP_ADDI, T2, p->path, 0, 0);
	if (p->metrics)
		writer_put(w, OP_CSRRS, T6, 0, 0, CSR_PIC);
	if (n >= -2048 && n <= 2047) {
		writer_put(w, OP_ADDI, T2, T2, 0, (int32_t)n);
	} else {
		writer_put_constant(w, T1, n);
		writer_put(w, OP_ADD, T2, T2, T1, 0);
	}
	put_base(p, w, T1, 0);
	writer_call(w, T0, p->all->hash);
	add_up(p, w, T1, T2, T6, T3);
	writer_end(w);
}

static void count_path(const struct paths_of *p, struct writer *w, int64_t n, uint32_t live)
{
	if (p->plan->table.log2)
		count_in_hash(p, w, n, live);
	else
		count_in_array(p, w, n, live);
}

/* Called through t0: of the table at t1 and path t2, sets t1 to the path's counter, or to that of paths without room. Changes t2 to t5. */
static bool put_hash(struct path_counting *c, const struct path_table *t)
{
	struct writer w = {.type = -1};
	const int32_t step = 1 << path_slot_log2(t);
	const unsigned next = writer_new_label(&w), found = writer_new_label(&w), take = writer_new_label(&w);
	writer_put(&w, OP_SRLI, T3, T2, 0, 32);
	writer_put(&w, OP_XOR, T3, T3, T2, 0);
	writer_put_constant(&w, T4, (int32_t)PATH_MULTIPLIER);
	writer_put(&w, OP_MULW, T3, T3, T4, 0);
	writer_put(&w, OP_SRLIW, T3, T3, 0, 32 - (int32_t)t->log2);
	writer_put(&w, OP_SLLI, T3, T3, 0, (int32_t)path_slot_log2(t));
	writer_put(&w, OP_ADD, T3, T3, T1, 0);
	writer_put(&w, OP_ADDI, T4, T3, 0, PATH_PROBES * step);
	writer_put(&w, OP_ADDI, T2, T2, 0, 1);
	writer_here(&w, next);
	writer_put(&w, OP_LD, T5, T3, 0, PATH_HEAD);
	writer_branch(&w, OP_BEQ, T5, T2, found);
	writer_branch(&w, OP_BEQ, T5, 0, take);
	writer_put(&w, OP_ADDI, T3, T3, 0, step);
	writer_branch(&w, OP_BLTU, T3, T4, next);
	writer_return(&w, T0);
	writer_here(&w, take);
	writer_put(&w, OP_SD, REG_SINK, T3, T2, PATH_HEAD);
	writer_here(&w, found);
	writer_put(&w, OP_ADDI, T1, T3, 0, PATH_HEAD + 8);
	writer_return(&w, T0);
	writer_link(&w);
	c->hash = edit_routine(c->j->e, w.code, w.n, c->j->err);
	return c->hash;
}

/* To or from the place in the region that the stack pointer says. */
static void move_path(const struct paths_of *p, struct writer *w, bool store, uint32_t live)
{
	writer_begin(w, live | UINT32_C(1) << p->path, UINT32_C(1) << p->path);
	const unsigned at = w->temporary[0], base = w->temporary[1];
	writer_put(w, OP_ADDI, at, SP, 0, writer_sp(w));
	writer_put(w, OP_SLLI, at, at, 0, 64 - STACK_LOG2);
	writer_put(w, OP_SRLI, at, at, 0, 64 - STACK_LOG2);
	writer_put_ref(w, OP_AUIPC, base, 0, 0, REF_HIGH, p->all->region);
	writer_put_ref(w, OP_ADDI, base, base, 0, REF_LOW, 0);
	writer_put(w, OP_ADD, at, at, base, 0);
	if (store)
		writer_put(w, OP_SD, REG_SINK, at, p->path, 0);
	else
		writer_put(w, OP_LD, p->path, at, 0, 0);
	if (p->metrics && store) {
		writer_put(w, OP_CSRRS, base, 0, 0, CSR_PIC);
		writer_put(w, OP_SD, REG_SINK, at, base, 8);
	} else if (p->metrics) {
		writer_put(w, OP_LD, base, at, 0, 8);
		writer_put(w, OP_CSRRW, REG_SINK, base, 0, CSR_PIC);
	}
	writer_end(w);
}

/* ---- one function ---- */
/* A register that no instruction of the function names and that matters nowhere in it. */
static unsigned find_register(const struct paths_of *p)
{
	uint32_t taken = 0;
	for (uint32_t i = p->f->first; i < p->f->first + p->f->count; i++) {
		const struct inst *in = &p->j->insts[i].in;
		if (p->j->insts[i].flags & EDIT_DATA)
			continue;
		taken |= p->j->live[i];
		for (unsigned k = 0; k < 3; k++) {
			const unsigned reg = k == 0 ? in->rd : k == 1 ? in->rs1 : in->rs2;
			taken |= reg < 32 ? UINT32_C(1) << reg : 0;
		}
		if (inst_flags(in) & OPF_CONTROL)
			taken |= job_live_taken(p->j, i) & ((inst_flags(in) & OPF_INDIRECT) ? 0 : UINT32_MAX);
	}
	return writer_free_register(taken);
}

static bool is_call(const struct edit_inst *i)
{
	return (inst_flags(&i->in) & OPF_JUMP) && i->in.rd != REG_SINK;
}

/* Whether all its calls come when it has lowered the stack pointer, so that its place there is not its caller's: not calls through t0 in
 * a prologue (-msave-restore), nor calls of code that keeps ra in another register. */
static bool keeps_its_place(const struct paths_of *p)
{
	enum { RA = 1 };
	bool lowered = false;
	for (uint32_t i = p->f->first; i < p->f->first + p->f->count; i++) {
		const struct edit_inst *at = &p->j->insts[i];
		if (at->flags & EDIT_DATA)
			continue;
		lowered |= at->in.rd == SP && at->in.rs1 == SP && at->in.op == OP_ADDI && at->in.imm < 0;
		if (is_call(at) && (!lowered || at->in.rd != RA))
			return false;
	}
	return true;
}

/* What an edge does to the path; `live` is what matters where the code stands. */
static void edge_code(const struct paths_of *p, struct writer *w, const struct path_edge *e, bool leaves, uint32_t live)
{
	if (e->cut) {
		count_path(p, w, e->end, live);
		begin_path(p, w, e->start);
	} else if (leaves) {
		count_path(p, w, e->value, live);
	} else {
		add_to_path(p, w, e->value, live);
	}
}

static bool put_edge(const struct paths_of *p, uint32_t k)
{
	const struct cfg_edge *c = &p->plan->cfg.edges[k];
	const struct path_edge *e = &p->plan->g.edges[k];
	struct writer w = writer_for(p);
	if (c->kind == CFG_START) {
		begin_path(p, &w, e->value);
		return place(p, edit_before, c->lead, &w);
	}
	const uint32_t last = p->plan->cfg.blocks[c->from - CFG_BLOCKS].last;
	const bool leaves = c->to == CFG_EXIT;
	if (!leaves && !e->cut && !e->value)
		return true;
	switch ((enum cfg_edge_kind)c->kind) {
	case CFG_TAKEN:
		edge_code(p, &w, e, leaves, job_live_taken(p->j, last));
		return place(p, edit_taken, last, &w);
	case CFG_NEXT:
		edge_code(p, &w, e, leaves, job_live_behind(p->j, last));
		return place(p, edit_behind, last, &w);
	default:
		edge_code(p, &w, e, leaves, job_live_at(p->j, last));
		return place(p, edit_before, last, &w);
	}
}

static bool put_calls(const struct paths_of *p)
{
	for (uint32_t k = 0; k < p->plan->cfg.block_count; k++) {
		const uint32_t i = p->plan->cfg.blocks[k].last;
		struct writer before = writer_for(p), behind = writer_for(p);
		if (!is_call(&p->j->insts[i]))
			continue;
		move_path(p, &before, true, job_live_at(p->j, i));
		move_path(p, &behind, false, job_live_behind(p->j, i));
		if (!place(p, edit_before, i, &before) || !place(p, edit_behind, i, &behind))
			return false;
	}
	return true;
}

/* ---- the section ---- */
static bool say(struct path_counting *all, uint64_t word)
{
	if (all->word_count == all->word_room) {
		size_t room = 2 * all->word_room + 4096;
		uint64_t *more = realloc(all->words, room * sizeof *more);
		if (!more)
			return err_set(all->j->err, "out of memory for paths");
		all->words = more;
		all->word_room = room;
	}
	all->words[all->word_count++] = word;
	return true;
}

/* As program_paths() reads it. */
static bool describe(const struct paths_of *p)
{
	struct path_counting *all = p->all;
	bool ok = say(all, p->j->insts[p->f->first].addr) && say(all, p->place->at) && say(all, p->place->where) &&
	          say(all, p->plan->table.words | (uint64_t)p->plan->table.log2 << 32) && say(all, p->plan->g.vertices) && say(all, p->plan->g.count);
	for (uint32_t k = 0; ok && k < p->plan->cfg.block_count; k++) {
		const struct edit_inst *last = &p->j->insts[p->plan->cfg.blocks[k].last];
		ok = say(all, p->j->insts[p->plan->cfg.blocks[k].first].addr) && say(all, last->addr + last->in.len);
	}
	for (uint32_t k = 0; ok && k < p->plan->g.count; k++)
		ok = say(all, p->plan->g.edges[k].from | (uint64_t)p->plan->g.edges[k].to << 32) &&
		     say(all, p->plan->g.edges[k].weight << 1 | p->plan->g.edges[k].cut);
	return ok;
}

/* Guesses of how often edges are used: what goes back, or on from a loop's inside, more than what leaves. */
static uint64_t guess(const struct cfg_edge *e)
{
	return e->kind == CFG_START ? 1 : e->to == CFG_EXIT ? 2 : e->to <= e->from ? 16 : e->kind == CFG_NEXT ? 8 : 4;
}

static bool number(struct path_counting *c, struct path_plan *p)
{
	p->g = (struct path_graph){.vertices = CFG_BLOCKS + p->cfg.block_count, .count = p->cfg.edge_count};
	p->g.edges = calloc(p->g.count + 1, sizeof *p->g.edges);
	if (!p->g.edges)
		return err_set(c->j->err, "out of memory for paths");
	for (uint32_t k = 0; k < p->g.count; k++)
		p->g.edges[k] = (struct path_edge){.from = p->cfg.edges[k].from, .to = p->cfg.edges[k].to, .weight = guess(&p->cfg.edges[k])};
	if (!paths_number(&p->g, PATHS_MOST, !c->j->o->simple, c->j->err))
		return false;
	p->table = path_table_for(p->g.paths, c->metrics ? PATH_WORDS_MAX : 1, c->log2);
	c->j->sum->hashed += p->table.log2 != 0;
	return !p->g.cut_for_size || job_leave(c->j, p->f, LEFT_PATHS_CUT);
}

/* ---- for kinds ---- */
bool path_counting_init(struct path_counting *c, struct job *j, bool metrics, unsigned log2)
{
	*c = (struct path_counting){.j = j, .metrics = metrics, .log2 = log2 ? log2 : PATH_SLOTS_LOG2, .entered = cfg_entered(j->e)};
	c->region = edit_memory(j->e, (size_t)1 << STACK_LOG2);
	return c->entered || err_set(j->err, "out of memory for paths");
}

void path_counting_free(struct path_counting *c)
{
	free(c->entered);
	free(c->words);
}

bool path_plan(struct path_counting *c, const struct edit_function *f, struct path_plan *out)
{
	struct paths_of p = {.all = c, .j = c->j, .f = f, .plan = out};
	*out = (struct path_plan){.f = f};
	const bool keeps = keeps_its_place(&p);
	const unsigned path = keeps ? find_register(&p) : 0;
	if (!path)
		return job_leave(c->j, f, keeps ? LEFT_NO_REGISTER : LEFT_CALLS_EARLY);
	if (!cfg_of(c->j->e, f, c->entered, &out->cfg, c->j->err))
		return false;
	out->path = out->cfg.block_count ? path : 0;
	return !out->path || number(c, out);
}

void path_plan_free(struct path_plan *p)
{
	paths_free(&p->g);
	free(p->g.edges);
	cfg_free(&p->cfg);
}

bool path_put(struct path_counting *c, struct path_plan *plan, const struct path_place *where)
{
	struct paths_of p = {.all = c, .j = c->j, .f = plan->f, .plan = plan, .path = plan->path, .metrics = c->metrics, .place = where};
	bool ok = (!plan->table.log2 || c->hash || put_hash(c, &plan->table)) && describe(&p);
	/* Starts stand before everything else at their places, and what a call has to put back before what its edge does. */
	for (uint32_t k = 0; ok && k < plan->cfg.edge_count; k++)
		if (plan->cfg.edges[k].kind == CFG_START)
			ok = put_edge(&p, k);
	ok = ok && put_calls(&p);
	for (uint32_t k = 0; ok && k < plan->cfg.edge_count; k++)
		if (plan->cfg.edges[k].kind != CFG_START)
			ok = put_edge(&p, k);
	job_reserve(c->j, plan->f, plan->path);
	return ok;
}

bool path_describe_all(struct path_counting *c)
{
	return edit_section(c->j->e, PATHS_SECTION, c->words, c->word_count * sizeof *c->words, c->j->err);
}
