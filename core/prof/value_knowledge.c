#include "core/prof/value_knowledge.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

enum { PC_BITS = 48 };
#define PC_MASK ((UINT64_C(1) << PC_BITS) - 1)

/* ---- what modules remember ---- */
static struct memory *memory_new(const void *bytes, size_t n)
{
	struct memory *m = malloc(sizeof *m + n);
	if (m) {
		*m = (struct memory){1, (uint32_t)n};
		memcpy(m->at, bytes, n);
	}
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
	if (m && !--m->refs)
		free(m);
}

void knowledge_forget(struct knowledge *k)
{
	for (unsigned i = 0; i < VALUE_MODULES; i++)
		memory_drop(k->memory[i]);
	*k = (struct knowledge){0};
}

void knowledge_copy(struct knowledge *to, const struct knowledge *from)
{
	*to = *from;
	for (unsigned i = 0; i < VALUE_MODULES; i++)
		memory_keep(to->memory[i]);
}

/* ---- answers, and their bytes in the journal ---- */
struct entry_pair {
	uint64_t where, value; /* pc, and kind above PC_BITS */
};

void value_answer_put(struct value_answer *a, const void *bytes, size_t n)
{
	const size_t whole = (n + 7) & ~(size_t)7;
	if (!n)
		return;
	if (a->used + whole > a->room) {
		const size_t room = 2 * (a->used + whole) + 256;
		uint8_t *grown = realloc(a->bytes, room);
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

bool value_answer_add(struct value_answer *a, uint64_t pc, unsigned kind, uint64_t value)
{
	if (pc > PC_MASK || kind >= VALUE_KINDS) {
		a->refused++;
		return false;
	}
	const struct entry_pair pair = {pc | (uint64_t)kind << PC_BITS, value};
	value_answer_put(a, &pair, sizeof pair);
	a->pairs++;
	return true;
}

void value_answer_remember(struct value_answer *a, const void *state, size_t n)
{
	a->state = state;
	a->state_n = n;
}

/* ---- what is known ---- */
/* One entry of memories; moves *at behind it. False if there is none. */
static bool take_memory(struct knowledge *k, const uint8_t **at, const uint8_t *end)
{
	struct entry_memory head;
	if ((size_t)(end - *at) < sizeof head)
		return false;
	memcpy(&head, *at, sizeof head);
	*at += sizeof head;
	if (head.module >= VALUE_MODULES || head.n > VALUE_STATE_MAX || (size_t)(end - *at) < ((head.n + 7) & ~UINT64_C(7)))
		return false;
	memory_drop(k->memory[head.module]);
	k->memory[head.module] = memory_new(*at, head.n);
	*at += (head.n + 7) & ~UINT64_C(7);
	return true;
}

void knowledge_apply(struct knowledge *k, const void *bytes, size_t n,
                     void (*told)(void *ctx, uint64_t pc, unsigned kind, uint64_t value), void *ctx)
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
	for (uint64_t i = 0; i < head.pairs && (size_t)(end - at) >= sizeof pair; i++, at += sizeof pair) {
		memcpy(&pair, at, sizeof pair);
		t->pairs++;
		if (told)
			told(ctx, pair.where & PC_MASK, (unsigned)(pair.where >> PC_BITS), pair.value);
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
		value_answer_put(&a, &(struct entry_memory){i, m->n}, sizeof(struct entry_memory));
		value_answer_put(&a, m->at, m->n);
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

uint64_t knowledge_hash(const struct knowledge *k, unsigned modules)
{
	uint64_t h = hash_words(HASH_START, &k->totals, sizeof k->totals);
	for (unsigned i = 0; i < modules; i++)
		if (k->memory[i])
			h = hash_bytes(h ^ i, k->memory[i]->at, k->memory[i]->n);
	return h;
}
