/* Changes that are refused, fail or can't be made again, and journals that are saved. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/os/linux.h"
#include "core/os/thread.h"
#include "core/prof/sampler/sampler.h"
#include "tests/by_hand.h"
#include "tests/reverse/change_list.h"
#include "tests/reverse/rig.h"
#include "core/prof/common/prof.h"

static struct rig *moving;
static unsigned refused;

static bool changes_refused_in_condition(void *ctx, const struct machine *m)
{
	struct err err = {""};
	(void)ctx;
	(void)m;
	assert_false(run_change(moving->r,
	                        &(struct change){.kind = JOURNAL_REG, .a = REG_T6, .b = 1}, &err));
	assert_non_null(strstr(err.msg, "moving"));
	refused++;
	return true;
}

static void meddle_in_replay(void *ctx, const struct machine *m, const struct event *ev)
{
	struct err err = {""};
	(void)ctx;
	(void)m;
	(void)ev;
	assert_false(machine_set_reg(moving->s->machine, REG_T6, 1, &err));
	assert_non_null(strstr(err.msg, "again"));
	refused++;
}

TEST(no_change_on_the_way)
{
	struct err err;
	const struct event_filter commits = {.mask = EV_BIT(COMMIT)};
	struct rig *g = moving = rig_open(&guest);
	struct stop_point sp = {.kind = STOP_POINT_PC,
	                        .addr = rig_symbol(g, "tick"),
	                        .enabled = true,
	                        .condition = changes_refused_in_condition};
	assert_true(run_add_stop(g->r, &sp) > 0);
	refused = 0;
	rig_continue(g);
	assert_int_equal(refused, 1);
	rig_continue(g);
	assert_int_equal(refused, 2);
	rig_back_continue(g);
	assert_true(refused > 2);
	uint64_t hash = rig_hash(g);
	refused = 0;
	assert_true(run_replay(g->r, 0, rig_cycle(g), &commits, meddle_in_replay, NULL, &err));
	assert_true(refused > 0);
	assert_int_equal(rig_hash(g), hash);
	assert_int_equal(rig_history(g).changes, 0);
	rig_close(g);
}

/* Input that the guest read after a change, and before one; then another change before both. */
TEST(changes_and_input_interleave)
{
	int ends[2];
	struct list l = {.n = 0};
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "typed\n", 6), 6);
	struct subject typed = guest;
	typed.arguments = "read input";
	typed.stdin_fd = ends[0];
	struct rig *g = rig_open(&typed);
	uint64_t c0 = rig_run_to(g, "before_input");
	set_word(g, &l, "counter", 1);
	uint64_t c1 = rig_run_to(g, "before_jump");
	uint64_t shout;
	memcpy(&shout, "TYPED!!\n", sizeof shout);
	set_word(g, &l, "buffer", shout);
	uint64_t c2 = rig_run_to(g, "before_read"), h2 = rig_hash(g);
	set_reg(g, &l, REG_T6, 3);
	uint64_t c3 = rig_run_to(g, "after_read"), h3 = rig_hash(g);
	assert_string_equal(g->out, "typed\none\n");

	const uint64_t places[] = {c1, c3, c0, c2 - 1, c3, 0, c3};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		rig_goto(g, places[i]);
		assert_int_equal(rig_peek(g, "counter"), places[i] >= c0);
		if (places[i] >= c1 && places[i] < c3)
			assert_int_equal(rig_peek(g, "buffer"), shout);
		if (places[i] == c3)
			assert_int_equal(rig_hash(g), h3);
	}
	rig_goto(g, c2);
	assert_int_not_equal(rig_hash(g), h2); /* of before the register was set */
	assert_int_equal(machine_reg(g->s->machine, REG_T6), 3);
	assert_string_equal(g->out, "typed\none\n");

	/* Another future: typed input is read again, later changes are gone. */
	rig_goto(g, c0);
	l.n = 1;
	set_word(g, &l, "counter", 2);
	assert_int_equal(rig_history(g).changes, 2);
	rig_run_to(g, "after_one");
	assert_string_equal(g->out, "typed\none\ntyped\none\n");
	assert_int_equal(rig_peek(g, "counter"), 2);
	uint64_t typed_word;
	memcpy(&typed_word, "typed\n\0\0", sizeof typed_word);
	assert_int_equal(rig_peek(g, "buffer"), typed_word);
	rig_close(g);
	close(ends[0]);
	close(ends[1]);
}

/* A journal is replayed on a machine without the device: each time the replay stops at the change
 * with a message, and continues without it. */
TEST(what_cannot_be_made_again_is_a_stop)
{
	const struct device_write off = {0x00, 0}; /* control */
	struct err err;
	void *bytes;
	size_t n;
	struct subject how = guest;
	how.settings = "sampler.enable=1";
	struct rig *g = rig_open(&how);
	machine_run(g->s->machine, 300, UINT64_MAX);
	assert_true(machine_change(g->s->machine,
	                           &(struct change){.kind = JOURNAL_DEVICE,
	                                            .a = DEVICE_SAMPLER,
	                                            .bytes = &off,
	                                            .n = sizeof off},
	                           &err));
	assert_true(machine_set_reg(g->s->machine, REG_T6, 77, &err));
	journal_save(machine_journal(g->s->machine), NULL, NULL, &bytes, &n);
	rig_close(g);

	struct subject plain = guest;
	g = rig_open(&plain);
	struct machine *m = g->s->machine;
	assert_true(machine_load_journal(m, bytes, n, &err));
	for (unsigned again = 0; again < 2; again++) {
		assert_int_equal(rig_continue(g), STOPPED_STARVED);
		assert_int_equal(machine_status(m), MACHINE_STARVED);
		assert_int_equal(rig_cycle(g), 300);
		assert_non_null(strstr(machine_lacks(m),
		                       "can't be made again: this machine has no sampler"));
		assert_string_equal(machine_lacks_then(m), "continue goes on without it");
		assert_int_not_equal(machine_reg(m, REG_T6), 77); /* which comes after it */
		if (!again)
			assert_int_equal(rig_goto(g, 100), STOPPED_DONE);
	}
	machine_try_again(m);
	machine_run(m, 301, UINT64_MAX);
	assert_int_equal(machine_status(m), MACHINE_RUNNING);
	assert_int_equal(machine_reg(m, REG_T6), 77);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	rig_close(g);

	/* A machine beyond the place loses nothing until it continues from the place. */
	g = rig_open(&how);
	m = g->s->machine;
	rig_goto(g, 400);
	assert_true(machine_load_journal(m, bytes, n, &err));
	const uint64_t hash = rig_hash(g);
	assert_int_equal(rig_continue(g), STOPPED_STARVED);
	assert_int_equal(machine_status(m), MACHINE_STARVED);
	assert_int_equal(rig_cycle(g), 400);
	assert_int_equal(rig_hash(g), hash);
	assert_string_equal(machine_lacks(m),
	                    "the machine did not reach the place of a recorded change");
	assert_int_equal(rig_history(g).changes, 2);
	assert_int_equal(rig_goto(g, 300), STOPPED_DONE);
	assert_int_equal(machine_reg(m, REG_T6), 77);
	rig_goto(g, 400);
	assert_int_equal(machine_reg(m, REG_T6), 77);
	rig_close(g);

	g = rig_open(&how);
	m = g->s->machine;
	rig_goto(g, 400);
	assert_true(machine_load_journal(m, bytes, n, &err));
	rig_continue(g);
	assert_int_equal(machine_status(m), MACHINE_STARVED);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	assert_int_equal(rig_history(g).changes, 0);
	rig_close(g);
	free(bytes);
}

/* Each kind of change is accepted in one form, which motions in both directions repeat, and
 * rejected in any other form: with an error text, and the machine unchanged. */
TEST(each_kind_has_one_form)
{
	static const struct signal_info child = {.signo = 17}, none = {.signo = 0},
					too_large = {.signo = OS_SIGNALS};
	static const uint64_t word = 1;
	static const struct device_write off = {0x00, 0};
	enum { SAMPLER = DEVICE_SAMPLER, FRM = 2, CYCLE = 0xc00, WIDE = 1000 };
	const uint64_t info = sizeof child;
	static unsigned made[JOURNAL_KINDS];
	(void)state;
	struct subject how = guest;
	how.settings = "sampler.enable=1";
	struct rig *g = rig_open(&how);
	struct machine *m = g->s->machine;
	rig_goto(g, 300);
	const uint64_t pc = machine_pc(m), counter = rig_symbol(g, "counter");
	const struct {
		struct change c;
		bool possible;
	} rows[] = {
		{{JOURNAL_REG, REG_T6, 7, NULL, 0}, true},
		{{JOURNAL_REG, REG_SINK - 1, 7, NULL, 0}, true},
		{{JOURNAL_REG, REG_ZERO, 7, NULL, 0}, false},
		{{JOURNAL_REG, REG_SINK, 7, NULL, 0}, false},
		{{JOURNAL_REG, REG_T6, 7, &word, 8}, false},
		{{JOURNAL_PC, pc, 0, NULL, 0}, true},
		{{JOURNAL_PC, pc + 1, 0, NULL, 0}, false},
		{{JOURNAL_PC, pc, WIDE, NULL, 0}, false},
		{{JOURNAL_PC, pc, 0, &word, 8}, false},
		{{JOURNAL_CSR, FRM, 1, NULL, 0}, true},
		{{JOURNAL_CSR, FRM, 8, NULL, 0}, false},
		{{JOURNAL_CSR, CYCLE, 1, NULL, 0}, false},
		{{JOURNAL_CSR, 4096, 1, NULL, 0}, false},
		{{JOURNAL_CSR, FRM, 1, &word, 8}, false},
		{{JOURNAL_MEMORY, counter, 0, &word, 8}, true},
		{{JOURNAL_MEMORY, counter, 1, &word, 8}, false},
		{{JOURNAL_MEMORY, counter, 0, NULL, 0}, false},
		{{JOURNAL_MEMORY, 8, 0, &word, 8}, false},
		{{JOURNAL_MEMORY, counter, 0, &word, UINT64_MAX}, false},
		{{JOURNAL_ATTACHMENT, 77, 0, &word, 8}, false},
		{{JOURNAL_ATTACHMENT, 77, 0, NULL, 0}, false},
		{{JOURNAL_DEVICE, SAMPLER, 0, &off, sizeof off}, true},
		{{JOURNAL_DEVICE, SAMPLER, 1, &off, sizeof off}, false},
		{{JOURNAL_DEVICE, SAMPLER, 0, &off, 3}, false},
		{{JOURNAL_DEVICE, SAMPLER, 0, NULL, 0}, false},
		{{JOURNAL_DEVICE, DEVICE_COP, 0, &off, sizeof off}, false},
		{{JOURNAL_DEVICE, DEVICE_COUNT, 0, &off, sizeof off}, false},
		{{JOURNAL_SIGNALS, 1 << 9, 0, NULL, 0}, true},
		{{JOURNAL_SIGNALS, 1 << 9, 1, NULL, 0}, false},
		{{JOURNAL_SIGNALS, 1 << 9, 0, &word, 8}, false},
		{{JOURNAL_DEFER, 1, 0, NULL, 0}, true},
		{{JOURNAL_DEFER, 0, 0, NULL, 0}, true},
		{{JOURNAL_DEFER, 2, 0, NULL, 0}, false},
		{{JOURNAL_DEFER, 1, 1, NULL, 0}, false},
		{{JOURNAL_DEFER, 1, 0, &word, 8}, false},
		{{JOURNAL_SIGNAL, 0, 0, &child, info}, true},
		{{JOURNAL_SIGNAL, OS_SIGNALS - 1, 0, NULL, 0}, true},
		{{JOURNAL_SIGNAL, OS_SIGNALS, 0, NULL, 0}, false},
		{{JOURNAL_SIGNAL, 0, 1, &child, info}, false},
		{{JOURNAL_SIGNAL, 0, GUEST_PID, &child, info}, true},
		{{JOURNAL_SIGNAL, 0, GUEST_PID + 1, &child, info}, false},
		{{JOURNAL_SIGNAL, 0, 0, &child, 3}, false},
		{{JOURNAL_SIGNAL, 0, 0, &none, info}, false},
		{{JOURNAL_SIGNAL, 0, 0, &too_large, info}, false},
		{{JOURNAL_HOLD, 2, 0, NULL, 0}, true}, /* there is one thread, 0 */
		{{JOURNAL_HOLD, 0, 0, NULL, 0}, true},
		{{JOURNAL_HOLD, 3, 0, NULL, 0}, true},
		{{JOURNAL_HOLD, 0, 1, NULL, 0}, false},
		{{JOURNAL_HOLD, 0, 0, &word, 8}, false},
		{{JOURNAL_PARKED, 0, 7, NULL, 0}, false},
		{{JOURNAL_PARKED, GUEST_PID << 8 | REG_T6, 7, NULL, 0}, false},
		{{JOURNAL_PARKED, (GUEST_PID + 1) << 8 | REG_T6, 7, NULL, 0}, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err err = {""};
		const uint64_t before = rig_hash(g), cycle = rig_cycle(g);
		made[rows[i].c.kind]++;
		const bool possible = machine_change(m, &rows[i].c, &err);
		if (possible != rows[i].possible)
			fail_msg("row %zu: %s", i, possible ? "made" : err.msg);
		assert_int_equal(err.msg[0] == 0, possible);
		if (possible && rows[i].c.kind == JOURNAL_HOLD)
			assert_int_equal(os_held(machine_os_const(m)), rows[i].c.a & 1);
		if (!possible) {
			assert_int_equal(rig_hash(g), before);
			continue;
		}
		const uint64_t after = rig_hash(g);
		rig_goto(g, cycle - 100);
		rig_goto(g, cycle);
		assert_int_equal(rig_hash(g), after);
	}
#define ANSWER(id, text)
#define CHANGE(id, ...) assert_true(made[JOURNAL_##id] >= 2);
#include "core/os/journal.def"
	rig_close(g);
}

TEST_GROUP(rig_enter, rig_leave)
