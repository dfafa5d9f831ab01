/* catch: conditions on the fields of each event, forwards and backwards, against a listener in
 * C. */
#include "core/defs/events.h"

#include "core/isa/op.h"
#include "tests/unit/ui/console_fixture.h"

#include "core/pipe/pipe.h"
#include "hwviews/session/uop_fields.h"

enum { HITS_MAX = 4000 };

struct found {
	bool (*wanted)(const struct machine *m, const struct event *ev);
	uint64_t cycle[HITS_MAX]; /* after the event's, each once */
	size_t count;
	bool twice; /* several events came in one cycle, and the first was not the matching one */
	uint64_t passed; /* cycle of the last that did not match */
};

static void catch_record_hit(void *ctx, const struct machine *m, const struct event *ev)
{
	struct found *f = ctx;
	if (!f->wanted(m, ev)) {
		f->passed = ev->cycle;
		return;
	}
	if (f->count && f->cycle[f->count - 1] == ev->cycle + 1)
		return;
	f->twice |= f->passed == ev->cycle;
	assert_true(f->count < HITS_MAX);
	f->cycle[f->count++] = ev->cycle + 1;
}

/* Checks that stops at a condition, forwards and back, are where the listener saw it true. Returns
 * true if a stop was not the first event of its kind in its cycle. */
static bool catch_check_stops(struct fixture *f, const char *command, enum event_id id,
                              bool (*wanted)(const struct machine *m, const struct event *ev),
                              const char *shown)
{
	struct found found = {.wanted = wanted, .passed = UINT64_MAX};
	const struct event_filter filter = {.mask = UINT64_C(1) << id};
	console_fixture_answer(f, "delete; starti");
	int ear = machine_listen(f->s->machine, &filter, catch_record_hit, &found);
	console_fixture_answer(f, "continue");
	machine_unlisten(f->s->machine, ear);
	assert_true(found.count > 0);
	console_fixture_answer(f, "starti");
	console_fixture_answer(f, command);
	for (size_t i = 0; i < found.count; i++) {
		console_fixture_assert_has(console_fixture_answer(f, "continue"), "Catchpoint");
		console_fixture_assert_has(f->out, shown);
		assert_int_equal(machine_cycle(f->s->machine), found.cycle[i]);
	}
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "exited");
	for (size_t i = found.count; i-- > 0;) {
		console_fixture_assert_has(console_fixture_answer(f, "reverse-continue"),
		                           "Catchpoint");
		console_fixture_assert_has(f->out, shown);
		assert_int_equal(machine_cycle(f->s->machine), found.cycle[i]);
	}
	console_fixture_assert_has(console_fixture_answer(f, "reverse-continue"), "Beginning");
	return found.twice;
}

static bool from_memory(const struct machine *m, const struct event *ev)
{
	(void)m;
	return ev->mem.level == LEVEL_MEMORY && ev->mem.latency > 50;
}

static bool catch_event_is_return(const struct machine *m, const struct event *ev)
{
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	return u->inst.op == OP_JALR && u->inst.rs1 == 1 && u->inst.rd == REG_SINK;
}

static bool catch_event_is_zero_result(const struct machine *m, const struct event *ev)
{
	(void)m;
	return ev->commit.result == 0 && inst_kind(ev->op) == INST_INT;
}

static bool catch_event_is_miss(const struct machine *m, const struct event *ev)
{
	(void)m;
	return ev->mem.level == LEVEL_MEMORY || ev->mem.level == LEVEL_L2;
}

static bool forwarded_late(const struct machine *m, const struct event *ev)
{
	(void)m;
	return ev->mem.level == LEVEL_FORWARD && ev->cycle > 200;
}

static bool is_branch(const struct machine *m, const struct event *ev)
{
	(void)m;
	return inst_kind(ev->op) == INST_BRANCH;
}

/* Words that stand for an event and a condition. */
TEST(test_other_words)
{
	struct fixture *f = fixture_of(state);
	catch_check_stops(f, "catch miss", EV_MEM, catch_event_is_miss, "mem #");
	catch_check_stops(f, "catch miss if level == \"memory\" and latency > 50", EV_MEM,
	                  from_memory, "level memory");
	catch_check_stops(f, "catch forward if cycle > 201", EV_MEM, forwarded_late,
	                  "level forward");
	catch_check_stops(f, "catch branch", EV_RESOLVE, is_branch, "resolve #");
	console_fixture_assert_has(console_fixture_refusal(f, "catch forwrd"),
	                           "did you mean 'forward'");
	console_fixture_answer(f, "starti; delete");
}

TEST(test_each_event)
{
	struct fixture *f = fixture_of(state);
	bool behind = false;
	behind |= catch_check_stops(f, "catch mem if level == 'memory' and latency > 50", EV_MEM,
	                            from_memory, "level memory");
	behind |= catch_check_stops(f, "catch commit if text == 'ret'", EV_COMMIT,
	                            catch_event_is_return, "commit #");
	behind |= catch_check_stops(f, "catch commit class int if result == 0", EV_COMMIT,
	                            catch_event_is_zero_result, "result 0x0");
	assert_true(behind);
}

/* Every field of every event is a word, and has the type in help. */
TEST(test_catch_words)
{
	struct fixture *f = fixture_of(state);
	char line[200];
	console_fixture_answer(f, "starti; delete");
	for (unsigned id = 0; id < EV_COUNT; id++)
		for (unsigned i = 0; i < event_info[id].field_count; i++) {
			const char *name = event_info[id].fields[i].name;
			enum field_type t = event_info[id].fields[i].type;
			bool word = t == FIELD_LEVEL || t == FIELD_POOL || t == FIELD_TRAP ||
			            t == FIELD_SYSCALL || t == FIELD_BDT_ACTION ||
			            t == FIELD_TUPLE_KIND || t == FIELD_COMPRESS_ACT ||
			            t == FIELD_INST_KIND || t == FIELD_COP_STEP ||
			            t == FIELD_MICRO_FAULT || t == FIELD_VSAMPLE_STOP ||
			            t == FIELD_REPLAY || t == FIELD_SIGNAL;
			snprintf(line, sizeof line, "catch %s if event.%s ~= %s",
			         event_info[id].name, name, name);
			console_fixture_answer(f, line);
			snprintf(line, sizeof line,
			         word              ? "catch %s if %s < 'x'"
			         : t == FIELD_FLAG ? "catch %s if %s == true"
			                           : "catch %s if %s < 7",
			         event_info[id].name, name);
			console_fixture_answer(f, line);
			snprintf(line, sizeof line,
			         word ? "catch %s if %s < 7" : "catch %s if %s < 'x'",
			         event_info[id].name, name);
			console_fixture_assert_has(console_fixture_refusal(f, line), "compare");
		}
	/* Each event's fields equal those of its table; each event has its instruction's words. */
	console_fixture_answer(
		f, "delete; catch mem if event.addr ~= addr or event.pc ~= pc or event.seq ~= seq "
		   "or event.op ~= op or "
		   "event.name ~= 'mem' or event.cycle + 1 ~= cycle or memory ~= event.cycle or "
		   "size > 8");
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "exited");
	console_fixture_answer(f, "starti; delete");
	for (unsigned i = 0; i < UOP_FIELD_COUNT; i++) {
		snprintf(line, sizeof line, "catch leave if %s ~= %s", uop_field_info[i].name,
		         uop_field_info[i].name);
		console_fixture_answer(f, line);
	}
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "exited");
	console_fixture_assert_has(console_fixture_refusal(f, "catch mem if lavel == 'memory'"),
	                           "did you mean 'level'");
	console_fixture_assert_has(console_fixture_refusal(f, "catch mem class lode"),
	                           "no class of instructions");
	console_fixture_assert_has(console_fixture_refusal(f, "print latency"), "latency");
	console_fixture_answer(f, "starti; delete");
}

TEST(test_errors_stop)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; delete; catch fetch if addr > 5");
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "failed");
	console_fixture_answer(f, "starti; delete");
}

/* A condition narrows the events that the machine reports; changing or removing it, or a second
 * catchpoint, widens them again. */
TEST(test_narrowed)
{
	struct fixture *f = fixture_of(state);
	const struct symbol *twice = program_symbol_by_name(f->s->program, "twice");
	const struct symbol *start = program_symbol_by_name(f->s->program, "main");
	char line[200];
	console_fixture_answer(f, "starti; delete");
	console_fixture_answer(f, "catch commit if pc == twice");
	int id = run_stop_at(f->s->run, 0)->id;
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "twice");
	snprintf(line, sizeof line, "starti; condition %d pc == main", id);
	console_fixture_answer(f, line);
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "main");
	assert_int_equal(run_stop(f->s->run, id)->filter.pc_lo, start->addr);
	console_fixture_answer(f, "catch commit class load,store in twice if op ~= 'amomaxu.d'");
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "twice");
	snprintf(line, sizeof line, "delete %d; starti; condition %d pc < 5", id, id + 1);
	console_fixture_answer(f, line);
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "exited");
	snprintf(line, sizeof line, "starti; condition %d", id + 1);
	console_fixture_answer(f, line);
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "twice");
	assert_int_equal(run_stop(f->s->run, id + 1)->filter.pc_lo, twice->addr);
	assert_int_equal(run_stop(f->s->run, id + 1)->filter.kinds,
	                 1u << INST_LOAD | 1u << INST_STORE);
	assert_null(run_stop(f->s->run, id + 1)->filter.where);
	console_fixture_answer(f, "starti; delete");
}

TEST_GROUP(fixture_up, fixture_down)
