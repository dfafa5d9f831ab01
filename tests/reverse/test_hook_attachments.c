/* State beside the machine that hooks change: it goes back and forth with it, and into checkpoints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/change.h"
#include "core/prof/common/attachment.h"
#include "tests/reverse/hook_rig.h"
#include "tests/reverse/rig.h"
#include "ui/checkpoint/checkpoint.h"

/* ---- beside the machine ---- */
/* A script whose hooks only count has no effect on the machine; its counts
 * are right in the past. */
struct counter {
	struct rig *g;
	uint64_t commits, key;
	struct hook_position heard;
	int id;
};

static void *counter_save(void *ctx)
{
	uint64_t *state = malloc(sizeof *state);
	assert_non_null(state);
	*state = ((struct counter *)ctx)->commits;
	return state;
}

static void counter_restore(void *ctx, const void *state)
{
	((struct counter *)ctx)->commits = state ? *(const uint64_t *)state : 0;
}

static size_t counter_bytes(const void *state)
{
	(void)state;
	return 8;
}

static uint64_t counter_hash(const void *ctx)
{
	return ((const struct counter *)ctx)->commits;
}

static void counter_change(void *ctx, const void *bytes, size_t n)
{
	assert_int_equal(n, 8);
	memcpy(&((struct counter *)ctx)->commits, bytes, n);
}

static void *counter_pack(const void *ctx, size_t *n)
{
	*n = 8;
	return counter_save((void *)(uintptr_t)ctx);
}

static bool counter_unpack(void *ctx, const void *bytes, size_t n, struct err *err)
{
	if (n != 8)
		return err_set(err, "a counter has 8 bytes");
	counter_change(ctx, bytes, n);
	return true;
}

static const struct attachment_ops counter_ops = {
	.name = "a counter",
	.save = counter_save,
	.restore = counter_restore,
	.free = free,
	.bytes = counter_bytes,
	.hash = counter_hash,
	.change = counter_change,
	.pack = counter_pack,
	.unpack = counter_unpack,
};

static void counter_hears(void *ctx, const struct machine *m, const struct event *ev)
{
	struct counter *c = ctx;
	struct err err;
	(void)m;
	(void)ev;
	if (!run_first_time(c->g->r, &c->heard))
		return;
	uint64_t more = ++c->commits;
	assert_true(machine_change_later(
		c->g->s->machine,
		&(struct change){
			.kind = JOURNAL_ATTACHMENT, .a = c->key, .bytes = &more, .n = sizeof more},
		&err));
}

static struct counter *counter_new(struct rig *g)
{
	struct err err;
	struct counter *c = calloc(1, sizeof *c);
	assert_non_null(c);
	*c = (struct counter){.g = g};
	c->id = machine_attach(g->s->machine, &counter_ops, c, NULL, &err);
	assert_true(c->id > 0);
	c->key = machine_attachment_key(g->s->machine, c->id);
	assert_true(machine_listen(g->s->machine, &(struct event_filter){.mask = EV_BIT(COMMIT)},
	                           counter_hears, c) > 0);
	return c;
}

TEST(counting_leaves_the_machine_alone)
{
	struct rig *g = rig_open(&hooked), *plain = rig_open(&hooked);
	struct machine *m = g->s->machine;
	struct counter *c = counter_new(g);
	rig_continue(g);
	machine_run(plain->s->machine, UINT64_MAX, UINT64_MAX);
	uint64_t end = rig_cycle(g), random = 3, insts = machine_insts(m);
	assert_int_equal(end, rig_cycle(plain));
	assert_memory_equal(machine_stats(m), machine_stats(plain->s->machine),
	                    sizeof(struct stats));
	assert_int_equal(c->commits, insts);
	assert_int_equal(machine_journal(m)->entries, insts);
	assert_int_equal(journal_bytes(machine_journal(m)), insts * 72);
	for (int i = 0; i < 60; i++) {
		rig_goto(g, random_below(&random, end + 1));
		assert_int_equal(c->commits, machine_insts(m));
		rig_cycles(g, random_below(&random, 30));
		assert_int_equal(c->commits, machine_insts(m));
	}
	assert_int_equal(machine_journal(m)->entries, insts);
	rig_close(g);
	rig_close(plain);
	free(c);
}

/* An attachment that acts in a cycle before its place of attachment begins in that cycle from then
 * on. */
TEST(a_sleeper_is_woken_by_its_change)
{
	struct rig *g = rig_open(&hooked);
	struct machine *m = g->s->machine;
	rig_goto(g, 900);
	struct counter *c = counter_new(g);
	rig_goto(g, 1000);
	uint64_t late = c->commits;
	assert_true(late > 0);
	rig_goto(g, 300);
	assert_int_equal(c->commits, 0);
	uint64_t insts = machine_insts(m);
	rig_cycles(g, 700);
	assert_int_equal(c->commits, machine_insts(m) - insts);
	assert_true(c->commits > late);
	for (uint64_t at = 0; at < 1000; at += 90) {
		rig_goto(g, at);
		assert_int_equal(c->commits, at < 300 ? 0 : machine_insts(m) - insts);
	}
	rig_close(g);
	free(c);
}

TEST(it_goes_into_checkpoints)
{
	struct err err;
	struct rig *g = rig_open(&hooked);
	struct counter *c = counter_new(g), *other;
	rig_cycles(g, 700);
	uint64_t insts = machine_insts(g->s->machine);
	assert_true(checkpoint_save(g->s, "point", &err));
	/* Loads it into the same session, with the script attached, */
	rig_cycles(g, 300);
	struct machine *m = checkpoint_load(g->s, "point", &err);
	assert_non_null(m);
	session_adopt(g->s, m);
	assert_int_equal(c->commits, insts);
	rig_cycles(g, 300);
	assert_int_equal(c->commits, machine_insts(m));
	rig_goto(g, 850);
	assert_int_equal(c->commits, machine_insts(m));
	rig_back_cycles(g, 1000);
	assert_int_equal(c->commits, insts);
	/* which may begin again, */
	assert_true(session_restart(g->s, &err));
	assert_int_equal(c->commits, 0);
	rig_cycles(g, 400);
	assert_int_equal(c->commits, machine_insts(g->s->machine));
	rig_close(g);
	free(c);
	/* or into a session that attaches the script later, and saves before that. */
	g = rig_open(&hooked);
	m = checkpoint_load(g->s, "point", &err);
	assert_non_null(m);
	session_adopt(g->s, m);
	assert_true(checkpoint_save(g->s, "point", &err));
	rig_close(g);
	g = rig_open(&hooked);
	m = checkpoint_load(g->s, "point", &err);
	assert_non_null(m);
	session_adopt(g->s, m);
	c = counter_new(g);
	assert_int_equal(c->commits, insts);
	rig_cycles(g, 300);
	assert_int_equal(c->commits, machine_insts(m));
	rig_back_cycles(g, 1000); /* to a snapshot from before it was attached */
	assert_int_equal(c->commits, insts);
	other = counter_new(g);
	assert_int_equal(other->commits, 0); /* it is taken */
	rig_close(g);
	free(c);
	free(other);
	remove("point");
}

TEST_GROUP(rig_enter, rig_leave)
