#include "hwviews/flow/flow_picture.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/flow/flow_paths.h"
#include "hwviews/grid/order.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/program/origin.h"
#include "hwviews/session/view_text.h"
#include "loader/instrument/instrument.h"

static bool flow_picture_read_memory(const void *ctx, uint64_t addr, void *buf, size_t n)
{
	const struct session *s = ctx;
	return machine_peek(s->machine, addr, buf, n);
}

static bool decode_at(const struct session *s, uint64_t addr, struct inst *in)
{
	return flow_decode(&(struct flow_code){.read = flow_picture_read_memory, .ctx = s}, addr,
	                   in);
}

uint64_t flow_picture_now(const struct flow_picture *p, uint64_t was)
{
	return p->laid_out ? moved_code_to(&p->moved, was) : was;
}

static uint64_t place_was(const struct session *s, const struct flow_picture *p, uint64_t now)
{
	return p->laid_out ? origin_next(s, &p->moved, now) : now;
}

/* ---- the function's place ---- */
static uint64_t symbol_end(const struct session *s, const struct symbol *symbol)
{
	size_t n;
	const struct symbol *all = program_symbols(s->program, &n);
	for (size_t i = 0; !symbol->size && i < n; i++)
		if (all[i].addr > symbol->addr)
			return all[i].addr;
	return symbol->addr + symbol->size;
}

/* [*lo, *hi): the function's original addresses. */
static bool find_range(const struct session *s, struct flow_picture *p, uint64_t *lo, uint64_t *hi)
{
	const uint64_t from = p->symbol->addr, to = symbol_end(s, p->symbol);
	struct inst in;
	*lo = from;
	*hi = to;
	p->laid_out =
		program_moved_code(s->program, &p->moved) && moved_code_covers(&p->moved, from);
	if (!p->laid_out)
		return to > from;
	const uint64_t first = moved_index(&p->moved, from), end = moved_index(&p->moved, to);
	if (first == end)
		return false;
	*lo = p->moved.pairs[2 * first + 1];
	*hi = p->moved.pairs[2 * (end - 1) + 1];
	if (!decode_at(s, *hi, &in))
		return false;
	*hi += in.len;
	return true;
}

/* Decided by the function's present code, even in a rewritten program. */
static bool never_returns(const void *ctx, uint64_t addr)
{
	const struct session *s = ctx;
	struct moved_code moved;
	const uint64_t now =
		program_moved_code(s->program, &moved) ? moved_code_to(&moved, addr) : 0;
	const struct symbol *symbol = program_symbol_at(s->program, now ? now : addr);
	return symbol &&
	       flow_never_returns(&(struct flow_code){.read = flow_picture_read_memory, .ctx = s},
	                          symbol->addr, symbol_end(s, symbol));
}

/* ---- the oracle ---- */
/* The block that ends with the instruction at present address `now`. */
static struct flow_block *flow_picture_find_block_by_last(struct flow_picture *p, uint64_t now)
{
	const uint64_t was = p->laid_out ? moved_code_from(&p->moved, now) : now;
	const uint32_t k = was ? flow_block_at(&p->graph, was) : FLOW_NONE;
	return k != FLOW_NONE && p->graph.blocks[k].last == was ? &p->graph.blocks[k] : NULL;
}

static struct flow_edge *flow_picture_find_edge_by_kind(struct flow_picture *p,
                                                        const struct flow_block *b,
                                                        enum flow_kind kind)
{
	for (uint32_t i = 0; i < b->edges; i++)
		if (p->graph.edges[b->edge + i].kind == kind)
			return &p->graph.edges[b->edge + i];
	return NULL;
}

static void flow_picture_set_edge_count(struct flow_edge *e, uint64_t n)
{
	if (e)
		e->count = (struct flow_count){n, true, false};
}

/* True if the editor has inverted the branch: out of reach, it now skips a jump. */
static bool is_turned(const struct session *s, const struct flow_picture *p,
                      const struct flow_block *b, uint64_t now)
{
	struct inst in;
	return p->laid_out && decode_at(s, now, &in) && in.op != b->inst.op;
}

static void take_branch(const struct session *s, struct flow_picture *p,
                        const struct oracle_entry *e)
{
	const struct flow_block *b = flow_picture_find_block_by_last(p, e->key[0]);
	if (!b || e->aux > EDGE_NOT_TAKEN)
		return;
	const bool taken = (e->aux == EDGE_TAKEN) != is_turned(s, p, b, e->key[0]);
	flow_picture_set_edge_count(
		flow_picture_find_edge_by_kind(p, b, taken ? FLOW_TAKEN : FLOW_NEXT), e->count);
}

/* Marks outcomes without an entry as never taken. */
static void clear_branches(struct flow_picture *p)
{
	for (uint32_t k = 0; k < p->graph.edge_count; k++)
		if (inst_flags(&p->graph.blocks[p->graph.edges[k].from].inst) & OPF_BRANCH)
			flow_picture_set_edge_count(&p->graph.edges[k], 0);
}

static void take_oracle(const struct session *s, const struct oracle *o, struct flow_picture *p)
{
	const struct prof *prof = machine_pipe(s->machine)->prof;
	const bool edges = oracle_has(o, ORACLE_EDGES);
	for (uint32_t k = 0; k < p->graph.block_count; k++) {
		struct flow_block *b = &p->graph.blocks[k];
		const uint64_t last = oracle_count(prof, flow_picture_now(p, b->last));
		uint64_t seen = 0;
		b->count = (struct flow_count){oracle_count(prof, flow_picture_now(p, b->start)),
		                               true, false};
		for (uint32_t i = 0; i < b->edges; i++)
			seen += p->graph.edges[b->edge + i].kind == FLOW_SEEN
			                ? p->graph.edges[b->edge + i].count.n : 0;
		flow_picture_set_edge_count(flow_picture_find_edge_by_kind(p, b, FLOW_JUMP), last);
		flow_picture_set_edge_count(flow_picture_find_edge_by_kind(p, b, FLOW_UNKNOWN),
		                            last - (seen < last ? seen : last));
		if (!inst_is_control(&b->inst))
			flow_picture_set_edge_count(flow_picture_find_edge_by_kind(p, b, FLOW_NEXT),
			                            last);
	}
	if (edges)
		clear_branches(p);
	for (uint32_t i = 0; edges && i < oracle_entries(o, ORACLE_EDGES); i++)
		take_branch(s, p, oracle_entry(o, ORACLE_EDGES, i));
	p->counts = edges ? "the oracle" : "the oracle (edges: -o oracle.blocks=true)";
}

ORDER(by_place, struct flow_jump, UP(at) ?: UP(to))

/* Targets of jumps through registers that the oracle has seen in [lo, hi): *n, malloc'd. NULL:
 * memory is out. */
static struct flow_jump *seen_jumps(const struct session *s, const struct flow_picture *p,
                                    uint64_t lo, uint64_t hi, size_t *n)
{
	const struct oracle *o = session_oracle(s);
	const uint32_t count =
		o && oracle_has(o, ORACLE_EDGES) ? oracle_entries(o, ORACLE_EDGES) : 0;
	struct flow_jump *jumps = alloc_bytes((count + (size_t)1) * sizeof *jumps);
	*n = 0;
	for (uint32_t i = 0; jumps && i < count; i++) {
		const struct oracle_entry *e = oracle_entry(o, ORACLE_EDGES, i);
		if (e->aux != EDGE_INDIRECT)
			continue;
		const uint64_t at = p->laid_out ? moved_code_from(&p->moved, e->key[0]) : e->key[0];
		const uint64_t to = at >= lo && at < hi ? place_was(s, p, e->key[1]) : 0;
		if (to >= lo && to < hi)
			jumps[(*n)++] = (struct flow_jump){at, to, e->count};
	}
	if (jumps)
		sort_stable(jumps, *n, sizeof *jumps, by_place);
	return jumps;
}

/* ---- counters of instrumentation ---- */
static bool read_counter(const struct session *s, const struct counters *c, uint64_t k, uint64_t *n)
{
	return machine_peek(s->machine, c->memory + 8 * c->words * k, n, sizeof *n);
}

static void flow_picture_assign_edge_counter(struct flow_picture *p, const struct counter *c,
                                             uint64_t n)
{
	const uint32_t k = flow_block_at(&p->graph, c->at);
	if (k == FLOW_NONE || p->graph.blocks[k].last != c->at ||
	    !(inst_flags(&p->graph.blocks[k].inst) & OPF_CONTROL))
		return;
	const struct flow_block *b = &p->graph.blocks[k];
	struct flow_edge *next = flow_picture_find_edge_by_kind(p, b, FLOW_NEXT),
			 *other = flow_picture_find_edge_by_kind(
				 p, b, inst_flags(&b->inst) & OPF_BRANCH ? FLOW_TAKEN : FLOW_JUMP);
	/* A branch to the next instruction has two counters that look alike: the first is that of
	 * the taken edge. */
	if (other && other->target == c->to && !other->count.known)
		flow_picture_set_edge_count(other, n);
	else if (next && next->target == c->to)
		flow_picture_set_edge_count(next, n);
}

static void take_block(struct flow_picture *p, const struct counter *c, uint64_t n)
{
	const uint32_t k = flow_block_at(&p->graph, c->at);
	if (k != FLOW_NONE && p->graph.blocks[k].start == c->at)
		p->graph.blocks[k].count = (struct flow_count){n, true, false};
}

static bool take_counters(const struct session *s, struct flow_picture *p,
                          enum instrument_kind kind)
{
	struct counters c;
	uint64_t n;
	if (!p->laid_out || !program_counters_of(s->program, kind, &c))
		return false;
	for (uint64_t i = 0; i < c.count; i++) {
		if (c.all[i].at < p->graph.lo || c.all[i].at >= p->graph.hi ||
		    !read_counter(s, &c, i, &n))
			continue;
		if (kind == INSTRUMENT_EDGE)
			flow_picture_assign_edge_counter(p, &c.all[i], n);
		else
			take_block(p, &c.all[i], n);
	}
	p->counts = kind == INSTRUMENT_EDGE ? "its edges" : "its blocks";
	return true;
}

/* Addresses at which blocks begin, by the program's counters: *n, malloc'd. NULL: memory is out. */
static uint64_t *counted_leaders(const struct session *s, const struct flow_picture *p, size_t *n)
{
	struct counters c;
	const bool there = p->laid_out && program_counters_of(s->program, INSTRUMENT_BB, &c);
	uint64_t *all = alloc_bytes(((there ? c.count : 0) + 1) * sizeof *all);
	*n = 0;
	for (uint64_t i = 0; all && there && i < c.count; i++)
		all[(*n)++] = c.all[i].at;
	return all;
}

/* ---- all of it ---- */
void flow_picture_free(struct flow_picture *p)
{
	flow_free(&p->graph);
	free(p->labels);
	*p = (struct flow_picture){0};
}

static void flow_picture_count_edges(const struct session *s, struct flow_picture *p,
                                     const struct path_profile *paths)
{
	if (paths->count && flow_take_paths(s, p, paths))
		p->counts = "its paths";
	else if (take_counters(s, p, INSTRUMENT_EDGE))
		;
	else if (session_oracle(s))
		take_oracle(s, session_oracle(s), p);
	else
		take_counters(s, p, INSTRUMENT_BB);
	if (p->counts)
		flow_solve(&p->graph);
}

static const char *why_left(const struct session *s, const struct flow_picture *p)
{
	struct skipped_functions left;
	if (!p->laid_out || !program_left(s->program, &left))
		return NULL;
	for (uint64_t i = 0; i < left.count; i++)
		if (left.all[i].at == p->graph.lo && left_alone[left.all[i].why])
			return skip_reason_text[left.all[i].why];
	return NULL;
}

bool flow_picture_of(const struct session *s, uint64_t addr, bool counted, struct flow_picture *out,
                     struct err *err)
{
	const struct flow_code code = {flow_picture_read_memory, never_returns, s,
	                               machine_isa(s->machine)};
	char where[128];
	uint64_t lo, hi;
	struct flow_picture p = {.symbol = program_symbol_at(s->program, addr), .here = FLOW_NONE};
	if (!p.symbol || !p.symbol->code)
		return err_set(err, "%s is in no function: `info functions` lists them",
		               format_addr(s, addr, where, sizeof where));
	if (!find_range(s, &p, &lo, &hi))
		return err_set(err, "%s has no code", p.symbol->name);
	struct flow_known known = {0};
	struct flow_jump *jumps = seen_jumps(s, &p, lo, hi, &known.jump_count);
	struct path_profile paths;
	known.skip_behind_calls = !p.laid_out || !program_paths_at(s->program, lo, &paths);
	if (known.skip_behind_calls)
		paths = (struct path_profile){0};
	uint64_t *leaders = paths.count
	                            ? flow_path_leaders(&paths.functions[0], &known.leader_count)
	                            : counted_leaders(s, &p, &known.leader_count);
	known.jumps = jumps;
	known.leaders = leaders;
	bool ok = (jumps && leaders) || err_set(err, "out of memory for a flow graph");
	ok = ok && flow_of(&code, lo, hi, &known, &p.graph, err);
	free(jumps);
	free(leaders);
	if (ok && counted)
		flow_picture_count_edges(s, &p, &paths);
	path_profile_free(&paths);
	if (!ok)
		return false;
	const uint64_t here = place_was(s, &p, machine_seen_pc(s->machine));
	p.here = here ? flow_block_at(&p.graph, here) : FLOW_NONE;
	p.left = why_left(s, &p);
	*out = p;
	return true;
}
