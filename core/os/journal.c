#include "core/os/journal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

static const struct {
	const char *text;
	bool change;
} kinds[JOURNAL_KINDS] = {
#define ANSWER(id, text) [JOURNAL_##id] = {text, false},
#define CHANGE(id, function, text, a, b, bytes) [JOURNAL_##id] = {text, true},
#include "core/os/journal.def"
#undef ANSWER
#undef CHANGE
};

static_assert(sizeof(struct journal_entry) % 8 == 0, "entries lie after each other, aligned");

static size_t journal_padded_bytes(uint64_t n)
{
	return (size_t)((n + 7) & ~UINT64_C(7));
}

void journal_place(struct journal *j, struct arena *a)
{
	j->st = arena_take(a, "journal", 1, sizeof *j->st);
}

void journal_deinit(struct journal *j)
{
	free(j->bytes);
	free(j->at);
	free(j->change);
	*j = (struct journal){.st = j->st};
}

bool journal_is_change(uint32_t kind)
{
	return kind < JOURNAL_KINDS && kinds[kind].change;
}

const char *journal_kind_text(uint32_t kind)
{
	return kind < JOURNAL_KINDS ? kinds[kind].text : NULL;
}

const struct journal_entry *journal_at(const struct journal *j, uint64_t index)
{
	if (index >= j->entries || index < j->gone)
		return NULL;
	return (const struct journal_entry *)(const void *)(j->bytes + j->at[index - j->gone]);
}

/* ---- writing ---- */
static bool journal_grow_array(void **p, size_t *cap, size_t need, size_t size)
{
	if (need <= *cap)
		return true;
	size_t n = *cap ? *cap : 4096 / size;
	while (n < need)
		n *= 2;
	/* on failure the machine waits and tries again */
	void *q = alloc_try_resize(*p, n * size);
	if (!q)
		return false;
	*p = q;
	*cap = n;
	return true;
}

size_t journal_entry_bytes(size_t payload)
{
	return sizeof(struct journal_entry) + journal_padded_bytes(payload);
}

bool journal_reserve(struct journal *j, size_t entries, size_t room)
{
	void *bytes = j->bytes, *at = j->at, *change = j->change;
	bool ok = journal_grow_array(&bytes, &j->cap, j->used + room, 1);
	j->bytes = bytes;
	ok = ok &&
	     journal_grow_array(&at, &j->at_cap, j->entries - j->gone + entries, sizeof *j->at);
	j->at = at;
	ok = ok &&
	     journal_grow_array(&change, &j->change_cap, j->changes + entries, sizeof *j->change);
	j->change = change;
	return ok;
}

struct journal_entry *journal_open(struct journal *j, enum journal_kind kind, uint32_t key,
                                   uint64_t cycle, size_t room)
{
	assert(j->st->pos == j->entries && j->st->changes == j->changes);
	if (!journal_reserve(j, 1, journal_entry_bytes(room)))
		return NULL;
	struct journal_entry *e = (struct journal_entry *)(void *)(j->bytes + j->used);
	*e = (struct journal_entry){.kind = kind, .key = key, .cycle = cycle};
	return e;
}

void journal_close(struct journal *j, struct journal_entry *e)
{
	memset((uint8_t *)(e + 1) + e->n, 0, journal_padded_bytes(e->n) - e->n);
	if (kinds[e->kind].change)
		j->change[j->changes++] = j->entries;
	j->at[j->entries++ - j->gone] = j->used;
	j->used += sizeof *e + journal_padded_bytes(e->n);
	*j->st = (struct journal_state){.pos = j->entries, .changes = j->changes};
}

void journal_cut(struct journal *j)
{
	if (j->st->pos >= j->entries)
		return;
	j->used = j->at[j->st->pos - j->gone];
	j->entries = j->st->pos;
	j->changes = j->st->changes;
}

/* ---- reading again ---- */
const struct journal_entry *journal_answer(struct journal *j, enum journal_kind kind, uint32_t key,
                                           uint64_t cycle, bool *strayed)
{
	const struct journal_entry *e = journal_at(j, j->st->pos);
	*strayed = e && (e->kind != kind || e->key != key || (e->cycle != cycle && !j->undated));
	if (!e || *strayed)
		return NULL;
	j->st->pos++;
	return e;
}

void journal_redate(struct journal *j, uint64_t from, uint64_t cycle)
{
	for (uint64_t i = from; i < j->entries; i++)
		((struct journal_entry *)(uintptr_t)journal_at(j, i))->cycle = cycle;
}

const struct journal_entry *journal_take_change(struct journal *j, uint64_t cycle)
{
	const struct journal_entry *e = journal_at(j, j->st->pos);
	if (!e || !kinds[e->kind].change || e->cycle != cycle)
		return NULL;
	j->st->pos++;
	j->st->changes++;
	return e;
}

void journal_forget(struct journal *j)
{
	if (!j->forgets || j->st->pos < j->entries)
		return;
	/* The list of changes stays: their number is part of the machine's position. */
	j->gone = j->entries;
	j->used = 0;
}

size_t journal_bytes(const struct journal *j)
{
	return j->used + (j->entries - j->gone) * sizeof *j->at + j->changes * sizeof *j->change;
}

/* ---- saving: a header, then the entries as they are ---- */
struct journal_file {
	char magic[8];
	uint64_t entries, bytes;
};

static const char journal_magic[8] = {'C', 'Y', 'C', 'J', 'R', 'N', 'L', '2'};

/* Appends an entry to the saved bytes; false if memory is short, or it can't be saved. */
static bool save_entry(const struct journal_entry *e, journal_whole *whole, void *ctx,
                       uint8_t **room, void **bytes, size_t *n, size_t *cap)
{
	struct journal_entry saved = *e;
	const void *payload = whole ? whole(ctx, e, room, &saved.n) : journal_payload(e);
	if (!payload ||
	    !journal_grow_array(bytes, cap, *n + sizeof saved + journal_padded_bytes(saved.n), 1))
		return false;
	uint8_t *at = (uint8_t *)*bytes + *n;
	memcpy(at, &saved, sizeof saved);
	memcpy(at + sizeof saved, payload, saved.n);
	memset(at + sizeof saved + saved.n, 0, journal_padded_bytes(saved.n) - saved.n);
	*n += sizeof saved + journal_padded_bytes(saved.n);
	return true;
}

void journal_save(const struct journal *j, journal_whole *whole, void *ctx, void **bytes, size_t *n)
{
	struct journal_file head = {.entries = j->st->pos};
	size_t cap = 0;
	uint8_t *room = NULL;
	assert(!j->forgets);
	*bytes = NULL;
	*n = sizeof head;
	bool ok = journal_grow_array(
		bytes, &cap,
		sizeof head + (head.entries < j->entries ? j->at[head.entries] : j->used), 1);
	for (uint64_t i = 0; ok && i < head.entries; i++)
		ok = save_entry(journal_at(j, i), whole, ctx, &room, bytes, n, &cap);
	free(room);
	if (!ok || !*bytes) {
		free(*bytes);
		*bytes = NULL;
		*n = 0;
		return;
	}
	memcpy(head.magic, journal_magic, sizeof head.magic);
	head.bytes = *n - sizeof head;
	memcpy(*bytes, &head, sizeof head);
}

/* Finds the entries in the bytes read: fills at and change, which have room for all of them. */
static bool index_entries(struct journal *j, uint64_t entries, journal_check *check,
                          struct err *err)
{
	uint64_t pos = 0, cycle = 0;
	for (uint64_t i = 0; i < entries; i++) {
		struct journal_entry e;
		unsigned long long number = i + 1;
		if (j->used - pos < sizeof e)
			return err_set(err, "entry %llu is missing", number);
		memcpy(&e, j->bytes + pos, sizeof e);
		if (!journal_kind_text(e.kind))
			return err_set(err, "entry %llu is of a kind unknown to this "
			                    "version", number);
		if (e.n > j->used - pos - sizeof e ||
		    journal_padded_bytes(e.n) > j->used - pos - sizeof e)
			return err_set(err, "entry %llu (%s) is cut off", number,
			               kinds[e.kind].text);
		if (e.cycle < cycle)
			return err_set(err, "entry %llu (%s) is older than the one before it",
			               number, kinds[e.kind].text);
		if (!check(&e, j->bytes + pos + sizeof e))
			return err_set(err, "entry %llu (%s) makes no sense", number,
			               kinds[e.kind].text);
		if (kinds[e.kind].change)
			j->change[j->changes++] = i;
		j->at[j->entries++] = pos;
		cycle = e.cycle;
		pos += sizeof e + journal_padded_bytes(e.n);
	}
	return pos == j->used ||
	       err_set(err, "there is more than its %llu entries", (unsigned long long)entries);
}

/* Whether the machine's position lies in this journal. */
static bool position_ok(const struct journal *j, const struct journal_state *st)
{
	if (st->pos > j->entries || st->changes > j->changes)
		return false;
	bool before = !st->changes || j->change[st->changes - 1] < st->pos;
	bool after = st->changes == j->changes || j->change[st->changes] >= st->pos;
	return before && after;
}

bool journal_load(struct journal *j, const void *bytes, size_t n, journal_check *check,
                  struct err *err)
{
	struct journal_file head;
	if (n < sizeof head || memcmp(bytes, journal_magic, sizeof journal_magic) != 0)
		return err_set(err, "it does not begin as a journal does");
	memcpy(&head, bytes, sizeof head);
	if (head.bytes != n - sizeof head ||
	    head.entries > head.bytes / sizeof(struct journal_entry))
		return err_set(err, "it is cut off");

	struct journal read = {.st = j->st, .used = head.bytes, .cap = head.bytes + 1};
	read.at_cap = read.change_cap = head.entries + 1;
	read.bytes = alloc_bytes(read.cap);
	read.at = alloc_zeroed(read.at_cap, sizeof *read.at);
	read.change = alloc_zeroed(read.change_cap, sizeof *read.change);
	bool ok = read.bytes && read.at && read.change;
	if (!ok)
		err_set(err, "out of memory");
	if (ok) {
		memcpy(read.bytes, (const uint8_t *)bytes + sizeof head, head.bytes);
		ok = index_entries(&read, head.entries, check, err);
	}
	if (ok && !position_ok(&read, j->st))
		ok = err_set(err, "the machine is not at a place in it");
	if (!ok) {
		journal_deinit(&read);
		return false;
	}
	journal_deinit(j);
	*j = read;
	return true;
}
