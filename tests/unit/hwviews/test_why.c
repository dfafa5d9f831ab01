/* `why`'s answers must come true: the named instruction is older and in flight, and due events
 * happen then. */
#include "core/isa/op.h"
#include "hwviews/why/why_text.h"

#include <stdlib.h>

#include "core/machine/machine.h"
#include "core/machine/params.h"
#include "core/mem/mem.h"
#include "core/os/os.h"
#include "hwviews/grid/view.h"
#include "hwviews/session/session.h"
#include "loader/launch.h"
#include "loader/program.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"
#include "tests/unit/prof/firmware_asm.h"

/* Control of profile flags: pushpf and poppf of type 1, and a prefix of that type, as C statements.
 */
#define PUSHPF "__asm__ volatile(\".2byte 0x1006\" ::: \"memory\");"
#define POPPF "__asm__ volatile(\".2byte 0x1026\" ::: \"memory\");"
#define PROFILED_NOP "__asm__ volatile(\".2byte 0x0026, 1\");"

/* Every kind of wait: divisions, a cold pointer chase, stores whose data or address is late,
 * overlapping stores, atomics, floating point, unpredictable branches, system calls; flags that
 * were saved on the stack. */
static const char guest[] =
	"#include <stdio.h>\n"
	"static long next[1024], cells[64]; static volatile long sink;\n"
	"__attribute__((noinline)) static void leaves(void) { volatile char room[64]; room[0] = "
        "1; " PUSHPF " " PUSHPF " }\n"
	"int main(void){ unsigned x = 1; double d = 1; long p = 0;\n"
	" for (long i = 0; i < 1024; i++) next[i] = (i * 1237 + 511) & 1023;\n"
	" for (int i = 0; i < 120; i++) { x = x * 1103515245u + 12345u; p = next[p];\n"
	"  cells[(unsigned long)(x / 7u % 64u) % 61u] = p; sink = cells[p & 63];\n"
	"  if (x >> 16 & 1) cells[p & 63] /= (long)(x | 1u); else d = d / 1.5 + (double)p;\n"
	"  ((char *)cells)[x >> 20 & 255] = (char)x; sink += cells[x >> 23 & 31];\n"
	"  if (i % 8 == 0) { " PUSHPF " leaves(); " POPPF PROFILED_NOP " }\n"
	"  if (i % 16 == 0) __atomic_fetch_add(&cells[3], 1, __ATOMIC_SEQ_CST);\n"
	"  if (i % 50 == 0) { printf(\"%d\\n\", i); fflush(stdout); } }\n"
	" return d > 0 ? 0 : 1; }\n";

/* Sleeps before the program begins, and reads the clock every few thousand cycles. */
static const char firmware[] =
	FIRMWARE(" ld t1, 0(DEV)\n li t2, 3000\n add t1, t1, t2\n sd t1, 8(DEV)\n li t2, 1 << 7\n "
                 "csrw mie, t2\n wfi\n",
                 " ld t1, 0(DEV)\n li t2, 3000\n add t1, t1, t2\n sd t1, 8(DEV)\n");

struct promise {
	uint64_t seq, due;
};

enum { SLOTS_MAX = 8192 };

static struct machine *why_start_machine(const struct program *p, const char *const settings[])
{
	struct err err;
	struct config cfg;
	config_default(&cfg);
	for (unsigned i = 0; settings[i]; i++)
		assert_true(config_set_assignment(&cfg, settings[i], &err));
	char *argv[] = {"guest", NULL};
	const struct launch l = {.argc = 1, .argv = argv, .stdin_fd = -1, .output = os_no_output};
	struct machine *m = launch_machine(&l, p, &cfg, &err);
	assert_non_null(m);
	return m;
}

static void check_line(const struct session *s, const struct uop *u)
{
	const struct pipe *p = machine_pipe(s->machine);
	char line[512], name[32];
	snprintf(name, sizeof name, "#%llu", (unsigned long long)u->seq);
	why_line(s, u, line, sizeof line);
	assert_non_null(strstr(line, name));
	assert_true(strlen(line) > strlen(name) + 8);
	assert_null(strchr(line, '$')); /* every place in the phrase was filled */
	struct why w = uop_why(p, u);
	why_cell(p, u, &w, line, sizeof line);
	assert_null(strchr(line, '$'));
	assert_true(*why_words(w.id) && (*line || w.id == WHY_MOVING || w.id == WHY_COMMITTED));
	if (strstr(line, "#"))
		assert_non_null(pipe_find(p, w.other));
	why_line(s, u, line, 12);
	assert_true(strlen(line) < 12);
}

/* Records a promise about u, or checks that it came true in its cycle. */
static void check_promise(const struct machine *m, const struct uop *u, struct promise *kept)
{
	const struct pipe *p = machine_pipe(m);
	uint64_t now = machine_cycle(m);
	struct why w = uop_why(p, u);
	/* a slow search: sometimes */
	if (now % 8 == 0 && w.id != WHY_UNIT && w.id != WHY_FORWARD && w.other) {
		const struct uop *other = pipe_find(p, w.other);
		assert_non_null(other);
		assert_true(other->seq < u->seq && uop_in_flight(other));
	}
	bool timed = u->state == UOP_MEMORY ||
	             (u->state == UOP_EXECUTING && inst_class(&u->inst) < CLASS_LOAD);
	/* its data came and waits */
	if (kept->seq == u->seq && w.id == WHY_WRITE_PORT && u->state == UOP_MEMORY)
		kept->due = w.due;
	if (kept->seq == u->seq && kept->due != NO_CYCLE) {
		/* Done in the promised cycle, neither before nor after. */
		if (now <= kept->due)
			assert_true(u->state == UOP_MEMORY || u->state == UOP_EXECUTING);
		else
			assert_true(u->state == UOP_DONE && u->when.done == kept->due);
	}
	if (timed) {
		assert_true(w.due != NO_CYCLE && w.due >= now);
		*kept = (struct promise){u->seq, w.due};
	} else if (kept->seq != u->seq || now > kept->due) {
		*kept = (struct promise){u->seq, NO_CYCLE};
	}
}

/* No unit is promised to two instructions for the same cycle. */
static void check_units(const struct pipe *p)
{
	struct why told[SLOTS_MAX];
	unsigned n = 0;
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct why w = uop_why(p, pipe_rob_at(p, i));
		for (unsigned k = 0; w.id == WHY_UNIT && k < n; k++)
			assert_true(told[k].pool != w.pool || told[k].other != w.other ||
			            told[k].due != w.due);
		if (w.id == WHY_UNIT)
			told[n++] = w;
	}
}

static void run_with(const char *const settings[], uint64_t seen[WHY_COUNT])
{
	struct cross c, f;
	struct err err;
	static struct promise kept[SLOTS_MAX];
	memset(kept, 0, sizeof kept);
	assert_true(cross_build(&c, "c", guest, "-O2 -static"));
	assert_true(cross_build(&f, "S", firmware, FIRMWARE_FLAGS));
	const struct launch l = {.path = c.program, .firmware = f.program};
	struct program *program = launch_program(&l, &err);
	cross_remove(&c);
	cross_remove(&f);
	assert_non_null(program);
	struct machine *m = why_start_machine(program, settings);
	const struct session s = {.program = program, .machine = m};
	const struct pipe *p = machine_pipe(m);
	while (machine_step(m)) {
		uint64_t before = machine_cycle(m) % 4096 ? 0 : machine_hash(m);
		for (uint32_t i = 0; i < p->st->rob_count + p->st->fetchq_count; i++) {
			const struct uop *u = i < p->st->rob_count
			                              ? pipe_rob_at(p, i)
			                              : pipe_fetchq_at(p, i - p->st->rob_count);
			check_promise(m, u, &kept[u - p->pool]);
			seen[uop_why(p, u).id]++;
			if (before)
				check_line(&s, u);
		}
		if (machine_cycle(m) % 16 == 0)
			check_units(p);
		if (before)
			assert_true(machine_hash(m) == before);
	}
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	assert_int_equal(machine_exit_status(m), 0);
	machine_free(m);
	program_free(program);
}

TEST(test_promises_hold)
{
	static const char *const plain[] = {NULL};
	static const char *const narrow[] = {
		"pipe.rob_size=24",   "lsq.size=6",  "pipe.issue_queue=8",
		"l1d.mshrs=1",        "fu.int=1",    "fu.mem=2",
		"l1d.ports=1",        "l2.ports=1",  "l2.mshrs=1",
		"l1d.write_buffer=1", "l1d.size=1K", "l2.size=4K",
		"dtlb.sets=1",        "dtlb.ways=1", NULL};
	static const char *const ordered[] = {"pipe.in_order=1", "pipe.issue_width=1",
	                                      "pipe.memory_stage=1", "pipe.commit_delay=0",
	                                      "bpred.resolve=id", NULL};
	static const char *const written[] = {"pipe.in_order=1", "pipe.memory_stage=1",
	                                      "pipe.forwarding=0", NULL};
	static const char *const textbook[] = {"pipe.in_order=1",
	                                       "pipe.completion=out-of-order",
	                                       "pipe.issue_width=2",
	                                       "pipe.issue_queue=2",
	                                       "pipe.fp_writes=1",
	                                       "pipe.int_writes=1",
	                                       "pipe.memory_stage=1",
	                                       "pipe.commit_delay=0",
	                                       "l1d.size=1K",
	                                       NULL};
	static const char *const daring[] = {"lsq.speculate=1",   "lsq.predictor=store-sets",
	                                     "lsq.store_sets=4",  "lsq.predictor_size=16",
	                                     "pipe.rob_size=256", "l1d.size=1K",
	                                     "l1i.latency=2",     NULL};
	static const char *const replayed[] = {"lsq.speculate=1",       "lsq.replay_size=1",
	                                       "lsq.replay_synonym=64", "l1d.size=1K",
	                                       "tlb.penalty=0",         NULL};
	const char *const *all[] = {plain, narrow, ordered, written, textbook, daring, replayed};
	uint64_t seen[WHY_COUNT] = {0};
	if (!cross_available())
		skip();
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		run_with(all[i], seen);
	/* The programs above have every cause that can hold an instruction in flight. */
	for (unsigned id = 0; id < WHY_COUNT; id++) {
		if (id == WHY_FAULT_BEFORE || id == WHY_FAULT || id == WHY_FAULTED ||
		    id == WHY_COMMITTED || id == WHY_INTERPRETED || id == WHY_DROPPED ||
		    id == WHY_CONTROL || id >= WHY_SQUASHED || seen[id])
			continue;
		print_error("never seen: %s\n", why_words(id));
		fail();
	}
}

/* A faulting load that completes long before an older division. */
static const char faulting[] =
	".globl _start\n_start: li a5,16\n li t0,7\n div t0,t0,t0\n lw a3,0(a5)\n nop\n";

/* All views show the instruction's own destination register. */
static void check_views(const struct session *s)
{
	const struct view_args args = {0};
	struct grid g;
	struct err err;
	for (unsigned v = 0; v < view_count; v++) {
		if (!view_fill(views[v], s, &args, &g, &err))
			continue;
		for (unsigned r = 0; r < g.row_count; r++)
			for (unsigned c = 0; c < g.column_count; c++)
				if (strstr(g.rows[r].cells[c].text, "0(a5)"))
					assert_non_null(
						strstr(g.rows[r].cells[c].text, "lw a3,0(a5)"));
		grid_deinit(&g);
	}
}

TEST(test_a_fault_keeps_its_operands_and_is_foretold)
{
	struct cross c;
	struct err err;
	char line[256];
	bool waits = false, comes = false;
	if (!cross_available())
		skip();
	assert_true(cross_build(&c, "S", faulting, "-nostdlib -static"));
	const struct launch l = {.path = c.program};
	struct program *program = launch_program(&l, &err);
	cross_remove(&c);
	assert_non_null(program);
	struct session s = {.program = program,
	                    .machine = why_start_machine(
				    program, (const char *const[]){"pipe.commit_width=1", NULL})};
	const struct pipe *p = machine_pipe(s.machine);
	while (machine_status(s.machine) == MACHINE_RUNNING) {
		machine_step(s.machine);
		check_views(&s);
		for (uint32_t i = 0; i < p->st->rob_count; i++) {
			const struct uop *u = pipe_rob_at(p, i);
			why_line(&s, u, line, sizeof line);
			if (u->inst.op != OP_LW)
				assert_null(strstr(line, "faults"));
			else if (u->state != UOP_DONE) /* nothing is known yet */
				assert_null(strstr(line, "fault"));
			else if (i) {
				waits = true;
				assert_non_null(strstr(
					line, "lw a3,0(a5) is complete and waits for its turn"));
				assert_non_null(strstr(
					line,
					"faults if it commits: load from a bad address, 0x10"));
			} else if (machine_status(s.machine) == MACHINE_RUNNING) {
				comes = true;
				assert_non_null(
					strstr(line, "lw a3,0(a5) is complete and faults when it "
				                     "commits: load from a bad address, 0x10"));
			} else {
				assert_non_null(strstr(
					line,
					"lw a3,0(a5) faulted: load from a bad address, 0x10"));
			}
		}
	}
	assert_int_equal(machine_status(s.machine), MACHINE_FAULTED);
	assert_true(waits && comes);
	machine_free(s.machine);
	program_free(program);
}
