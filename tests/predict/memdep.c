/* The memory-dependence predictors against models written from their papers: the 21264's wait table
 * (Kessler, IEEE Micro 1999) and store sets (Chrysos and Emer, ISCA 1998); and perfect prediction,
 * which must leave no violation, and may hold no load longer than its bytes need.
 *
 * The model sees what was dispatched, issued, sent to memory and taken out, cycle by cycle. From
 * that it finds out on its own when a store's address is known and which load had wrongly passed
 * it, learns, and predicts for each load and store which store it waits for. The machine must wait
 * for the same, name the same cause, and squash for the same loads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/events.h"
#include "core/defs/kinds.h"
#include "core/pipe/pipe.h"
#include "core/pipe/why.h"
#include "tests/predict/bench.h"

enum { FLIGHT = 512, BATCH = 1024, TABLE = 1 << 12 };
#define NEVER UINT64_MAX

/* A load, store or atomic in flight. */
struct flight {
	uint64_t seq, pc, addr, size;
	uint64_t known, sent;  /* cycles: its address is known; a load was sent on */
	uint64_t source;       /* the store that forwarded to a load; 0: data from the caches */
	uint64_t gone_by;      /* seq of the squashing instruction of this cycle; 0: none */
	uint64_t waits_for;    /* a store; 0: none */
	uint16_t slot;
	/* writes: a store, or an atomic that is one to loads */
	bool load, store, atomic, writes, wrong_path, waits_for_all;
};

struct model {
	const struct config *cfg;
	bool wait[TABLE];               /* the wait table */
	unsigned ssit[TABLE];           /* set number + 1 of an instruction; 0: none */
	/* the last store of a set, while its address is unknown; 0: none */
	uint64_t lfst[TABLE];
	struct flight flight[FLIGHT];   /* oldest first */
	size_t count;
	struct event batch[BATCH];      /* of this cycle */
	size_t batch_count;
	uint64_t waits, violations, learnt;
	uint64_t different_waits, different_causes, different_squashes, different_sources, early;
};

static size_t memdep_test_pc_index(const struct model *m, uint64_t pc)
{
	return pc / 2 % (uint64_t)m->cfg->lsq_predictor_size;
}

/* ---- the predictors ---- */
static void memdep_test_clear_tables(struct model *m)
{
	memset(m->wait, 0, sizeof m->wait);
	memset(m->ssit, 0, sizeof m->ssit);
	memset(m->lfst, 0, sizeof m->lfst);
}

static void memdep_test_learn_violation(struct model *m, uint64_t load_pc, uint64_t store_pc)
{
	m->learnt++;
	m->wait[memdep_test_pc_index(m, load_pc)] = true;
	unsigned *load = &m->ssit[memdep_test_pc_index(m, load_pc)],
		 *store = &m->ssit[memdep_test_pc_index(m, store_pc)];
	if (!*load && !*store)
		*load = *store = 1 + (unsigned)(load_pc / 2 % (uint64_t)m->cfg->lsq_store_sets);
	else if (!*store || (*load && *load < *store))
		*store = *load; /* the set with the smaller number wins */
	else
		*load = *store;
}

/* The store has its address now, or is gone. */
static void no_longer_last(struct model *m, uint64_t store)
{
	for (long set = 0; set < m->cfg->lsq_store_sets; set++)
		if (m->lfst[set] == store)
			m->lfst[set] = 0;
}

/* Unknown at the end of this cycle's writeback. */
static bool memdep_test_address_is_unknown(const struct flight *f, uint64_t cycle)
{
	return (f->store || f->atomic) && f->known > cycle;
}

static struct flight *memdep_test_find_flight(struct model *m, uint64_t seq)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->flight[i].seq == seq)
			return &m->flight[i];
	return NULL;
}

/* The oldest store or atomic before seq whose address is not known; 0: none. */
static uint64_t oldest_unknown(const struct model *m, uint64_t seq, uint64_t cycle)
{
	for (size_t i = 0; i < m->count && m->flight[i].seq < seq; i++)
		if (memdep_test_address_is_unknown(&m->flight[i], cycle))
			return m->flight[i].seq;
	return 0;
}

static bool memdep_test_accesses_overlap(const struct flight *a, const struct flight *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

/* The youngest store or atomic before the load that writes to some of its bytes; 0 if there is
 * none, or its address is known. */
static uint64_t memdep_test_find_conflict(const struct model *m, const struct flight *load,
                                          uint64_t cycle)
{
	uint64_t found = 0;
	for (const struct flight *f = m->flight; f < load; f++)
		if (f->writes && memdep_test_accesses_overlap(f, load) &&
		    memdep_test_address_is_unknown(f, cycle))
			found = f->seq;
	return found;
}

static void memdep_test_predict_wait(struct model *m, struct flight *f, uint64_t cycle)
{
	if (m->cfg->lsq_predictor == MEMDEP_PERFECT) {
		f->waits_for = f->load ? memdep_test_find_conflict(m, f, cycle) : 0;
		m->waits += f->waits_for != 0;
		return;
	}
	if (f->atomic) { /* an atomic never waits; loads of its set wait for the atomic */
		const unsigned set = m->ssit[memdep_test_pc_index(m, f->pc)];
		if (f->writes && set && m->cfg->lsq_predictor == MEMDEP_STORE_SETS)
			m->lfst[set - 1] = f->seq;
		return;
	}
	if (m->cfg->lsq_predictor == MEMDEP_WAIT_TABLE) {
		f->waits_for_all = f->load && m->wait[memdep_test_pc_index(m, f->pc)] &&
		                   oldest_unknown(m, f->seq, cycle);
	} else if (m->ssit[memdep_test_pc_index(m, f->pc)]) {
		uint64_t *last = &m->lfst[m->ssit[memdep_test_pc_index(m, f->pc)] - 1];
		f->waits_for = *last;
		if (f->store)
			*last = f->seq;
	}
	m->waits += f->waits_for_all || f->waits_for;
}

/* The store for which f, dispatched, still waits; 0: none. */
static uint64_t held_by(struct model *m, const struct flight *f, uint64_t cycle)
{
	if (f->waits_for_all)
		return oldest_unknown(m, f->seq, cycle);
	const struct flight *store = f->waits_for ? memdep_test_find_flight(m, f->waits_for) : NULL;
	return store && memdep_test_address_is_unknown(store, cycle) ? f->waits_for : 0;
}

/* ---- the window ---- */
/* The oldest load that passed this store, whose address becomes known now, and read data older than
 * the store's. */
static const struct flight *memdep_test_find_victim(const struct model *m,
                                                    const struct flight *store, uint64_t cycle)
{
	for (const struct flight *f = store + 1; f < m->flight + m->count; f++)
		if (f->load && f->sent < cycle && f->source < store->seq &&
		    memdep_test_accesses_overlap(f, store) &&
		    (!f->gone_by || f->gone_by >= store->seq))
			return f;
	return NULL;
}

/* Compares the violations of this cycle with the machine's squashes. The LEAVE events of a squash
 * come before its SQUASH. */
static void memdep_test_check_violations(struct model *m, uint64_t cycle)
{
	const struct event *squashed[BATCH]; /* by a store */
	size_t squashes = 0, found = 0, left = 0;
	for (size_t i = 0; i < m->batch_count; i++) {
		const struct event *ev = &m->batch[i];
		if (ev->id != EV_SQUASH)
			continue;
		for (; left < i; left++) {
			const struct event *leave = &m->batch[left];
			struct flight *f = leave->id == EV_LEAVE && !leave->leave.retired
			                           ? memdep_test_find_flight(m, leave->seq)
			                           : NULL;
			if (f && !f->gone_by)
				f->gone_by = ev->seq;
		}
		const struct flight *f = memdep_test_find_flight(m, ev->seq);
		if (f && f->writes)
			squashed[squashes++] = ev;
	}
	for (size_t i = 0; i < m->count; i++) {
		const struct flight *store = &m->flight[i], *load;
		if (!store->writes || store->known != cycle || store->gone_by)
			continue;
		no_longer_last(m, store->seq);
		if (!(load = memdep_test_find_victim(m, store, cycle)))
			continue;
		m->violations++;
		m->different_squashes += found == squashes || squashed[found]->seq != store->seq ||
		                         squashed[found]->squash.next != load->pc;
		found += found < squashes;
		if (!load->wrong_path)
			memdep_test_learn_violation(m, load->pc, store->pc);
	}
	m->different_squashes += squashes - found;
}

static void memdep_test_on_dispatch(struct model *m, const struct pipe *p, const struct event *ev)
{
	const struct uop *u = &p->pool[ev->slot];
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
	                     .slot = (uint16_t)ev->slot,
	                     .wrong_path = ev->dispatch.wrong_path,
	                     .atomic = u->op_flags & OPF_ATOMIC};
	f->load = !f->atomic && u->op_flags & OPF_LOAD;
	f->store = !f->atomic && u->op_flags & OPF_STORE;
	f->writes = u->op_flags & OPF_STORE;
	memdep_test_predict_wait(m, f, ev->cycle);
	bool waits = u->flags & UF_PREDICTED_WAIT;
	const struct flight *store = memdep_test_find_flight(m, f->waits_for);
	m->different_waits += waits != (f->waits_for_all || f->waits_for) ||
	                      u->src.seq[2] != f->waits_for ||
	                      u->src.slot[2] != (store ? store->slot : NO_SLOT);
}

static void memdep_test_on_mem(struct model *m, struct flight *f, const struct event *ev)
{
	f->sent = ev->cycle;
	for (const struct flight *s = m->flight; s < f; s++)
		if (s->store && s->known <= ev->cycle && memdep_test_accesses_overlap(s, f))
			f->source = s->seq;
	m->different_sources += (ev->mem.level == LEVEL_FORWARD) != (f->source != 0);
}

static void memdep_test_remove_flight(struct model *m, struct flight *f)
{
	no_longer_last(m, f->seq);
	size_t at = (size_t)(f - m->flight);
	memmove(f, f + 1, (--m->count - at) * sizeof *f);
}

static void cycle_over(struct model *m, const struct pipe *p, uint64_t cycle)
{
	memdep_test_check_violations(m, cycle);
	for (size_t i = 0; i < m->batch_count; i++) {
		const struct event *ev = &m->batch[i];
		struct flight *f =
			ev->id == EV_DISPATCH ? NULL : memdep_test_find_flight(m, ev->seq);
		if (ev->id == EV_DISPATCH) {
			memdep_test_on_dispatch(m, p, ev);
		} else if (f && ev->id == EV_ISSUE) {
			m->early += held_by(m, f, cycle) != 0;
			f->known = cycle + (uint64_t)m->cfg->lsq_agen;
		} else if (f && ev->id == EV_MEM && f->load) {
			memdep_test_on_mem(m, f, ev);
		} else if (f && ev->id == EV_LEAVE) {
			memdep_test_remove_flight(m, f);
		}
	}
	for (size_t i = 0; i < m->count; i++) {
		const struct uop *u = &p->pool[m->flight[i].slot];
		struct why w = uop_why(p, u);
		uint64_t by = u->state == UOP_READY ? held_by(m, &m->flight[i], cycle) : 0;
		m->different_causes += u->seq != m->flight[i].seq ||
		                       (w.id == WHY_STORE_PREDICTED ? w.other : 0) != by;
	}
	m->batch_count = 0;
}

static void memdep_test_on_event(void *ctx, const struct machine *machine, const struct event *ev)
{
	struct model *m = ctx;
	(void)machine;
	if (m->batch_count == BATCH)
		give_up("more events in a cycle than there is room for");
	m->batch[m->batch_count++] = *ev;
}

static void memdep_test_run_guest(struct bench *b, const char *options, int arguments)
{
	struct config cfg;
	struct session *s =
		open_guest("build/tests/predict/memdep_guest", arguments, options, &cfg);
	struct model *m = calloc(1, sizeof *m);
	struct event_filter filter = {.mask = EV_BIT(DISPATCH) | EV_BIT(ISSUE) | EV_BIT(MEM) |
	                                      EV_BIT(SQUASH) | EV_BIT(LEAVE)};
	if (!m || !machine_listen(s->machine, &filter, memdep_test_on_event, m))
		give_up("no memory");
	m->cfg = &cfg;
	for (uint64_t cycle = 0; machine_status(s->machine) == MACHINE_RUNNING; cycle++) {
		if (cfg.lsq_predictor_clear && cycle % (uint64_t)cfg.lsq_predictor_clear == 0)
			memdep_test_clear_tables(m);
		machine_step(s->machine);
		cycle_over(m, machine_pipe(s->machine), cycle);
	}
	const struct stats *st = machine_stats(s->machine);
	char config[600];
	snprintf(config, sizeof config, "program %d, %s", arguments, options);
	check(b, machine_status(s->machine) == MACHINE_EXITED, config, "status",
	      machine_status(s->machine), MACHINE_EXITED);
	check(b, m->different_waits == 0, config, "predictions that differ", m->different_waits, 0);
	check(b, m->different_causes == 0, config, "causes of a wait that differ",
	      m->different_causes, 0);
	check(b, m->early == 0, config, "issued in spite of a wait", m->early, 0);
	check(b, m->different_squashes == 0, config, "squashes that differ", m->different_squashes,
	      0);
	check(b, m->different_sources == 0, config, "forwarded loads that differ",
	      m->different_sources, 0);
	check(b, st->memdep_waits == m->waits && m->waits > 20, config, "lsq.predicted_waits",
	      st->memdep_waits, m->waits);
	const bool perfect = cfg.lsq_predictor == MEMDEP_PERFECT;
	check(b, st->memdep_learnt == m->learnt && !m->learnt == perfect, config,
	      "lsq.predictor_learnt", st->memdep_learnt, m->learnt);
	check(b, st->order_violations == m->violations, config, "lsq.order_violations",
	      st->order_violations, m->violations);
	free(m);
	session_free(s);
}

static const char *const kinds[] = {
#define KIND(id, name, choice, ...) choice,
#define APART(...)
	MEMDEP_ROWS(KIND, APART)};
/* The default's tables; so small that strangers share; one entry; forgetful ones; a deep window
 * that learns late. */
static const char *const shapes[] = {
	"",
	"lsq.predictor_size=16 lsq.store_sets=4 lsq.predictor_clear=0",
	"lsq.predictor_size=1 lsq.store_sets=1",
	"lsq.store_sets=1 lsq.predictor_clear=97",
	"lsq.predictor_size=64 lsq.store_sets=2 lsq.predictor_clear=1000 pipe.rob_size=256 "
        "lsq.size=128 lsq.agen_latency=3",
};
int main(void)
{
	struct bench b = {0, 0};
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
			for (int program = 0; program < 3; program++) {
				char options[512];
				snprintf(options, sizeof options,
				         "lsq.speculate=true lsq.predictor=%s %s", kinds[k],
				         shapes[s]);
				memdep_test_run_guest(&b, options, program);
			}
	printf("%d passed, %d failed\n", b.passed, b.failed);
	return b.failed != 0;
}
