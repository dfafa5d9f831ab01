/* The value sampler's daemon without Lua: a source in C makes values from recorded interpretations.
 * It gets whole interpretations, divided at gaps; hotlists equal those of the same values in the
 * same order; motions in both directions change nothing. */
#include "core/run/value_daemon.h"

#include "core/base/hash.h"
#include "core/machine/change.h"
#include "core/os/journal.h"
#include "core/run/run.h"
#include "tests/unit/prof/vsample_fixture.h"

enum { TOLD_MAX = 100000 };

struct teller {
	struct value_pair {
		uint64_t pc, value;
		unsigned kind;
	} told[TOLD_MAX];
	unsigned count, calls, gaps;
	const struct machine *m;
	uint64_t handed; /* tuples */
	uint64_t last_number, last_serial, fails_at; /* call that fails; 0: none */
	struct value_module module;
	struct value_kind kind[2];
	struct value_source source;
};

/* A module with two kinds. It remembers its number of calls, which is also a value. */
static bool value_daemon_count_turn(void *ctx, unsigned module, const struct value_sequence *s,
                                    struct value_answer *a, struct err *err)
{
	struct teller *t = ctx;
	const unsigned first = t->count;
	uint64_t calls = 0;
	assert_int_equal(module, 0);
	assert_true(s->count > 0);
	if (a->state) {
		assert_int_equal(a->state_n, sizeof calls);
		memcpy(&calls, a->state, sizeof calls);
	}
	calls++;
	t->calls++;
	t->gaps += s->behind_gap;
	/* After a gap the interpretation has the same number; otherwise it has the number of the
	 * next interpretation with samples. */
	if (s->behind_gap)
		assert_int_equal(s->number, t->last_number);
	else
		assert_true(s->number > t->last_number);
	t->last_number = s->number;
	for (uint32_t i = 0; i < s->count; i++) {
		assert_int_equal(s->tuple[i].sequence, s->number);
		assert_true(i ? s->tuple[i].serial == s->tuple[i - 1].serial + 1
		              : s->tuple[i].serial > t->last_serial);
		for (unsigned k = 0; k < 2; k++) {
			const struct value_pair pair = {s->tuple[i].pc,
			                                k ? calls % 40 : s->tuple[i].result, k};
			assert_true(value_answer_add(a, pair.pc, pair.kind, pair.value));
			assert_true(t->count < TOLD_MAX);
			t->told[t->count++] = pair;
		}
	}
	t->last_serial = s->tuple[s->count - 1].serial;
	/* The daemon has processed it. */
	t->handed += s->count;
	assert_true(t->handed <= vsample_taken(machine_pipe(t->m)->prof) ||
	            machine_status(t->m) != MACHINE_RUNNING);
	assert_false(value_answer_add(a, UINT64_C(1) << 48, 0, 1));
	assert_false(value_answer_add(a, 0, VALUE_KINDS, 1));
	static uint64_t kept; /* borrowed until copied after this call */
	kept = calls;
	value_answer_remember(a, &kept, sizeof kept);
	if (t->calls != t->fails_at)
		return true;
	t->count = first; /* the answer of a call that fails does not count */
	return err_set(err, "this one fails");
}

static struct teller *new_teller(void)
{
	struct teller *t = calloc(1, sizeof *t);
	assert_non_null(t);
	t->kind[0] = (struct value_kind){"results", "", "values", 0};
	t->kind[1] = (struct value_kind){"calls", "", "values", 0};
	for (unsigned op = 0; op < OP_COUNT; op++)
		t->source.capture.fields[op] = VSAMPLE_TUPLE | VSAMPLE_RESULT;
	t->module = (struct value_module){"test", "", &t->source.capture, 0, 2};
	t->source = (struct value_source){.ctx = t,
	                                  .module = &t->module,
	                                  .modules = 1,
	                                  .kind = t->kind,
	                                  .kinds = 2,
	                                  .capture = t->source.capture,
	                                  .turn = value_daemon_count_turn};
	return t;
}

static struct value_daemon *daemon_beside(struct machine *m, struct teller *t)
{
	struct err err;
	struct value_daemon *d = value_daemon_new(machine_config(m), &t->source, &err);
	if (!d || !value_daemon_attach(d, m, &err))
		fail_msg("%s", err.msg);
	t->m = m;
	vsample_set_capture(machine_pipe(m)->prof, &t->source.capture);
	return d;
}

/* Lists with the same values without daemon, journal and machine. */
static void assert_lists_are(const struct value_daemon *d, const struct config *cfg,
                             const struct teller *t)
{
	for (unsigned i = 0; i < HOTLIST_METHODS; i++) {
		struct err err;
		const struct hotlist_spec spec = {.method = (enum hotlist_method)i,
		                                  .entries = (uint32_t)cfg->values_entries,
		                                  .f_up = (uint32_t)cfg->values_f_up,
		                                  .f_down = (uint32_t)cfg->values_f_down,
		                                  .clear = (uint64_t)cfg->values_clear};
		struct hotlists *h = hotlists_new(&spec, (uint64_t)cfg->values_seed,
		                                  (uint64_t)cfg->values_memory, &err);
		assert_non_null(h);
		for (unsigned k = 0; k < t->count; k++)
			hotlists_add(h, t->told[k].pc, t->told[k].kind, t->told[k].value);
		assert_int_equal(hotlists_hash(value_daemon_lists(d, (enum hotlist_method)i)),
		                 hotlists_hash(h));
		hotlists_free(h);
	}
	assert_null(value_daemon_check(d));
}

#define KEEN                                                                                       \
	EAGER, "vsample.interval_min=3", "vsample.interval_max=40", "vsample.length=9",            \
		"values.method=all", "values.entries=4", "values.f_up=4", "values.f_down=3",       \
		"values.clear=50"

TEST(lists_are_those_of_the_values_told)
{
	const char *const slow[] = {KEEN, "vsample.queue=7", "vsample.service=30", NULL},
			  *const quick[] = {KEEN, NULL};
	for (unsigned k = 0; k < 2; k++) {
		struct teller *t = new_teller();
		struct machine *m = vsample_fixture_loop_machine(k ? slow : quick);
		struct value_daemon *d = daemon_beside(m, t);
		vsample_fixture_run_to_end(m);
		const struct stats *s = machine_stats(m);
		const struct value_totals all = value_daemon_totals(d);
		assert_true(t->calls > 50);
		assert_int_equal(s->vsample_lost != 0, k);
		assert_int_equal(t->gaps != 0, k);
		/* At the program's end, the source has got all samples that were not lost. */
		assert_int_equal(all.through, s->vsample_tuples - s->vsample_lost);
		assert_int_equal(all.sequences, t->calls);
		assert_int_equal(all.gaps, t->gaps);
		assert_int_equal(all.pairs, t->count);
		assert_int_equal(all.refused, 2 * t->calls);
		assert_lists_are(d, machine_config(m), t);
		machine_free(m);
		value_daemon_free(d);
		free(t);
	}
}

/* No module is called twice for a sample, and each cycle keeps its profile. */
TEST(time_travel_asks_nobody)
{
	enum { STOPS = 30, STEP = 397 };
	const char *const how[] = {KEEN, "vsample.queue=7", "vsample.service=30", NULL};
	struct teller *t = new_teller();
	struct machine *m = vsample_fixture_loop_machine(how);
	struct value_daemon *d = daemon_beside(m, t);
	struct run *r = run_new(m, &(struct run_options){.history = true});
	struct run_stop_info info;
	struct err err;
	uint64_t at[STOPS], hash[STOPS], random = 5;
	for (unsigned i = 0; i < STOPS; i++) {
		assert_true(run_cycles(r, STEP, false, &info, &err));
		at[i] = machine_cycle(m);
		hash[i] = value_daemon_hash(d);
	}
	const unsigned calls = t->calls;
	assert_true(calls > 10);
	assert_true(hash[0] != hash[STOPS - 1]);
	for (unsigned k = 0; k < 60; k++) {
		const unsigned i = (unsigned)(hash_splitmix64_next(&random) % STOPS);
		assert_true(run_goto_cycle(r, at[i], &info, &err));
		assert_int_equal(value_daemon_hash(d), hash[i]);
		if (i + 1 < STOPS) {
			/* forwards in what is recorded */
			assert_true(run_cycles(r, STEP, false, &info, &err));
			assert_int_equal(value_daemon_hash(d), hash[i + 1]);
		}
	}
	assert_int_equal(t->calls, calls);
	assert_true(run_goto_cycle(r, at[STOPS - 1], &info, &err));
	assert_lists_are(d, machine_config(m), t);
	run_free(r);
	machine_free(m);
	value_daemon_free(d);
	free(t);
}

/* ---- a module with much to remember ---- */
enum { MUCH = 24000, CALLS_MAX = 20000 };

struct rememberer {
	uint8_t state[VALUE_STATE_MAX];
	size_t n;
	uint64_t calls, digest[CALLS_MAX + 1], remembered; /* bytes, of all calls together */
};

/* Checks the module's state: it begins with the number of calls, and is a function of that number.
 * Makes the next state, with changed numbers, and inserted or removed bytes. */
static bool value_daemon_check_state_turn(void *ctx, unsigned module,
                                          const struct value_sequence *s, struct value_answer *a,
                                          struct err *err)
{
	struct rememberer *r = ctx;
	uint64_t calls = 0;
	(void)module, (void)err;
	if (a->state) {
		memcpy(&calls, a->state, sizeof calls);
		assert_true(calls && calls < CALLS_MAX);
		assert_int_equal(hash_bytes(HASH_START, a->state, a->state_n), r->digest[calls]);
		memcpy(r->state, a->state, a->state_n);
	}
	r->n = a->state ? a->state_n : MUCH;
	if (!a->state)
		for (size_t i = 0; i < MUCH / 8; i++)
			memcpy(r->state + 8 * i, &(uint64_t){calls % 3 ? 0 : i * i}, 8);
	calls++;
	memcpy(r->state, &calls, sizeof calls);
	for (uint64_t i = 1; i < 5; i++)
		r->state[(calls * 7919 * i + 8) % (r->n - 8) + 8]++;
	const size_t middle = r->n / 3 + 8;
	if (calls % 7 == 0 && r->n < VALUE_STATE_MAX - 3) {
		memmove(r->state + middle + 3, r->state + middle, r->n - middle);
		r->n += 3;
	} else if (calls % 5 == 0 && r->n > 100) {
		memmove(r->state + middle, r->state + middle + 5, r->n - middle - 5);
		r->n -= 5;
	} else if (calls % 17 == 0) {
		r->n = calls % 2 ? 8 : VALUE_STATE_MAX;
		memset(r->state + 8, calls % 2 ? 0 : 1, r->n - 8);
		r->n = r->n == 8 ? 17 : r->n;
	}
	r->digest[calls] = hash_bytes(HASH_START, r->state, r->n);
	r->calls++;
	r->remembered += r->n;
	value_answer_add(a, s->tuple[0].pc, 0, calls);
	value_answer_remember(a, r->state, r->n);
	return true;
}

/* The journal grows only by changes, and history counts the memory of its snapshots. Going to a
 * place restores a module's memory; after a change of the past, the module continues from its
 * memory at that place. */
TEST(what_a_module_remembers_is_shared)
{
	enum { STOPS = 30, STEP = 400 };
	const char *const how[] = {KEEN, NULL};
	struct teller *t = new_teller();
	struct rememberer *kept = calloc(1, sizeof *kept);
	struct machine *m = vsample_fixture_loop_machine(how);
	t->source.ctx = kept;
	t->source.turn = value_daemon_check_state_turn;
	struct value_daemon *d = daemon_beside(m, t);
	struct run *r = run_new(m, &(struct run_options){.history = true, .first_spacing = 200});
	struct run_stop_info info;
	struct run_history h;
	struct err err;
	uint64_t random = 3, hash[STOPS];
	for (unsigned i = 0; i < STOPS; i++) {
		assert_true(run_cycles(r, STEP, false, &info, &err));
		hash[i] = value_daemon_hash(d);
	}
	assert_true(kept->calls > 20);
	assert_true(journal_bytes(machine_journal(m)) < kept->remembered / 4);
	for (unsigned k = 0; k < 30; k++) {
		const unsigned i = (unsigned)(hash_splitmix64_next(&random) % STOPS);
		assert_true(run_goto_cycle(r, (uint64_t)(i + 1) * STEP, &info, &err));
		assert_int_equal(value_daemon_hash(d), hash[i]);
		run_history(r, &h);
		assert_int_equal(h.bytes, run_recount(r));
		assert_int_equal(h.journal_bytes, journal_bytes(machine_journal(m)));
	}
	assert_true(run_goto_cycle(r, STEP, &info, &err));
	assert_true(run_change(r, &(struct change){.kind = JOURNAL_REG, .a = 31, .b = 1}, &err));
	const uint64_t calls = kept->calls;
	assert_true(run_cycles(r, STEP * STOPS, false, &info, &err));
	assert_true(kept->calls > calls);
	run_free(r);
	machine_free(m);
	value_daemon_free(d);
	free(kept);
	free(t);
}

TEST(a_failure_is_told_once_and_ends_the_module)
{
	const char *const how[] = {KEEN, NULL};
	struct teller *t = new_teller();
	struct err err;
	struct machine *m = vsample_fixture_loop_machine(how);
	t->fails_at = 5;
	struct value_daemon *d = daemon_beside(m, t);
	machine_run(m, UINT64_MAX, UINT64_MAX);
	assert_false(machine_stop_requested(m));
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	assert_true(value_daemon_take_failure(d, &err));
	assert_string_equal(err.msg, "this one fails");
	assert_false(value_daemon_take_failure(d, &err));
	assert_int_equal(t->calls, 5);
	assert_int_equal(value_daemon_totals(d).broken, 1);
	assert_true(value_daemon_totals(d).sequences > 5);
	assert_int_equal(value_daemon_totals(d).pairs, t->count);
	assert_int_equal(value_daemon_totals(d).refused, 2 * 4);
	assert_lists_are(d, machine_config(m), t);
	machine_free(m);
	value_daemon_free(d);
	free(t);
}

TEST(a_module_of_other_instructions_is_not_called)
{
	static const struct vsample_capture none;
	const char *const how[] = {KEEN, NULL};
	struct teller *t = new_teller();
	struct machine *m = vsample_fixture_loop_machine(how);
	t->module.capture = &none;
	struct value_daemon *d = daemon_beside(m, t);
	vsample_fixture_run_to_end(m);
	assert_true(value_daemon_totals(d).sequences > 50);
	assert_int_equal(t->calls, 0);
	machine_free(m);
	value_daemon_free(d);
	free(t);
}

TEST(lists_of_modules)
{
	struct err err;
	static const char *const bad[] = {"",     ",",   "a,",
	                                  "a,,b", "a b", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q"};
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(value_check_modules(bad[i], &err));
	assert_string_equal(err.msg, "17 modules are too many; expected at most 16");
	assert_true(value_check_modules("results", &err) &&
	            value_check_modules("a,./b.lua", &err));
}
