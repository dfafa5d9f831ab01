#include "core/pipe/plugin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/state_ranges.h"
#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/message.h"
#include "core/pipe/port.h"

const char *plugin_place_name(enum plugin_place place)
{
	static const char *const name[PLUGIN_COUNT] = {
#define P(id, field, external, what, function) what,
		PLUGIN_PLACES(P)
#undef P
	};
	return name[place];
}

int64_t plugin_least(const struct plugin_table *t)
{
	if (t->bits == 64)
		return INT64_MIN;
	return t->is_signed ? -(INT64_C(1) << (t->bits - 1)) : 0;
}

uint64_t plugin_bits(const struct plugin *p)
{
	uint64_t sum = 0;
	for (unsigned t = 0; t < p->tables; t++)
		sum += (uint64_t)p->table[t].count * p->table[t].bits;
	return sum;
}

int64_t plugin_most(const struct plugin_table *t)
{
	if (t->bits == 64)
		return INT64_MAX;
	return (int64_t)((UINT64_C(1) << (t->bits - t->is_signed)) - 1);
}

/* ---- tables ---- */

static size_t plugin_entry_bytes(const struct plugin_table *t)
{
	return t->bits <= 8 ? 1 : t->bits <= 16 ? 2 : t->bits <= 32 ? 4 : 8;
}

/* The value that this call wrote to a scratch entry; NULL: it wrote none. */
static int64_t *plugin_find_scratch(const struct plugin_state *s, unsigned t, uint32_t i)
{
	for (unsigned k = 0; s->scratch && k < s->scratch->count; k++)
		if (s->scratch->write[k].table == t && s->scratch->write[k].index == i)
			return &s->scratch->write[k].value;
	return NULL;
}

bool plugin_put_scratch(const struct plugin_state *s, unsigned t, uint32_t i, int64_t value)
{
	struct plugin_scratch *scratch = s->scratch;
	int64_t *written = plugin_find_scratch(s, t, i);
	if (written) {
		*written = value;
		return true;
	}
	if (scratch->count == PLUGIN_SCRATCH_MAX)
		return false;
	scratch->write[scratch->count].table = t;
	scratch->write[scratch->count].index = i;
	scratch->write[scratch->count++].value = value;
	return true;
}

int64_t plugin_get(const struct plugin_state *s, unsigned t, uint32_t i)
{
	const struct plugin_table *table = &s->table[t];
	const int64_t *written = plugin_find_scratch(s, t, i);
	if (written)
		return *written;
	size_t bytes = plugin_entry_bytes(table);
	uint64_t value = 0;
	memcpy(&value, (const char *)s->at[t] + i * bytes, bytes);
	if (!table->is_signed || bytes == 8)
		return (int64_t)value;
	unsigned unused = 64 - 8 * (unsigned)bytes;
	return (int64_t)(value << unused) >> unused;
}

void plugin_put(struct plugin_state *s, unsigned t, uint32_t i, int64_t value)
{
	size_t bytes = plugin_entry_bytes(&s->table[t]);
	memcpy((char *)s->at[t] + i * bytes, &value, bytes);
}

static bool plugin_has_scratch(const struct plugin *p)
{
	for (unsigned t = 0; t < p->tables; t++)
		if (p->table[t].scratch)
			return true;
	return false;
}

/* Takes room for the changes of all instructions in flight: two calls of each plug-in for one. */
static void plugins_place_changes(struct plugin_bank *b, const struct config *cfg, struct arena *a)
{
	uint64_t most = 0;
	for (unsigned i = PLUGIN_PREDICTOR; i <= PLUGIN_BTB; i++)
		if (b->at[i] && plugin_has_scratch(b->at[i]))
			most += (uint64_t)(cfg->rob_size + cfg->fetch_queue) * 2 *
			        PLUGIN_SCRATCH_MAX;
	if (!most)
		return;
	while (b->changes_mask + 1 < most)
		b->changes_mask = b->changes_mask << 1 | 1;
	b->changes = arena_take(a, "scratch changes", 1, sizeof *b->changes);
	b->change = arena_take(a, "scratch log", (size_t)b->changes_mask + 1, sizeof *b->change);
}

void plugins_place(struct plugin_bank *b, const struct plugins *plugins, const struct config *cfg,
                   struct arena *a)
{
	*b = (struct plugin_bank){0};
	for (unsigned i = 0; i < PLUGIN_COUNT; i++) {
		const struct plugin *p = plugins ? plugins->at[i] : NULL;
		if (!p)
			continue;
		b->any = true;
		b->at[i] = p;
		b->state[i] = (struct plugin_state){
			.table = p->table, .count = p->tables, .steps = (uint64_t)cfg->hook_budget};
		for (unsigned t = 0; t < p->tables; t++)
			b->state[i].at[t] = arena_take(a, p->table[t].name, p->table[t].count,
			                               plugin_entry_bytes(&p->table[t]));
	}
	if (b->any)
		b->record = arena_take(a, "plug-ins", 1, sizeof *b->record);
	plugins_place_changes(b, cfg, a);
}

static void plugin_fill_table(struct plugin_state *s, unsigned t)
{
	const struct plugin_table *table = &s->table[t];
	for (uint32_t i = 0; i < table->count; i++)
		plugin_put(s, t, i, table->init ? table->init[i % table->inits] : 0);
}

void plugins_reset(struct plugin_bank *b)
{
	if (!b->any)
		return;
	memset(b->record, 0, sizeof *b->record);
	if (b->change) {
		*b->changes = 0;
		memset(b->change, 0, ((size_t)b->changes_mask + 1) * sizeof *b->change);
	}
	for (unsigned i = 0; i < PLUGIN_COUNT; i++) {
		b->record->digest[i] = b->at[i] ? b->at[i]->digest : 0;
		for (unsigned t = 0; t < b->state[i].count; t++)
			plugin_fill_table(&b->state[i], t);
	}
}

static bool plugin_is_entry_value(const struct plugin_table *t, int64_t value)
{
	return value >= plugin_least(t) && value <= plugin_most(t);
}

/* Whether a change, loaded with an arena, can be undone. */
static bool plugin_change_is_valid(const struct plugin_bank *b, const struct scratch_change *c)
{
	if (!c->place)
		return true;
	if (c->place > PLUGIN_COUNT || c->table >= b->state[c->place - 1].count)
		return false;
	const struct plugin_table *t = &b->state[c->place - 1].table[c->table];
	return t->scratch && c->index < t->count && plugin_is_entry_value(t, c->old);
}

const char *plugins_state_error(const struct plugin_bank *b)
{
	for (uint32_t k = 0; b->change && k <= b->changes_mask; k++)
		if (!plugin_change_is_valid(b, &b->change[k]))
			return "a change of a plug-in's scratch table is none of its tables'";
	for (unsigned i = 0; i < PLUGIN_COUNT; i++)
		for (unsigned t = 0; t < b->state[i].count; t++) {
			const struct plugin_table *table = &b->state[i].table[t];
			for (uint32_t k = 0; k < table->count; k++) {
				if (!plugin_is_entry_value(table,
				                           plugin_get(&b->state[i], t, k)))
					return "a table of a plug-in holds what its entries can't "
					       "be";
			}
		}
	return NULL;
}

bool plugins_same(const struct plugin_bank *b, struct err *err)
{
	for (unsigned i = 0; i < PLUGIN_COUNT; i++)
		if (b->at[i] && b->record->digest[i] != b->at[i]->digest)
			return err_set(err, "it was saved with another %s than %s",
			               plugin_place_name(i), b->at[i]->name);
	return true;
}

/* ---- scratch tables ---- */

/* Moves what a call wrote into the tables, and logs what was there. */
static void plugin_keep_scratch(struct plugin_bank *b, enum plugin_place place,
                                const struct plugin_scratch *scratch)
{
	for (unsigned k = 0; k < scratch->count; k++) {
		const uint32_t t = scratch->write[k].table, i = scratch->write[k].index;
		b->change[(*b->changes)++ & b->changes_mask] = (struct scratch_change){
			.place = (uint8_t)(place + 1),
			.table = (uint8_t)t,
			.index = i,
			.old = plugin_get(&b->state[place], t, i),
		};
		plugin_put(&b->state[place], t, i, scratch->write[k].value);
	}
}

uint32_t plugins_scratch_changes(const struct plugin_bank *b)
{
	return b->change ? *b->changes : 0;
}

/* A checkpoint may have any number: no more changes are undone than the log has. */
void plugins_scratch_undo(struct plugin_bank *b, uint32_t changes)
{
	uint32_t n = b->change ? *b->changes - changes : 0;
	for (n = n <= b->changes_mask ? n : 0; n > 0; n--) {
		struct scratch_change *c = &b->change[--*b->changes & b->changes_mask];
		if (c->place)
			plugin_put(&b->state[c->place - 1], c->table, c->index, c->old);
		*c = (struct scratch_change){0};
	}
}

/* ---- calls ---- */

static void plugin_record_failure(struct plugin_bank *b, enum plugin_place place,
                                  const struct err *err)
{
	struct plugin_record *f = b->record;
	uint64_t when = b->warming   ? b->stats->functional_insts + b->stats->firmware_insts
	                : b->untimed ? b->untimed_now
	                             : *b->cycle;
	f->failed = 1;
	snprintf(f->text, sizeof f->text, "the %s, %s, failed in %s %" PRIu64 ": %s",
	         plugin_place_name(place), b->at[place]->name,
	         b->warming   ? "warm-up, instruction"
	         : b->untimed ? "guest cycle"
	                      : "cycle",
	         when, err->msg);
	*b->outcome = (struct outcome){.status = MACHINE_BROKEN, .exit_status = BROKEN_STATUS};
}

/* The state of a plug-in for a call that may write scratch tables. */
static struct plugin_state plugin_scratch_state(const struct plugin_bank *b,
                                                enum plugin_place place,
                                                struct plugin_scratch *scratch)
{
	struct plugin_state s = b->state[place];
	scratch->count = 0;
	s.scratch = scratch;
	return s;
}

bool plugins_predict(struct plugin_bank *b, const struct plugin_branch *branch, bool fetch)
{
	const struct plugin *p = b->at[PLUGIN_PREDICTOR];
	struct plugin_scratch scratch;
	const struct plugin_state s = plugin_scratch_state(b, PLUGIN_PREDICTOR, &scratch);
	struct err err;
	bool taken = false;
	if (b->record->failed)
		return false;
	if (p->predict(p->ctx, &s, branch, &taken, &err)) {
		if (fetch)
			plugin_keep_scratch(b, PLUGIN_PREDICTOR, &scratch);
		return taken;
	}
	plugin_record_failure(b, PLUGIN_PREDICTOR, &err);
	return false;
}

bool plugins_target(struct plugin_bank *b, enum plugin_place place, const struct plugin_control *c,
                    uint64_t *to)
{
	const struct plugin *p = b->at[place];
	struct plugin_scratch scratch;
	const struct plugin_state s = plugin_scratch_state(b, place, &scratch);
	struct err err;
	bool known = false;
	if (b->record->failed)
		return false;
	if (p->target(p->ctx, &s, c, to, &known, &err)) {
		plugin_keep_scratch(b, place, &scratch);
		return known;
	}
	plugin_record_failure(b, place, &err);
	return false;
}

void plugins_fetched(struct plugin_bank *b, const struct plugin_control *c)
{
	for (enum plugin_place i = PLUGIN_PREDICTOR; i <= PLUGIN_BTB; i++) {
		const struct plugin *p = b->at[i];
		struct plugin_scratch scratch;
		struct err err;
		if (!p || !p->fetched || b->record->failed)
			continue;
		const struct plugin_state s = plugin_scratch_state(b, i, &scratch);
		if (p->fetched(p->ctx, &s, c, &err))
			plugin_keep_scratch(b, i, &scratch);
		else
			plugin_record_failure(b, i, &err);
	}
}

void plugins_resolved(struct plugin_bank *b, const struct plugin_control *c)
{
	for (enum plugin_place i = PLUGIN_PREDICTOR; i <= PLUGIN_BTB; i++) {
		const struct plugin *p = b->at[i];
		struct err err;
		if (p && p->resolved && !b->record->failed &&
		    !p->resolved(p->ctx, &b->state[i], c, &err))
			plugin_record_failure(b, i, &err);
	}
}

void plugins_committed(struct plugin_bank *b, const struct plugin_control *c)
{
	for (enum plugin_place i = PLUGIN_INDIRECT; i <= PLUGIN_BTB; i++) {
		const struct plugin *p = b->at[i];
		struct err err;
		if (p && p->committed && !b->record->failed &&
		    !p->committed(p->ctx, &b->state[i], c, &err))
			plugin_record_failure(b, i, &err);
	}
}

bool plugins_peek(const struct plugin_bank *b, const struct plugin_branch *branch)
{
	const struct plugin *p = b->at[PLUGIN_PREDICTOR];
	struct plugin_scratch scratch;
	const struct plugin_state s = plugin_scratch_state(b, PLUGIN_PREDICTOR, &scratch);
	struct err err;
	bool taken = false;
	return !b->record->failed && p->predict(p->ctx, &s, branch, &taken, &err) && taken;
}

void plugins_update(struct plugin_bank *b, const struct plugin_branch *branch)
{
	const struct plugin *p = b->at[PLUGIN_PREDICTOR];
	struct err err;
	if (p->update && !b->record->failed &&
	    !p->update(p->ctx, &b->state[PLUGIN_PREDICTOR], branch, &err))
		plugin_record_failure(b, PLUGIN_PREDICTOR, &err);
}

uint32_t plugins_victim(struct plugin_bank *b, enum plugin_place place, uint32_t set,
                        const struct plugin_way *way, uint32_t ways, uint64_t pc)
{
	const struct plugin *p = b->at[place];
	const struct plugin_moment m = {pc, *b->cycle};
	struct err err;
	uint32_t chosen = 0;
	if (b->record->failed)
		return 0;
	if (p->victim(p->ctx, &b->state[place], set, way, ways, m, &chosen, &err)) {
		if (chosen < ways)
			return chosen;
		err_format(&err,
		           "it chose way %" PRIu32 " of set %" PRIu32 "; expected 0 to %" PRIu32,
		           chosen, set, ways - 1);
	}
	plugin_record_failure(b, place, &err);
	return 0;
}

void plugins_used(struct plugin_bank *b, enum plugin_place place, uint32_t set, uint32_t way,
                  bool fill, uint64_t pc)
{
	const struct plugin *p = b->at[place];
	const struct plugin_moment m = {pc, *b->cycle};
	struct err err;
	if (p->used && !b->record->failed &&
	    !p->used(p->ctx, &b->state[place], set, way, fill, m, &err))
		plugin_record_failure(b, place, &err);
}

uint32_t plugins_access(struct plugin_bank *b, enum plugin_place place,
                        const struct plugin_access *a, uint64_t *line)
{
	const struct plugin *p = b->at[place];
	struct plugin_access now = *a;
	struct err err;
	uint32_t lines = 0;
	if (b->record->failed)
		return 0;
	now.cycle = *b->cycle;
	if (p->access(p->ctx, &b->state[place], &now, line, &lines, &err)) {
		if (lines <= PLUGIN_LINES_MAX)
			return lines;
		err_format(&err, "it requests %" PRIu32 " lines; expected at most %d", lines,
		           PLUGIN_LINES_MAX);
	}
	plugin_record_failure(b, place, &err);
	return 0;
}

bool plugins_flag(struct plugin_bank *b, const struct plugin_flag *f)
{
	const struct plugin *p = b->at[PLUGIN_FLAGS];
	struct err err;
	bool on = true;
	if (b->record->failed)
		return true;
	if (p->flag(p->ctx, &b->state[PLUGIN_FLAGS], f, &on, &err))
		return on;
	plugin_record_failure(b, PLUGIN_FLAGS, &err);
	return true;
}

bool plugins_peek_flag(const struct plugin_bank *b, const struct plugin_flag *f)
{
	const struct plugin *p = b->at[PLUGIN_FLAGS];
	struct err err;
	bool on = true;
	return b->record->failed || !p->flag(p->ctx, &b->state[PLUGIN_FLAGS], f, &on, &err) || on;
}

void plugins_decoded(struct plugin_bank *b, const struct plugin_flag *f)
{
	const struct plugin *p = b->at[PLUGIN_FLAGS];
	struct err err;
	if (p->decoded && !b->record->failed &&
	    !p->decoded(p->ctx, &b->state[PLUGIN_FLAGS], f, &err))
		plugin_record_failure(b, PLUGIN_FLAGS, &err);
}

/* True if a stage's output message is valid; else records a failure. */
static bool plugin_check_message(struct plugin_bank *b, enum plugin_place place,
                                 const struct message *m)
{
	struct err err;
	if (m->count && m->count <= RANGE_TIME)
		return true;
	err_format(&err, "a message of it stands for %" PRIu64 " tuples; expected 1 to %" PRIu64,
	           m->count, RANGE_TIME);
	plugin_record_failure(b, place, &err);
	return false;
}

bool plugins_take(struct plugin_bank *b, unsigned k, const struct message *in, struct message *out)
{
	const enum plugin_place place = PLUGIN_STAGE + k;
	const struct plugin *p = b->at[place];
	struct err err;
	bool sent = false;
	if (b->record->failed)
		return false;
	if (p->take(p->ctx, &b->state[place], in, out, &sent, &err))
		return sent && plugin_check_message(b, place, out);
	plugin_record_failure(b, place, &err);
	return false;
}

bool plugins_drain(struct plugin_bank *b, unsigned k, struct message *out, unsigned drained)
{
	const enum plugin_place place = PLUGIN_STAGE + k;
	const struct plugin *p = b->at[place];
	struct err err;
	bool sent = false;
	if (!p->drain || b->record->failed)
		return false;
	if (p->drain(p->ctx, &b->state[place], out, &sent, &err)) {
		if (!sent || drained < PLUGIN_DRAINED_MAX)
			return sent && plugin_check_message(b, place, out);
		err_format(&err,
		           "it drains more than %d messages in a row; expected none, once it keeps "
		           "nothing",
		           PLUGIN_DRAINED_MAX);
	}
	plugin_record_failure(b, place, &err);
	return false;
}
