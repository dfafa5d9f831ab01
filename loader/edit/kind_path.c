/* Instrumentation of kind path: a counter of each path through each procedure (Ammons, Ball and Larus, section 2).
 *
 * The number of the path so far lies in a register that the procedure doesn't use and nobody expects back from it. Across a call it lies in
 * memory, in a region as large as a stack: at the place that the stack pointer says. So each activation has a place of its own, and it
 * is found again however a call returns: by longjmp, too. A procedure in which no register is free, that calls before it has lowered the stack
 * pointer, or that has too many blocks is left alone. Two stacks (signals, coroutines) that lie a multiple of the region's size apart share
 * places: what is counted is wrong then.
 *
 * Of kind path+hw also what two of the machine's statistics add on each path (section 3): pic0 and pic1 are 0 where a path begins, are
 * read where it ends, and are put by across calls, beside the path's number, so that what is called doesn't count. */
#include <stdlib.h>
#include <string.h>

#include "core/isa/csr.h"
#include "core/stats.h"
#include "loader/edit/kind.h"
#include "loader/edit/path_profile.h"

enum {
	SP = 2,
	STACK_LOG2 = 23,        /* bytes: Linux's limit. Deeper stacks share places */
	PATHS_MOST = 1 << 12,   /* paths of one function: with more, edges are cut */
	BLOCKS_MOST = 1 << 11,  /* of one function: each loop is a path at least. Larger ones are left alone */
};

struct paths_job {
	struct job *j;
	uint64_t region;        /* address of the region of 1 << STACK_LOG2 bytes */
	uint8_t *entered;       /* [count], owned */
	uint64_t *words;        /* owned: the section */
	size_t word_count, word_room;
};

/* One function. */
struct paths_of {
	struct paths_job *all;
	struct job *j;
	const struct edit_function *f;
	struct cfg cfg;
	struct path_graph g;
	unsigned path;          /* register */
	bool metrics;
	uint64_t table;         /* address of its first counter */
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

static void set_path(const struct paths_of *p, struct writer *w, int64_t n)
{
	writer_put_constant(w, p->path, (int32_t)n);
}

/* Adds to what is there: labels on chords may be negative, and are small. */
static void add_to_path(const struct paths_of *p, struct writer *w, int64_t n)
{
	while (n) {
		int32_t step = n > 2047 ? 2047 : n < -2048 ? -2048 : (int32_t)n;
		writer_put(w, OP_ADDI, p->path, p->path, 0, step);
		n -= step;
	}
}

/* value += what a counter register says, in the counter's word. The path's register is free: its path is over. */
static void add_metric(const struct paths_of *p, struct writer *w, unsigned csr, int32_t offset)
{
	const unsigned at = w->temporary[0], value = w->temporary[1];
	writer_put(w, OP_CSRRS, value, 0, 0, (int32_t)csr);
	writer_put(w, OP_LD, p->path, at, 0, offset);
	writer_put(w, OP_ADD, p->path, p->path, value, 0);
	writer_put(w, OP_SD, REG_SINK, at, p->path, offset);
}

static void begin_path(const struct paths_of *p, struct writer *w, int64_t n)
{
	set_path(p, w, n);
	if (p->metrics)
		writer_put(w, OP_CSRRWI, REG_SINK, 0, 0, CSR_PIC);
}

/* The counter of path `path + n` is added to. */
static void count_path(const struct paths_of *p, struct writer *w, int64_t n, uint32_t live)
{
	writer_begin(w, live | UINT32_C(1) << p->path, UINT32_C(1) << p->path);
	const unsigned at = w->temporary[0], value = w->temporary[1];
	writer_put_ref(w, OP_AUIPC, at, 0, 0, REF_HIGH, p->table + 8 * p->j->words * (uint64_t)n);
	writer_put_ref(w, OP_ADDI, at, at, 0, REF_LOW, 0);
	writer_put(w, OP_SLLI, value, p->path, 0, 3);
	writer_put(w, OP_ADD, at, at, value, 0);
	if (p->metrics) { /* 24 bytes each */
		writer_put(w, OP_SLLI, value, p->path, 0, 4);
		writer_put(w, OP_ADD, at, at, value, 0);
	}
	writer_put(w, OP_LD, value, at, 0, 0);
	writer_put(w, OP_ADDI, value, value, 0, 1);
	writer_put(w, OP_SD, REG_SINK, at, value, 0);
	if (p->metrics) {
		add_metric(p, w, CSR_PIC0, 8);
		add_metric(p, w, CSR_PIC1, 16);
	}
	writer_end(w);
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
		add_to_path(p, w, e->value);
	}
}

static bool put_edge(const struct paths_of *p, uint32_t k)
{
	const struct cfg_edge *c = &p->cfg.edges[k];
	const struct path_edge *e = &p->g.edges[k];
	struct writer w = writer_for(p);
	if (c->kind == CFG_START) {
		begin_path(p, &w, e->value);
		return place(p, edit_before, c->lead, &w);
	}
	const uint32_t last = p->cfg.blocks[c->from - CFG_BLOCKS].last;
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
	for (uint32_t k = 0; k < p->cfg.block_count; k++) {
		const uint32_t i = p->cfg.blocks[k].last;
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
static bool say(struct paths_job *all, uint64_t word)
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
static bool describe(const struct paths_of *p, uint64_t first)
{
	struct paths_job *all = p->all;
	bool ok = say(all, p->j->insts[p->f->first].addr) && say(all, first) && say(all, p->g.vertices) && say(all, p->g.count);
	for (uint32_t k = 0; ok && k < p->cfg.block_count; k++) {
		const struct edit_inst *last = &p->j->insts[p->cfg.blocks[k].last];
		ok = say(all, p->j->insts[p->cfg.blocks[k].first].addr) && say(all, last->addr + last->in.len);
	}
	for (uint32_t k = 0; ok && k < p->g.count; k++)
		ok = say(all, p->g.edges[k].from | (uint64_t)p->g.edges[k].to << 32) &&
		     say(all, p->g.edges[k].weight << 1 | p->g.edges[k].cut);
	return ok;
}

/* Guesses of how often edges are used: what goes back, or on from a loop's inside, more than what leaves. */
static uint64_t guess(const struct cfg_edge *e)
{
	return e->kind == CFG_START ? 1 : e->to == CFG_EXIT ? 2 : e->to <= e->from ? 16 : e->kind == CFG_NEXT ? 8 : 4;
}

static bool number(struct paths_of *p)
{
	p->g = (struct path_graph){.vertices = CFG_BLOCKS + p->cfg.block_count, .count = p->cfg.edge_count};
	p->g.edges = calloc(p->g.count + 1, sizeof *p->g.edges);
	if (!p->g.edges)
		return err_set(p->j->err, "out of memory for paths");
	for (uint32_t k = 0; k < p->g.count; k++)
		p->g.edges[k] = (struct path_edge){.from = p->cfg.edges[k].from, .to = p->cfg.edges[k].to, .weight = guess(&p->cfg.edges[k])};
	return paths_number(&p->g, PATHS_MOST, true, p->j->err);
}

static bool put_function(struct paths_of *p)
{
	uint64_t first;
	bool ok = number(p) && job_counters(p->j, p->j->insts[p->f->first].addr, 0, p->g.paths, &first);
	if (ok) {
		p->table = p->j->memory + 8 * p->j->words * first;
		ok = (!p->g.cut_for_size || job_leave(p->j, p->f, LEFT_PATHS_CUT)) && describe(p, first);
	}
	/* Starts stand before everything else at their places, and what a call has to put back before what its edge does. */
	for (uint32_t k = 0; ok && k < p->cfg.edge_count; k++)
		if (p->cfg.edges[k].kind == CFG_START)
			ok = put_edge(p, k);
	ok = ok && put_calls(p);
	for (uint32_t k = 0; ok && k < p->cfg.edge_count; k++)
		if (p->cfg.edges[k].kind != CFG_START)
			ok = put_edge(p, k);
	job_reserve(p->j, p->f, p->path);
	paths_free(&p->g);
	free(p->g.edges);
	return ok;
}

static bool each_function(struct paths_job *all)
{
	uint32_t count;
	const struct edit_function *functions = edit_functions(all->j->e, &count);
	bool ok = true;
	for (uint32_t f = 0; ok && f < count; f++) {
		struct paths_of p = {.all = all, .j = all->j, .f = &functions[f], .metrics = all->j->kind == INSTRUMENT_PATH_HW};
		const bool keeps = keeps_its_place(&p);
		p.path = keeps ? find_register(&p) : 0;
		if (!p.path) {
			ok = job_leave(all->j, p.f, keeps ? LEFT_NO_REGISTER : LEFT_CALLS_EARLY);
			continue;
		}
		ok = cfg_of(all->j->e, p.f, all->entered, &p.cfg, all->j->err);
		if (ok && p.cfg.block_count > BLOCKS_MOST)
			ok = job_leave(all->j, p.f, LEFT_TOO_LARGE);
		else
			ok = ok && (!p.cfg.block_count || put_function(&p));
		cfg_free(&p.cfg);
	}
	return ok;
}

/* At the program's entry: which statistics the counter registers count. */
static bool select_metrics(struct job *j)
{
	uint64_t id[INSTRUMENT_METRICS];
	struct writer w = {.type = -1};
	const uint32_t entry = edit_inst_at(j->e, edit_entry(j->e));
	for (unsigned i = 0; i < INSTRUMENT_METRICS; i++) {
		const char *name = j->o->metrics[i] ? j->o->metrics[i] : instrument_metrics[i];
		const struct stat_row *row = stat_find(name, j->err);
		if (!row)
			return false;
		if (row->derived)
			return err_set(j->err, "%s is a ratio; a counter counts events or cycles", name);
		id[i] = stat_id(name);
	}
	writer_begin(&w, job_live_at(j, entry), 0);
	const unsigned low = w.temporary[0], high = w.temporary[1];
	writer_put_constant(&w, low, (int32_t)id[0]);
	writer_put(&w, OP_SLLI, low, low, 0, 32);
	writer_put(&w, OP_SRLI, low, low, 0, 32);
	writer_put_constant(&w, high, (int32_t)id[1]);
	writer_put(&w, OP_SLLI, high, high, 0, 32);
	writer_put(&w, OP_OR, low, low, high, 0);
	writer_put(&w, OP_CSRRW, REG_SINK, low, 0, CSR_PICSELECT);
	writer_end(&w);
	return edit_before(j->e, entry, w.code, w.n, j->err);
}

bool count_paths(struct job *j)
{
	struct paths_job all = {.j = j, .entered = cfg_entered(j->e)};
	all.region = edit_memory(j->e, (size_t)1 << STACK_LOG2);
	j->memory = edit_memory_here(j->e);
	bool ok = all.entered || err_set(j->err, "out of memory for paths");
	ok = ok && (j->kind != INSTRUMENT_PATH_HW || select_metrics(j));
	ok = ok && each_function(&all) && edit_section(j->e, PATHS_SECTION, all.words, all.word_count * sizeof *all.words, j->err);
	free(all.entered);
	free(all.words);
	return ok;
}
