#include "tests/reverse/tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { WORDS = 8, CHUNKS = 130, LEFT = CHUNKS - 1 };

struct tally_state {
	struct tally *from; /* the counts' owner; notified when they are freed */
	struct cow_image *image;
};

static void *tally_save_state(void *ctx)
{
	struct tally *t = ctx;
	struct tally_state *s = malloc(sizeof *s);
	assert_non_null(s);
	*s = (struct tally_state){.from = t, .image = t->fails ? NULL : cow_keep(t->cow)};
	if (!s->image) {
		free(s);
		return NULL;
	}
	t->saved++;
	return s;
}

static void tally_restore_state(void *ctx, const void *state)
{
	struct tally *t = ctx;
	const struct tally_state *s = state;
	if (s)
		assert_ptr_equal(s->from, t);
	cow_restore(t->cow, s ? s->image : NULL);
}

static void tally_release_state(void *state)
{
	struct tally_state *s = state;
	s->from->freed++;
	cow_image_free(s->image);
	free(s);
}

static size_t tally_state_bytes(const void *state)
{
	(void)state;
	return sizeof(struct tally_state);
}

static size_t tally_shared_bytes(const void *ctx)
{
	return cow_held_bytes(((const struct tally *)ctx)->cow);
}

static void tally_walk_ledger(const void *ctx, const void *state, const struct ledger_walk *w)
{
	if (state)
		cow_image_walk(((const struct tally_state *)state)->image, w);
	else
		cow_walk(((const struct tally *)ctx)->cow, w);
}

static uint64_t tally_hash_ctx(const void *ctx)
{
	return cow_hash(((const struct tally *)ctx)->cow);
}

static void tally_increment_word(struct tally *t, uint32_t chunk, unsigned word)
{
	uint64_t *w = cow_write(t->cow, chunk);
	assert_non_null(w);
	w[word]++;
}

static void tally_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct tally *t = ctx;
	(void)m;
	if (ev->id == EV_COMMIT)
		tally_increment_word(t, (uint32_t)(ev->pc / 2 / WORDS % LEFT), ev->pc / 2 % WORDS);
	else
		tally_increment_word(t, LEFT, 0);
}

static const struct attachment_ops ops = {
	.name = "a tally",
	.save = tally_save_state,
	.restore = tally_restore_state,
	.free = tally_release_state,
	.bytes = tally_state_bytes,
	.shared_bytes = tally_shared_bytes,
	.walk = tally_walk_ledger,
	.hash = tally_hash_ctx,
	.hear = tally_on_event,
};

struct tally *tally_new(struct machine *m)
{
	struct err err;
	const struct event_filter events = {.mask = EV_BIT(COMMIT) | EV_BIT(LEAVE)};
	struct tally *t = calloc(1, sizeof *t);
	assert_non_null(t);
	t->cow = cow_new(WORDS * sizeof(uint64_t), CHUNKS);
	assert_non_null(t->cow);
	t->id = machine_attach(m, &ops, t, &events, &err);
	assert_true(t->id > 0);
	return t;
}

void tally_free(struct tally *t)
{
	cow_free(t->cow);
	free(t);
}

uint64_t tally_commits(const struct tally *t)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < LEFT; i++)
		for (unsigned w = 0; w < WORDS; w++)
			sum += ((const uint64_t *)cow_read(t->cow, i))[w];
	return sum;
}

uint64_t tally_left(const struct tally *t)
{
	return *(const uint64_t *)cow_read(t->cow, LEFT);
}

uint64_t tally_hash(const struct tally *t)
{
	return cow_hash(t->cow);
}
