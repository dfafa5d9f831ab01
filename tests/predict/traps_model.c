#include "tests/predict/traps_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/defs/events.h"
#include "core/pipe/why.h"
#include "tests/predict/bench.h"

static bool traps_accesses_overlap(const struct flight *a, const struct flight *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

static bool has_all(const struct flight *store, const struct flight *load)
{
	return load->addr >= store->addr && load->addr + load->size <= store->addr + store->size;
}

static uint64_t traps_l1d_line_addr(const struct model *m, uint64_t addr)
{
	return addr / (uint64_t)m->cfg->l1d_line * (uint64_t)m->cfg->l1d_line;
}

/* ---- L1D within a cycle ---- */
static struct set *traps_copy_l1d_set(struct model *m, uint64_t line)
{
	const struct cache *c = &m->p->mem.l1d;
	const uint64_t number = line / (uint64_t)m->cfg->l1d_line % c->sets;
	for (size_t i = 0; i < m->sets; i++)
		if (m->set[i].number == number)
			return &m->set[i];
	if (m->sets == COPIES)
		give_up("more sets in a cycle than there is room for");
	struct set *s = &m->set[m->sets++];
	s->number = number;
	for (unsigned w = 0; w < c->ways; w++) {
		const struct cache_line *l = &m->lines[number * c->ways + w];
		s->tag[w] = l->tag ? (l->tag - 1) * (uint64_t)m->cfg->l1d_line : NEVER;
		s->used[w] = l->used;
	}
	return s;
}

static bool traps_l1d_has_line(struct model *m, uint64_t line)
{
	const struct set *s = traps_copy_l1d_set(m, line);
	for (unsigned w = 0; w < m->p->mem.l1d.ways; w++)
		if (s->tag[w] == line)
			return true;
	return false;
}

/* Uses the line; a missing line replaces the least recently used one. */
static void traps_touch_l1d_line(struct model *m, uint64_t line)
{
	struct set *s = traps_copy_l1d_set(m, line);
	unsigned at = 0;
	for (unsigned w = 1; w < m->p->mem.l1d.ways; w++)
		if (s->used[w] < s->used[at])
			at = w;
	for (unsigned w = 0; w < m->p->mem.l1d.ways; w++)
		if (s->tag[w] == line)
			at = w;
	s->tag[at] = line;
	s->used[at] = ++m->clock;
}

/* All bytes of the load are in the write buffer. */
static bool traps_load_is_buffered(const struct model *m, const struct flight *f, uint64_t cycle)
{
	const uint64_t bytes = (uint64_t)m->cfg->l1d_line;
	for (uint64_t addr = f->addr; addr < f->addr + f->size; addr++) {
		bool held = false;
		for (unsigned i = 0; i < m->p->mem.wbuf_limit; i++) {
			const struct wbuf_entry *e = &m->wbuf.entry[i];
			held |= e->until > cycle && e->line == addr / bytes &&
			        e->bytes[addr % bytes / 64] >> (addr % bytes % 64) & 1;
		}
		if (!held)
			return false;
	}
	return true;
}

/* ---- traps ---- */
static const struct miss *traps_find_synonym_miss(struct model *m, uint64_t line, uint64_t cycle)
{
	const uint64_t modulo = (uint64_t)m->cfg->lsq_replay_synonym;
	if (traps_l1d_has_line(m, line))
		return NULL;
	for (size_t i = 0; i < m->misses; i++) {
		const struct miss *o = &m->miss[i];
		if (o->since <= cycle && o->until > cycle && o->line != line &&
		    o->line % modulo == line % modulo)
			return o;
	}
	return NULL;
}

static const struct event *traps_find_event(const struct model *m, enum event_id id, uint64_t seq)
{
	for (size_t i = 0; i < m->batch_count; i++)
		if (m->batch[i].id == (uint16_t)id && m->batch[i].seq == seq)
			return &m->batch[i];
	return NULL;
}

static void miss_begins(struct model *m, uint64_t line, uint64_t since, uint64_t until,
                        const struct event *by)
{
	if (m->misses == MISSES)
		give_up("more misses than there is room for");
	m->miss[m->misses++] = (struct miss){line, since, until, by->seq, by->pc};
}

/* A load accesses the caches; the machine reports acceptance, and the cycle of its data. */
static void access_line(struct model *m, uint64_t line, uint64_t cycle, const struct event *mem)
{
	const struct cache *c = &m->p->mem.l1d;
	uint64_t until = cycle + mem->mem.latency;
	if (!traps_l1d_has_line(m, line)) {
		/* Each line of a load across two lines comes in its own time. */
		for (uint32_t i = 0; i < c->sets * c->ways; i++)
			if (c->lines[i].tag == line / c->line_bytes + 1)
				until = c->lines[i].ready;
		miss_begins(m, line, cycle, until, mem);
	}
	traps_touch_l1d_line(m, line);
}

/* The load goes to memory in this cycle unless it is replayed, which sets *t, or waits. */
static bool load_goes(struct model *m, const struct flight *f, uint64_t cycle,
                      struct replay_trap *t)
{
	const struct event *mem = traps_find_event(m, EV_MEM, f->seq);
	for (const struct flight *s = f; s-- > m->flight;) {
		if (s->load || s->known > cycle || !s->size || !traps_accesses_overlap(s, f))
			continue;
		*t = (struct replay_trap){f->seq, REPLAY_SIZE, s->seq, s->pc};
		return m->cfg->lsq_replay_size && !f->atomic && !has_all(s, f);
	}
	if (traps_load_is_buffered(m, f, cycle))
		return false;
	const uint64_t first = traps_l1d_line_addr(m, f->addr),
		       last = traps_l1d_line_addr(m, f->addr + f->size - 1);
	if (m->cfg->lsq_replay_synonym && f->load) {
		const struct miss *o = traps_find_synonym_miss(m, first, cycle);
		if (!o && last != first)
			o = traps_find_synonym_miss(m, last, cycle);
		if (o) {
			*t = (struct replay_trap){f->seq, REPLAY_SYNONYM, o->seq, o->pc};
			return true;
		}
	}
	if (!mem)
		return false;
	access_line(m, first, cycle, mem);
	if (last != first)
		access_line(m, last, cycle, mem);
	return false;
}

/* The oldest load that has gone past this store, or atomic that writes, whose address comes to be known. */
static bool traps_find_order_violation(const struct model *m, const struct flight *store,
                                       uint64_t cycle, struct replay_trap *t)
{
	for (const struct flight *f = store + 1; f < m->flight + m->count; f++)
		if (f->load && f->sent < cycle && f->source <= store->seq &&
		    traps_accesses_overlap(f, store)) {
			*t = (struct replay_trap){f->seq, REPLAY_ORDER, store->seq, store->pc};
			return true;
		}
	return false;
}

/* Traps of this cycle: oldest instructions first; instructions younger than a squash are gone. */
static size_t find_traps(struct model *m, uint64_t cycle, struct replay_trap *out)
{
	size_t n = 0;
	/* end: instructions below this seq remain; branch: the oldest mispredicted branch */
	uint64_t end = NEVER, branch = NEVER;
	for (size_t i = 0; i < m->batch_count; i++)
		if (m->batch[i].id == EV_RESOLVE && m->batch[i].resolve.mispredicted &&
		    m->batch[i].seq < branch)
			branch = m->batch[i].seq;
	for (size_t i = 0; i < m->count && m->flight[i].seq < end; i++) {
		const struct flight *f = &m->flight[i];
		struct replay_trap t;
		if (f->seq > branch)
			break;
		bool traps = false;
		if (!f->size || f->known > cycle)
			continue;
		if (!f->store && f->sent == NEVER)
			traps = load_goes(m, f, cycle, &t);
		if (!traps && f->writes && f->known == cycle)
			traps = m->cfg->lsq_speculate &&
			        traps_find_order_violation(m, f, cycle, &t) && t.seq < end;
		if (!traps)
			continue;
		out[n++] = t;
		end = t.seq;
	}
	return n;
}

static void traps_compare_replays(struct model *m, uint64_t cycle)
{
	struct replay_trap expected[64];
	size_t n = find_traps(m, cycle, expected), found = 0;
	for (size_t i = 0; i < m->batch_count; i++) {
		const struct event *ev = &m->batch[i];
		if (ev->id != EV_REPLAY)
			continue;
		const struct replay_trap *t = &expected[found++];
		const bool same = found <= n && t->seq == ev->seq && t->type == ev->replay.type &&
		                  t->partner == ev->replay.partner &&
		                  t->partner_pc == ev->replay.partner_pc;
		m->different += !same;
		if (!same && m->different < 4)
			printf("cycle %" PRIu64 ": #%" PRIu64 " is replayed (%s, #%" PRIu64
			       "), expected #%" PRIu64 " (%s, #%" PRIu64 ")\n",
			       cycle, ev->seq, replay_name[ev->replay.type], ev->replay.partner,
			       found <= n ? t->seq : 0, found <= n ? replay_name[t->type] : "none",
			       found <= n ? t->partner : 0);
		m->traps[ev->replay.type]++;
		/* Every caller gets the same. */
		const struct uop *u = pipe_find(m->p, ev->seq);
		const struct why w = uop_why(m->p, u);
		m->causes += w.id != WHY_REPLAY_ORDER + (ev->replay.type - REPLAY_ORDER) ||
		             w.other != ev->replay.partner || w.due != cycle;
	}
	if (found < n) {
		m->different += n - found;
		if (m->different < 4)
			printf("cycle %" PRIu64 ": #%" PRIu64 " is not replayed (%s, #%" PRIu64
			       ")\n",
			       cycle, expected[found].seq, replay_name[expected[found].type],
			       expected[found].partner);
	}
}

/* Instructions squashed by a mispredicted branch on the right path were on the wrong one, even if
 * replayed there. */
static void traps_check_wrong_path_marks(struct model *m)
{
	uint64_t branch = NEVER;
	for (size_t i = 0; i < m->batch_count; i++) {
		const struct event *ev = &m->batch[i];
		if (ev->id == EV_RESOLVE && ev->resolve.mispredicted &&
		    !(m->p->pool[ev->slot].flags & UF_WRONG_PATH))
			branch = ev->seq;
		else if (ev->id == EV_LEAVE && !ev->leave.retired && ev->leave.entered &&
		         ev->seq > branch)
			m->unmarked += !(m->p->pool[ev->slot].flags & UF_WRONG_PATH);
	}
}

/* ---- the stream ---- */
static struct flight *traps_find_flight(struct model *m, uint64_t seq)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->flight[i].seq == seq)
			return &m->flight[i];
	return NULL;
}

static void traps_on_dispatch(struct model *m, const struct event *ev)
{
	const struct uop *u = &m->p->pool[ev->slot];
	const unsigned replays = m->replays;
	m->replays = 0;
	if (!(u->op_flags & OPF_MEMORY))
		return;
	if (m->count == FLIGHT)
		give_up("more in flight than there is room for");
	struct flight *f = &m->flight[m->count++];
	*f = (struct flight){.seq = ev->seq,
	                     .pc = ev->pc,
	                     .addr = u->exec.addr,
	                     .size = u->exec.size,
	                     .known = NEVER,
	                     .sent = NEVER,
	                     .replays = replays,
	                     .atomic = u->op_flags & OPF_ATOMIC};
	f->load = !f->atomic && u->op_flags & OPF_LOAD;
	f->store = !f->atomic && u->op_flags & OPF_STORE;
	f->writes = u->op_flags & OPF_STORE;
}

static void traps_on_mem(struct model *m, struct flight *f, const struct event *ev)
{
	f->sent = ev->cycle;
	for (const struct flight *s = m->flight; ev->mem.level == LEVEL_FORWARD && s < f; s++)
		if (!s->load && s->known <= ev->cycle && s->size && traps_accesses_overlap(s, f))
			f->source = s->seq;
}

/* Stores' misses, in the order of their commits: their times are from the machine's registers. */
static void stores_miss(struct model *m, uint64_t cycle, const struct event *ev)
{
	const struct hierarchy_state *st = m->p->mem.st;
	for (uint32_t i = 0; i < st->mshr_count; i++) {
		const struct mshr *r = &st->mshr[i];
		const uint64_t first = traps_l1d_line_addr(m, ev->store.addr),
			       last = traps_l1d_line_addr(m, ev->store.addr + ev->store.bytes - 1);
		if (r->ready > cycle && (r->line == first || r->line == last) &&
		    !traps_l1d_has_line(m, r->line)) {
			miss_begins(m, r->line, r->since, r->ready, ev);
			traps_touch_l1d_line(m, r->line);
		}
	}
}

void traps_cycle_over(struct model *m, uint64_t cycle)
{
	traps_compare_replays(m, cycle);
	traps_check_wrong_path_marks(m);
	for (size_t i = 0; i < m->batch_count; i++) {
		const struct event *ev = &m->batch[i];
		struct flight *f = ev->id == EV_DISPATCH ? NULL : traps_find_flight(m, ev->seq);
		if (ev->id == EV_DISPATCH) {
			traps_on_dispatch(m, ev);
		} else if (ev->id == EV_STORE) {
			stores_miss(m, cycle, ev);
		} else if (ev->id == EV_RESOLVE && ev->resolve.mispredicted) {
			m->replays = 0; /* fetch goes elsewhere */
		} else if (f && ev->id == EV_REPLAY) {
			m->again += f->replays != 0;
			m->replays = f->replays + 1;
		} else if (f && ev->id == EV_ISSUE) {
			f->known = cycle + (uint64_t)m->cfg->lsq_agen;
		} else if (f && ev->id == EV_MEM && !f->store) {
			traps_on_mem(m, f, ev);
		} else if (f && ev->id == EV_LEAVE) {
			size_t at = (size_t)(f - m->flight);
			memmove(f, f + 1, (--m->count - at) * sizeof *f);
		}
	}
	size_t kept = 0;
	for (size_t i = 0; i < m->misses; i++)
		if (m->miss[i].until > cycle)
			m->miss[kept++] = m->miss[i];
	m->misses = kept;
	m->batch_count = 0;
}

void traps_look(struct model *m)
{
	const struct cache *c = &m->p->mem.l1d;
	memcpy(m->lines, c->lines, (size_t)c->sets * c->ways * sizeof *m->lines);
	m->wbuf = m->p->mem.st->wbuf;
	m->clock = m->p->mem.st->clock;
	m->sets = 0;
}

void traps_hear(void *ctx, const struct machine *machine, const struct event *ev)
{
	struct model *m = ctx;
	(void)machine;
	if (m->batch_count == BATCH)
		give_up("more events in a cycle than there is room for");
	m->batch[m->batch_count++] = *ev;
}
