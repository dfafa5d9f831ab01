#include "core/prof/values/value_database.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/prof/values/hotlist.h"
#include "core/prof/values/vsample_tuple.h"

enum { PLACE_BITS = 48 };
#define PLACE_MASK ((UINT64_C(1) << PLACE_BITS) - 1)

/* ---- modules' memories ---- */
/* n bytes to be filled; NULL if memory is out. */
static struct memory *memory_new(struct memory_account *ledger, size_t n)
{
	struct memory *m = alloc_bytes(sizeof *m + n);
	if (!m)
		return NULL;
	*m = (struct memory){memory_account_share(ledger), 1, (uint32_t)n};
	memory_account_take(ledger, sizeof *m + n);
	return m;
}

static struct memory *memory_keep(struct memory *m)
{
	if (m)
		m->refs++;
	return m;
}

static void memory_drop(struct memory *m)
{
	if (!m || --m->refs)
		return;
	memory_account_give(m->ledger, sizeof *m + m->n);
	memory_account_drop(m->ledger);
	free(m);
}

void knowledge_forget(struct knowledge *k)
{
	for (unsigned i = 0; i < VALUE_MODULES; i++)
		memory_drop(k->memory[i]);
	*k = (struct knowledge){.ledger = k->ledger};
}

void knowledge_copy(struct knowledge *to, const struct knowledge *from)
{
	*to = *from;
	for (unsigned i = 0; i < VALUE_MODULES; i++)
		memory_keep(to->memory[i]);
}

/* ---- answers, and their bytes in the journal ---- */
struct entry_pair {
	uint64_t where, value; /* hotlists_place(), and kind above PLACE_BITS */
};

void value_answer_put(struct value_answer *a, const void *bytes, size_t n)
{
	const size_t whole = (n + 7) & ~(size_t)7;
	if (!n)
		return;
	if (a->used + whole > a->room) {
		const size_t room = 2 * (a->used + whole) + 256;
		uint8_t *grown = alloc_resize(a->bytes, room);
		if (!grown) {
			a->lost = true;
			return;
		}
		a->bytes = grown;
		a->room = room;
	}
	assert(a->bytes);
	memset(a->bytes + a->used, 0, whole);
	memcpy(a->bytes + a->used, bytes, n);
	a->used += whole;
}

/* Version of the code at the sequence's instruction that is nearest to pc. */
static unsigned value_answer_version(const struct value_answer *a, uint64_t pc)
{
	uint64_t least = UINT64_MAX;
	unsigned version = 0;
	for (uint32_t i = 0; i < a->tuples && least; i++) {
		const uint64_t at = a->tuple[i].pc, apart = at > pc ? at - pc : pc - at;
		if (apart >= least)
			continue;
		least = apart;
		version = a->tuple[i].version;
	}
	return version;
}

bool value_answer_add(struct value_answer *a, uint64_t pc, unsigned kind, uint64_t value)
{
	if (pc >> HOTLIST_PC_BITS || kind >= VALUE_KINDS) {
		a->refused++;
		return false;
	}
	const uint64_t place = hotlists_place(pc, value_answer_version(a, pc));
	const struct entry_pair pair = {place | (uint64_t)kind << PLACE_BITS, value};
	value_answer_put(a, &pair, sizeof pair);
	a->pairs++;
	return true;
}

void value_answer_remember(struct value_answer *a, const void *state, size_t n)
{
	a->state = state;
	a->state_n = n;
}

/* ---- changes of a module's memory ---- */
/* Copied pieces are found by blocks that are equal in both memories: at the place where the last
 * piece would continue after the changed bytes, or by a table of the old blocks. */
enum { BLOCK = 16, SLOTS_LOG2 = 13 };
static_assert(VALUE_STATE_MAX / BLOCK < UINT16_MAX &&
                      2 * VALUE_STATE_MAX / BLOCK <= 1 << SLOTS_LOG2,
              "a slot has a number and holds one");

struct blocks {
	const uint8_t *old;
	size_t old_n;
	uint16_t slot[1 << SLOTS_LOG2]; /* by hash: number of the old block + 1; 0: none */
};

static unsigned block_hash(const uint8_t *block)
{
	uint64_t word[2];
	memcpy(word, block, sizeof word);
	return (unsigned)((word[0] * UINT64_C(0x9e3779b97f4a7c15) ^
	                   word[1] * UINT64_C(0xc2b2ae3d27d4eb4f)) >>
	                  (64 - SLOTS_LOG2));
}

static void value_database_index_blocks(struct blocks *b, const struct memory *before)
{
	memset(b->slot, 0, sizeof b->slot);
	b->old = before ? before->at : NULL;
	b->old_n = before ? before->n : 0;
	for (size_t i = 0; (i + 1) * BLOCK <= b->old_n; i++)
		b->slot[block_hash(b->old + i * BLOCK)] = (uint16_t)(i + 1);
}

static bool same_block(const struct blocks *b, size_t from, const uint8_t *at)
{
	return b->old_n >= BLOCK && from <= b->old_n - BLOCK && !memcmp(b->old + from, at, BLOCK);
}

/* Place of the block at `at` in the old memory, preferably `likely`; SIZE_MAX: none. */
static size_t find_block(const struct blocks *b, const uint8_t *at, size_t likely)
{
	if (same_block(b, likely, at))
		return likely;
	const size_t number = b->slot[block_hash(at)];
	return number && same_block(b, (number - 1) * BLOCK, at) ? (number - 1) * BLOCK : SIZE_MAX;
}

static void value_database_append_piece(struct value_answer *a, const uint8_t *fresh,
                                        size_t fresh_n, size_t from, size_t copied)
{
	const struct entry_piece piece = {
		.fresh = (uint32_t)fresh_n, .copied = (uint32_t)copied, .from = (uint32_t)from};
	value_answer_put(a, &piece, sizeof piece);
	value_answer_put(a, fresh, fresh_n);
}

/* Returns how many pieces there are. */
static uint64_t value_database_append_pieces(struct value_answer *a, const struct blocks *b,
                                             const uint8_t *bytes, size_t n)
{
	uint64_t pieces = 0;
	/* bytes from fresh on are in no piece yet; the last one came from at + shift */
	size_t fresh = 0, at = 0, shift = 0;
	while (n - at >= BLOCK) {
		size_t from = find_block(b, bytes + at, at + shift), copied = BLOCK;
		if (from == SIZE_MAX) {
			at++;
			continue;
		}
		for (; at > fresh && from && bytes[at - 1] == b->old[from - 1]; at--, from--)
			copied++;
		while (at + copied < n && from + copied < b->old_n &&
		       bytes[at + copied] == b->old[from + copied])
			copied++;
		value_database_append_piece(a, bytes + fresh, at - fresh, from, copied);
		pieces++;
		shift = from - at;
		fresh = at += copied;
	}
	if (fresh < n) {
		value_database_append_piece(a, bytes + fresh, n - fresh, 0, 0);
		pieces++;
	}
	return pieces;
}

void knowledge_put_memory(struct value_answer *a, unsigned module, const struct memory *before,
                          const void *bytes, size_t n)
{
	struct entry_memory head = {module, n, 0};
	struct blocks b;
	const size_t place = a->used;
	value_database_index_blocks(&b, before);
	value_answer_put(a, &head, sizeof head);
	head.pieces = value_database_append_pieces(a, &b, bytes, n);
	if (!a->lost)
		memcpy(a->bytes + place, &head, sizeof head);
}

/* Moves *at past n bytes, copies them unless to is NULL; false if there are fewer. */
static bool take_bytes(void *to, size_t n, const uint8_t **at, const uint8_t *end)
{
	const size_t whole = (n + 7) & ~(size_t)7;
	if ((size_t)(end - *at) < whole)
		return false;
	if (to && n)
		memcpy(to, *at, n);
	*at += whole;
	return true;
}

/* Assembles n bytes from pieces; only reads past these if to is NULL. */
static bool take_pieces(uint8_t *to, size_t n, uint64_t pieces, const struct memory *before,
                        const uint8_t **at, const uint8_t *end)
{
	const size_t old_n = before ? before->n : 0;
	struct entry_piece piece;
	size_t done = 0;
	for (; pieces; pieces--) {
		if (!take_bytes(&piece, sizeof piece, at, end) || piece.fresh > n - done ||
		    !take_bytes(to ? to + done : NULL, piece.fresh, at, end))
			return false;
		done += piece.fresh;
		if (piece.copied > n - done || piece.from > old_n ||
		    piece.copied > old_n - piece.from)
			return false;
		if (to && piece.copied)
			memcpy(to + done, before->at + piece.from, piece.copied);
		done += piece.copied;
	}
	return done == n;
}

/* ---- knowledge ---- */
/* Reads one memory and moves *at past it. False if there is none. If the host's memory is out, the
 * module begins anew. */
static bool take_memory(struct knowledge *k, const uint8_t **at, const uint8_t *end)
{
	struct entry_memory head;
	if (!take_bytes(&head, sizeof head, at, end) || head.module >= VALUE_MODULES ||
	    head.n > VALUE_STATE_MAX)
		return false;
	struct memory *m = memory_new(k->ledger, head.n);
	if (!take_pieces(m ? m->at : NULL, head.n, head.pieces, k->memory[head.module], at, end)) {
		memory_drop(m);
		return false;
	}
	memory_drop(k->memory[head.module]);
	k->memory[head.module] = m;
	return true;
}

void knowledge_apply(struct knowledge *k, const void *bytes, size_t n,
                     void (*told)(void *ctx, uint64_t place, unsigned kind, uint64_t value),
                     void *ctx)
{
	struct value_totals *t = &k->totals;
	const uint8_t *at = bytes, *end = at + n;
	struct entry_head head;
	struct entry_pair pair;
	if (n < sizeof head)
		return;
	memcpy(&head, at, sizeof head);
	at += sizeof head;
	t->through += head.tuples;
	t->sequences++;
	t->gaps += head.behind_gap;
	t->refused += head.refused;
	t->broken |= head.broken;
	for (uint64_t i = 0; i < head.pairs && (size_t)(end - at) >= sizeof pair;
	     i++, at += sizeof pair) {
		memcpy(&pair, at, sizeof pair);
		t->pairs++;
		if (told)
			told(ctx, pair.where & PLACE_MASK, (unsigned)(pair.where >> PLACE_BITS),
			     pair.value);
	}
	while (take_memory(k, &at, end))
		;
}

void *knowledge_pack(const struct knowledge *k, size_t *n)
{
	struct value_answer a = {0};
	value_answer_put(&a, &k->totals, sizeof k->totals);
	for (unsigned i = 0; i < VALUE_MODULES; i++) {
		const struct memory *m = k->memory[i];
		if (!m)
			continue;
		knowledge_put_memory(&a, i, NULL, m->at, m->n);
	}
	*n = a.used;
	if (!a.lost)
		return a.bytes;
	free(a.bytes);
	return NULL;
}

bool knowledge_unpack(struct knowledge *k, const void *bytes, size_t n)
{
	const uint8_t *at = bytes, *end = at + n;
	knowledge_forget(k);
	if (n >= sizeof k->totals) {
		memcpy(&k->totals, at, sizeof k->totals);
		at += sizeof k->totals;
		while (take_memory(k, &at, end))
			;
		if (at == end)
			return true;
	}
	knowledge_forget(k);
	return false;
}

size_t knowledge_bytes(const struct knowledge *k)
{
	size_t bytes = 0;
	for (unsigned i = 0; i < VALUE_MODULES; i++)
		bytes += k->memory[i] ? sizeof *k->memory[i] + k->memory[i]->n : 0;
	return bytes;
}

void knowledge_walk(const struct knowledge *k, const struct ledger_walk *w)
{
	for (unsigned i = 0; i < VALUE_MODULES; i++)
		if (k->memory[i])
			ledger_visit(w, k->memory[i], sizeof *k->memory[i] + k->memory[i]->n);
}

uint64_t knowledge_hash(const struct knowledge *k, unsigned modules)
{
	uint64_t h = hash_words(HASH_START, &k->totals, sizeof k->totals);
	for (unsigned i = 0; i < modules; i++)
		if (k->memory[i])
			h = hash_bytes(h ^ i, k->memory[i]->at, k->memory[i]->n);
	return h;
}

bool value_check_modules(const char *text, struct err *err)
{
	unsigned count = 1;
	for (const char *at = text;; at++) {
		const size_t n = strcspn(at, ",");
		if (!n || memchr(at, ' ', n))
			return err_set(err, "'%s' is no list of modules; expected results,strides",
			               text);
		at += n;
		if (!*at)
			break;
		count++;
	}
	return count <= VALUE_MODULES ||
	       err_set(err, "%u modules are too many; expected at most %d", count, VALUE_MODULES);
}
