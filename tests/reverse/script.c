#include "tests/reverse/script.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/machine/alarm.h"
#include "core/machine/change.h"
#include "tests/encode.h"

enum { REG_S4 = 20, REG_S5 = 21, REG_T5 = 30, REG_T6 = 31 };

/* ---- the attachment: the script's counts ---- */
static void *script_test_save_counts(void *ctx)
{
	const struct script *s = ctx;
	void *state = malloc(sizeof s->count);
	assert_non_null(state);
	return memcpy(state, s->count, sizeof s->count);
}

static void script_test_restore_counts(void *ctx, const void *state)
{
	struct script *s = ctx;
	if (state)
		memcpy(s->count, state, sizeof s->count);
	else
		memset(s->count, 0, sizeof s->count);
}

static size_t script_test_state_bytes(const void *state)
{
	(void)state;
	return sizeof ((struct script *)NULL)->count;
}

static uint64_t script_test_hash_counts(const void *ctx)
{
	const struct script *s = ctx;
	return hash_bytes(HASH_START, s->count, sizeof s->count);
}

static void script_test_apply_change(void *ctx, const void *what, size_t n)
{
	struct script *s = ctx;
	uint64_t w[2];
	assert_int_equal(n, sizeof w);
	memcpy(w, what, sizeof w);
	assert_true(w[0] < SCRIPT_COUNTS);
	s->count[w[0]] = w[1];
}

static void *script_test_pack_counts(const void *ctx, size_t *n)
{
	const struct script *s = ctx;
	*n = sizeof s->count;
	void *all = malloc(*n);
	assert_non_null(all);
	return memcpy(all, s->count, *n);
}

static bool script_test_unpack_counts(void *ctx, const void *all, size_t n, struct err *err)
{
	struct script *s = ctx;
	if (n != sizeof s->count)
		return err_set(err, "no script wrote this");
	memcpy(s->count, all, n);
	return true;
}

static const struct attachment_ops ops = {
	.name = "a script",
	.save = script_test_save_counts,
	.restore = script_test_restore_counts,
	.free = free,
	.bytes = script_test_state_bytes,
	.hash = script_test_hash_counts,
	.change = script_test_apply_change,
	.pack = script_test_pack_counts,
	.unpack = script_test_unpack_counts,
};

/* ---- hooks' actions ---- */
static void script_test_request_change(struct script *s, const struct change *c)
{
	struct err err;
	if (!machine_change_later(s->g->s->machine, c, &err))
		fail_msg("%s", err.msg);
}

static void script_test_set_reg(struct script *s, unsigned reg, uint64_t value)
{
	script_test_request_change(s, &(struct change){.kind = JOURNAL_REG, .a = reg, .b = value});
}

static void write_bytes(struct script *s, uint64_t addr, const void *from, size_t n)
{
	script_test_request_change(
		s, &(struct change){.kind = JOURNAL_MEMORY, .a = addr, .bytes = from, .n = n});
}

/* Updates the attachment's state at once, like a script's variables; records the change in the
 * journal. Returns the count. */
static uint64_t script_test_increment_count(struct script *s, unsigned i)
{
	const uint64_t w[2] = {i, s->count[i] + 1};
	s->count[i] = w[1];
	script_test_request_change(
		s, &(struct change){
			   .kind = JOURNAL_ATTACHMENT, .a = s->key, .bytes = w, .n = sizeof w});
	return w[1];
}

/* True if this hook has work here. */
static bool script_test_has_work(struct script *s, unsigned i)
{
	s->called++;
	if (!s->always && !run_first_time(s->g->r, &s->heard[i]))
		return false;
	s->worked++;
	return true;
}

static void on_hot(void *ctx, const struct machine *m, const struct event *ev)
{
	struct script *s = ctx;
	(void)m;
	(void)ev;
	if (!script_test_has_work(s, 0))
		return;
	uint64_t n = script_test_increment_count(s, 0);
	uint32_t patched = ENC(ADDI, .rd = REG_S4, .rs1 = REG_S4, .imm = (int32_t)(n % 100));
	if (n % 5 == 0)
		write_bytes(s, s->site, &patched, sizeof patched);
	if (n % 7 == 0)
		script_test_set_reg(s, REG_S5, n);
}

static void on_load(void *ctx, const struct machine *m, const struct event *ev)
{
	struct script *s = ctx;
	(void)m;
	(void)ev;
	if (script_test_has_work(s, 1))
		script_test_increment_count(s, 1);
}

/* Empties the pipeline after a squash, and on_leave() observes it. Not after each: the branch would
 * never commit. */
static void on_squash(void *ctx, const struct machine *m, const struct event *ev)
{
	struct script *s = ctx;
	(void)m;
	if (!script_test_has_work(s, 2))
		return;
	uint64_t n = script_test_increment_count(s, 2);
	if (n % 3 == 0)
		script_test_set_reg(s, REG_T6, n ^ ev->pc);
}

static void on_leave(void *ctx, const struct machine *m, const struct event *ev)
{
	struct script *s = ctx;
	(void)m;
	if (!ev->leave.retired && script_test_has_work(s, 3))
		script_test_increment_count(s, 3);
}

/* The later of two changes holds. */
static void on_insts(void *ctx, const struct machine *m)
{
	struct script *s = ctx;
	(void)m;
	if (!script_test_has_work(s, 4))
		return;
	script_test_set_reg(s, REG_T5, 0);
	script_test_set_reg(s, REG_T5, script_test_increment_count(s, 4));
}

static void on_cycles(void *ctx, const struct machine *m)
{
	struct script *s = ctx;
	if (!script_test_has_work(s, 5))
		return;
	uint64_t n = script_test_increment_count(s, 5), word = n * 0x0101010101010101;
	write_bytes(s, s->table + n % 1024 * 8, &word, 1 + n % 8);
	script_test_request_change(s, &(struct change){.kind = JOURNAL_PC, .a = machine_pc(m)});
}

static void on_stop(void *ctx, const struct machine *m)
{
	struct script *s = ctx;
	if (!script_test_has_work(s, 6))
		return;
	script_test_increment_count(s, 6);
	machine_request_stop(m);
}

static void on_end(void *ctx, const struct machine *m)
{
	struct script *s = ctx;
	uint64_t word = machine_insts(m);
	if (script_test_has_work(s, 7) && script_test_increment_count(s, 7))
		write_bytes(s, s->table, &word, sizeof word);
}

static void script_test_listen(struct script *s, const struct event_filter *f, event_fn *fn)
{
	assert_true(machine_listen(s->g->s->machine, f, fn, s) > 0);
}

static void alarm_at(struct script *s, enum alarm_unit unit, uint64_t every, uint64_t first,
                     alarm_fn *fn)
{
	struct err err;
	const struct alarm a = {.unit = unit, .every = every, .first = first};
	if (!machine_alarm(s->g->s->machine, &a, fn, s, &err))
		fail_msg("%s", err.msg);
}

struct script *script_new(struct rig *g, bool always)
{
	struct err err;
	struct script *s = calloc(1, sizeof *s);
	assert_non_null(s);
	*s = (struct script){.g = g,
	                     .always = always,
	                     .site = rig_symbol(g, "site"),
	                     .table = rig_symbol(g, "table")};
	s->attachment = machine_attach(g->s->machine, &ops, s, NULL, &err);
	assert_true(s->attachment > 0);
	s->key = machine_attachment_key(g->s->machine, s->attachment);
	uint64_t hot = rig_symbol(g, "hot");
	script_test_listen(
		s, &(struct event_filter){.mask = EV_BIT(COMMIT), .pc_lo = hot, .pc_hi = hot + 1},
		on_hot);
	script_test_listen(s,
	                   &(struct event_filter){.mask = EV_BIT(COMMIT), .kinds = 1u << INST_LOAD},
	                   on_load);
	script_test_listen(s, &(struct event_filter){.mask = EV_BIT(SQUASH)}, on_squash);
	script_test_listen(s, &(struct event_filter){.mask = EV_BIT(LEAVE)}, on_leave);
	alarm_at(s, ALARM_INSTS, 97, 0, on_insts);
	alarm_at(s, ALARM_CYCLES, 203, 0, on_cycles);
	alarm_at(s, ALARM_CYCLES, 400, 133, on_stop);
	alarm_at(s, ALARM_END, 0, 0, on_end);
	return s;
}

uint64_t script_hash(const struct script *s)
{
	return script_test_hash_counts(s);
}
