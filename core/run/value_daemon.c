#include "core/run/value_daemon.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/nearest_word.h"
#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/machine/alarm.h"
#include "core/machine/change.h"
#include "core/machine/machine.h"
#include "core/os/journal.h"
#include "core/pipe/pipe.h"
#include "core/prof/common/attachment.h"
#include "core/prof/common/prof.h"
#include "core/prof/values/value_database.h"
#include "core/prof/values/vsample.h"

const char *const hotlist_method_name[HOTLIST_METHODS] = {
	[HOTLIST_SAMPLES] = "samples",
	[HOTLIST_TOP] = "top",
	[HOTLIST_EXACT] = "exact",
	[HOTLIST_COUNTING] = "counting",
};

struct value_daemon {
	struct value_source source;
	struct hotlists *lists[HOTLIST_METHODS]; /* owned */
	/* a reference; counts modules' memories, now and in snapshots */
	struct memory_account *ledger;
	struct knowledge now;
	int attachment;
	struct vsample_tuple *piece; /* owned; [length] */
	uint64_t length;
	struct err failure;
	bool failed;
};

/* ---- the attachment ---- */
static void *value_daemon_save_knowledge(void *ctx)
{
	const struct value_daemon *d = ctx;
	/* may fail: history is thinned then */
	struct knowledge *k = alloc_try_bytes(sizeof *k);
	if (k)
		knowledge_copy(k, &d->now);
	return k;
}

static void value_daemon_restore_knowledge(void *ctx, const void *state)
{
	struct value_daemon *d = ctx;
	knowledge_forget(&d->now);
	if (state)
		knowledge_copy(&d->now, state);
}

static void value_daemon_release_knowledge(void *state)
{
	knowledge_forget(state);
	free(state);
}

static size_t value_daemon_knowledge_bytes(const void *state)
{
	(void)state;
	return sizeof(struct knowledge);
}

static size_t value_daemon_shared_bytes(const void *ctx)
{
	const struct value_daemon *d = ctx;
	return d->ledger->bytes - knowledge_bytes(&d->now);
}

static void value_daemon_walk_ledger(const void *ctx, const void *state,
                                     const struct ledger_walk *w)
{
	const struct value_daemon *d = ctx;
	knowledge_walk(state ? state : &d->now, w);
}

static uint64_t value_daemon_hash_state(const void *ctx)
{
	const struct value_daemon *d = ctx;
	return knowledge_hash(&d->now, d->source.modules);
}

static void value_daemon_add_to_hotlists(void *ctx, uint64_t place, unsigned kind, uint64_t value)
{
	const struct value_daemon *d = ctx;
	for (unsigned i = 0; i < HOTLIST_METHODS; i++)
		if (d->lists[i])
			hotlists_add(d->lists[i], place, kind, value);
}

static void value_daemon_apply_change(void *ctx, const void *bytes, size_t n)
{
	struct value_daemon *d = ctx;
	knowledge_apply(&d->now, bytes, n, value_daemon_add_to_hotlists, d);
}

static void *value_daemon_pack_state(const void *ctx, size_t *n)
{
	const struct value_daemon *d = ctx;
	return knowledge_pack(&d->now, n);
}

static bool value_daemon_unpack_state(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct value_daemon *d = ctx;
	return knowledge_unpack(&d->now, bytes, n) ||
	       err_set(err, "what is saved is not of the value sampler's daemon");
}

static const struct attachment_ops knowledge_attachment = {
	.name = "value daemon",
	.save = value_daemon_save_knowledge,
	.restore = value_daemon_restore_knowledge,
	.free = value_daemon_release_knowledge,
	.bytes = value_daemon_knowledge_bytes,
	.shared_bytes = value_daemon_shared_bytes,
	.walk = value_daemon_walk_ledger,
	.hash = value_daemon_hash_state,
	.change = value_daemon_apply_change,
	.pack = value_daemon_pack_state,
	.unpack = value_daemon_unpack_state,
};

static const struct attachment_ops lists_attachment[HOTLIST_METHODS] = {
	[HOTLIST_SAMPLES] = ORACLE_STORE_ATTACHMENT("values: samples"),
	[HOTLIST_TOP] = ORACLE_STORE_ATTACHMENT("values: top"),
	[HOTLIST_EXACT] = ORACLE_STORE_ATTACHMENT("values: exact"),
	[HOTLIST_COUNTING] = ORACLE_STORE_ATTACHMENT("values: counting"),
};

/* ---- handing sequences over ---- */
/* True if the journal has an answer for this cycle already: the machine is repeating it. */
static bool value_daemon_cycle_is_recorded(const struct value_daemon *d, const struct machine *m)
{
	const struct journal *j = machine_journal(m);
	const uint64_t key = machine_attachment_key(m, d->attachment),
		       now = stats_guest_cycle(machine_stats(m), machine_cycle(m));
	const struct journal_entry *e;
	uint64_t whose;
	for (uint64_t i = j->st->pos; (e = journal_at(j, i)) && e->cycle <= now; i++) {
		memcpy(&whose, journal_payload(e), sizeof whose);
		if (e->kind == JOURNAL_ATTACHMENT && whose == key)
			return true;
	}
	return false;
}

/* Keeps the first failure since value_daemon_take_failure(). The machine goes on: other modules
 * still get their values. */
static void value_daemon_record_failure(struct value_daemon *d, const struct err *err)
{
	if (d->failed)
		return;
	d->failed = true;
	d->failure = *err;
}

/* Copies the tuples of operations that the module captures. Returns their number. */
static uint32_t select_for(const struct value_daemon *d, unsigned module,
                           const struct vsample_tuple *from, uint32_t n, struct vsample_tuple *to)
{
	const struct vsample_capture *c = d->source.module[module].capture;
	struct inst in;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++) {
		inst_decode(from[i].word, &in);
		if (c->fields[in.op] & VSAMPLE_TUPLE)
			to[kept++] = from[i];
	}
	return kept;
}

/* Calls one module and appends its answer to the others'. */
static void value_daemon_query_module(struct value_daemon *d, unsigned module,
                                      const struct value_sequence *all, const struct memory *memory,
                                      struct value_answer *pairs, struct value_answer *memories,
                                      struct entry_head *head)
{
	struct value_sequence s = *all;
	struct err err;
	const size_t used = pairs->used;
	struct vsample_tuple *own = d->piece + d->length;
	s.tuple = own;
	s.count = select_for(d, module, all->tuple, all->count, own);
	if (!s.count)
		return;
	pairs->pairs = pairs->refused = 0;
	pairs->tuple = all->tuple;
	pairs->tuples = all->count;
	value_answer_remember(pairs, memory ? memory->at : NULL, memory ? memory->n : 0);
	if (!d->source.turn(d->source.ctx, module, &s, pairs, &err)) {
		pairs->used = used;
		head->broken |= UINT64_C(1) << module;
		value_daemon_record_failure(d, &err);
		return;
	}
	head->pairs += pairs->pairs;
	head->refused += pairs->refused;
	if (pairs->state && (!memory || pairs->state != memory->at))
		knowledge_put_memory(memories, module, memory, pairs->state, pairs->state_n);
}

/* Hands a piece to all modules, and their answers to the journal. */
static bool hand_over(struct value_daemon *d, const struct machine *m, struct knowledge *ahead,
                      const struct value_sequence *s)
{
	struct value_answer entry = {0}, pairs = {0}, memories = {0};
	struct entry_head head = {.tuples = s->count, .behind_gap = s->behind_gap};
	struct err err;
	for (unsigned i = 0; i < d->source.modules; i++)
		if (!((ahead->totals.broken | head.broken) >> i & 1))
			value_daemon_query_module(d, i, s, ahead->memory[i], &pairs, &memories,
			                          &head);
	value_answer_put(&entry, &head, sizeof head);
	if (pairs.used)
		value_answer_put(&entry, pairs.bytes, pairs.used);
	if (memories.used)
		value_answer_put(&entry, memories.bytes, memories.used);
	bool ok = !entry.lost && !pairs.lost && !memories.lost;
	if (!ok)
		err_set(&err, "out of memory for what modules make of values");
	const struct change c = {.kind = JOURNAL_ATTACHMENT,
	                         .a = machine_attachment_key(m, d->attachment),
	                         .bytes = entry.bytes,
	                         .n = entry.used};
	/* m is const for its listeners, but they may request changes. */
	ok = ok && machine_change_later((struct machine *)(uintptr_t)m, &c, &err);
	if (ok)
		knowledge_apply(ahead, entry.bytes, entry.used, NULL,
		                NULL); /* as the journal will, after this cycle */
	else
		value_daemon_record_failure(d, &err);
	free(entry.bytes);
	free(pairs.bytes);
	free(memories.bytes);
	return ok;
}

/* The piece that begins with the n-th tuple and ends at a gap or at `end`; copies its tuples. */
static struct value_sequence piece_at(struct value_daemon *d, const struct prof *p, uint64_t n,
                                      uint64_t end, uint64_t first)
{
	const struct vsample_tuple *t = vsample_entered(p, n);
	struct value_sequence s = {
		.number = t->sequence, .behind_gap = n > first, .tuple = d->piece};
	const uint64_t serial = t->serial;
	while (n + s.count < end &&
	       (t = vsample_entered(p, n + s.count))->serial == serial + s.count)
		d->piece[s.count++] = *t;
	return s;
}

/* Number of the tuple after the interpretation that begins with the n-th; n if the interpretation
 * is not over, or not taken completely. */
static uint64_t value_daemon_sequence_end(const struct prof *p, uint64_t n, uint64_t taken,
                                          bool ended)
{
	const struct vsample_state *st = p->vsample->st;
	const uint64_t number = vsample_entered(p, n)->sequence;
	uint64_t end = n;
	if (!ended && st->phase != VSAMPLE_AWAY && p->stats->vsample_interpretations == number)
		return n;
	while (end < st->written && vsample_entered(p, end)->sequence == number)
		end++;
	return end <= taken ? end : n;
}

/* Makes room for a sequence, and for a module's part of it; a machine that has taken another's
 * place may have longer ones. */
static bool value_daemon_reserve_tuples(struct value_daemon *d, uint64_t length, struct err *err)
{
	struct vsample_tuple *grown =
		length > d->length ? alloc_resize(d->piece, 2 * length * sizeof *grown) : d->piece;
	if (!grown)
		return err_set(err, "out of memory for sequences of tuples");
	d->piece = grown;
	d->length = length > d->length ? length : d->length;
	return true;
}

static void value_daemon_poll_machine(void *ctx, const struct machine *m)
{
	struct value_daemon *d = ctx;
	const struct prof *p = machine_pipe(m)->prof;
	const bool ended = machine_status(m) != MACHINE_RUNNING;
	struct knowledge ahead;
	struct err err;
	if (!p->vsample->st || p->vsample->st->written == d->now.totals.through ||
	    value_daemon_cycle_is_recorded(d, m))
		return;
	if (!value_daemon_reserve_tuples(d, vsample_most(machine_config(m)), &err)) {
		value_daemon_record_failure(d, &err);
		return;
	}
#ifdef CYCLOPS_CHECK
	assert(!ended || !value_daemon_check(d));
#endif
	const uint64_t taken = ended ? p->vsample->st->written : vsample_taken(p);
	knowledge_copy(&ahead, &d->now);
	for (bool ok = true; ok && ahead.totals.through < taken;) {
		const uint64_t from = ahead.totals.through,
			       end = value_daemon_sequence_end(p, from, taken, ended);
		ok = end > from;
		while (ok && ahead.totals.through < end) {
			const struct value_sequence s =
				piece_at(d, p, ahead.totals.through, end, from);
			ok = hand_over(d, m, &ahead, &s);
		}
	}
	knowledge_forget(&ahead);
}

/* ---- life ---- */
static struct hotlists *new_lists(const struct config *cfg, enum hotlist_method method,
                                  struct err *err)
{
	const struct hotlist_spec spec = {.method = method,
	                                  .entries = (uint32_t)cfg->values_entries,
	                                  .f_up = (uint32_t)cfg->values_f_up,
	                                  .f_down = (uint32_t)cfg->values_f_down,
	                                  .clear = (uint64_t)cfg->values_clear};
	return hotlists_new(&spec, (uint64_t)cfg->values_seed, (uint64_t)cfg->values_memory, err);
}

struct value_daemon *value_daemon_new(const struct config *cfg, const struct value_source *source,
                                      struct err *err)
{
	struct value_daemon *d = alloc_zeroed(1, sizeof *d);
	if (!d) {
		err_set(err, "out of memory for the value sampler's daemon");
		return NULL;
	}
	d->source = *source;
	d->ledger = d->now.ledger = memory_account_new();
	bool ok = value_daemon_reserve_tuples(d, vsample_most(cfg), err) &&
	          (d->ledger || err_set(err, "out of memory for the value sampler's daemon"));
	for (unsigned i = 0; ok && i < HOTLIST_METHODS; i++)
		if (cfg->values_method == (int64_t)i || cfg->values_method == HOTLIST_METHODS)
			ok = (d->lists[i] = new_lists(cfg, (enum hotlist_method)i, err));
	if (ok)
		return d;
	value_daemon_free(d);
	return NULL;
}

void value_daemon_free(struct value_daemon *d)
{
	if (!d)
		return;
	for (unsigned i = 0; i < HOTLIST_METHODS; i++)
		hotlists_free(d->lists[i]);
	knowledge_forget(&d->now);
	memory_account_drop(d->ledger);
	free(d->piece);
	free(d);
}

bool value_daemon_attach(struct value_daemon *d, struct machine *m, struct err *err)
{
	const struct alarm period = {.unit = ALARM_CYCLES,
	                             .every = VSAMPLE_PERIOD,
	                             .first = VSAMPLE_PERIOD},
			   end = {.unit = ALARM_END};
	const struct config *cfg = machine_config(m);
	if (!cfg->vsample)
		return err_set(err, "this machine has no value sampler: set vsample.enable=true");
	assert(!d->attachment);
	for (unsigned i = 0; i < HOTLIST_METHODS; i++)
		if (d->lists[i] && !machine_attach(m, &lists_attachment[i], d->lists[i], NULL, err))
			return false;
	d->attachment = machine_attach(m, &knowledge_attachment, d, NULL, err);
	return d->attachment && machine_alarm(m, &period, value_daemon_poll_machine, d, err) &&
	       machine_alarm(m, &end, value_daemon_poll_machine, d, err);
}

/* ---- looking ---- */
void value_daemon_locate(struct value_daemon *d, unsigned extra, uint64_t address)
{
	d->source.capture.extra[extra].number = address;
}

const struct value_source *value_daemon_source(const struct value_daemon *d)
{
	return &d->source;
}

const struct hotlists *value_daemon_lists(const struct value_daemon *d, enum hotlist_method method)
{
	return d->lists[method];
}

const struct hotlists *value_daemon_main(const struct value_daemon *d)
{
	unsigned i = 0;
	while (!d->lists[i])
		i++;
	return d->lists[i];
}

struct value_totals value_daemon_totals(const struct value_daemon *d)
{
	return d->now.totals;
}

int value_daemon_kind(const struct value_daemon *d, const char *name, struct err *err)
{
	struct nearest nearest;
	nearest_init(&nearest, name);
	for (unsigned i = 0; i < d->source.kinds; i++) {
		if (!strcmp(d->source.kind[i].name, name))
			return (int)i;
		nearest_offer(&nearest, d->source.kind[i].name);
	}
	err_set(err, "no kind of values is '%s': %s", name,
	        nearest_said(&nearest, "there is '%s', and what `values` lists",
	                     d->source.kind[0].name));
	return -1;
}

char *value_daemon_format(const struct value_daemon *d, unsigned kind, uint64_t pc, uint64_t value,
                          char *buf, size_t n)
{
	return d->source.format(d->source.ctx, kind, pc, value, buf, n);
}

uint64_t value_daemon_hash(const struct value_daemon *d)
{
	uint64_t h = value_daemon_hash_state(d);
	for (unsigned i = 0; i < HOTLIST_METHODS; i++)
		if (d->lists[i])
			h = (h ^ hotlists_hash(d->lists[i])) * UINT64_C(0x9e3779b97f4a7c15);
	return h;
}

const char *value_daemon_check(const struct value_daemon *d)
{
	const char *wrong = NULL;
	for (unsigned i = 0; !wrong && i < HOTLIST_METHODS; i++)
		if (d->lists[i]) {
			wrong = hotlists_check(d->lists[i]);
			if (!wrong && d->lists[i]->head.told != d->now.totals.pairs)
				wrong = "a method did not get all values that modules made";
		}
	return wrong;
}

bool value_daemon_take_format_failure(struct value_daemon *d, struct err *err)
{
	return d->source.take_format_failure && d->source.take_format_failure(d->source.ctx, err);
}

bool value_daemon_take_failure(struct value_daemon *d, struct err *err)
{
	if (!d->failed)
		return false;
	d->failed = false;
	*err = d->failure;
	return true;
}
