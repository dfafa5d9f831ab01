/* The committed fcsr: a flag is set from the commit of its raising instruction on, not before. */
#include <stdint.h>

#include "core/defs/events.h"
#include "core/isa/csr.h"
#include "core/machine/change.h"
#include "core/machine/machine.h"
#include "core/pipe/pipe.h"
#include "loader/launch.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"

/* All execute long before the older division is complete. */
static const char text[] = ".globl _start, inexact, underflow, overflow, by_zero, invalid\n"
			   "_start:\n"
			   "	la a0, numbers\n"
			   "	fld ft0, 0(a0)\n	fld ft1, 8(a0)\n	fld ft2, "
                           "16(a0)\n	fld ft3, 24(a0)\n	fld ft4, 32(a0)\n"
			   "	div t0, a0, a0\n"
			   "inexact: fdiv.d ft5, ft1, ft4\n"
			   "underflow: fmul.d ft5, ft3, ft3\n"
			   "overflow: fmul.d ft5, ft2, ft2\n"
			   "by_zero: fdiv.d ft5, ft1, ft0\n"
			   "invalid: fdiv.d ft5, ft0, ft0\n"
			   "	li a7, 93\n	li a0, 0\n	ecall\n"
			   "	.balign 8\n"
			   "numbers: .double 0, 1, 1e300, 1e-300, 3\n";

static const struct raise {
	const char *by;
	uint64_t flags;
} raises[] = {
	{"inexact", 1}, {"underflow", 2 | 1}, {"overflow", 4 | 1}, {"by_zero", 8}, {"invalid", 16}};
enum { RAISES = sizeof raises / sizeof *raises };

struct committed {
	uint64_t pc[RAISES], flags;
	unsigned raised;
};

static void committed_on_commit(void *ctx, const struct machine *m, const struct event *ev)
{
	struct committed *c = ctx;
	(void)m;
	for (unsigned i = 0; i < RAISES; i++)
		if (ev->pc == c->pc[i]) {
			c->flags |= raises[i].flags;
			c->raised++;
		}
}

TEST(flags_come_at_commit)
{
	struct cross guest;
	struct committed c = {.flags = 0};
	struct config cfg;
	struct err err;
	uint64_t early = 0;
	bool set = false;
	static char *argv[] = {(char *)"guest", NULL};
	(void)state;
	config_default(&cfg);
	assert_true(cross_build(&guest, "S", text, "-nostdlib -static"));
	struct program *p = program_open(guest.program, &err);
	const struct launch l = {.path = guest.program, .argc = 1, .argv = argv, .stdin_fd = -1};
	struct machine *m = launch_machine(&l, p, &cfg, &err);
	assert_non_null(m);
	for (unsigned i = 0; i < RAISES; i++)
		c.pc[i] = program_symbol_by_name(p, raises[i].by)->addr;
	const struct event_filter filter = {.mask = EV_BIT(COMMIT)};
	assert_true(machine_listen(m, &filter, committed_on_commit, &c));
	while (machine_status(m) == MACHINE_RUNNING) {
		machine_step(m);
		const struct pipe *pipe = machine_pipe(m);
		assert_int_equal(pipe->st->cfcsr, c.flags);
		/* A change by hand commits at once. */
		if (!set && pipe->st->rob_count == 0) {
			const struct change round_up = {
				.kind = JOURNAL_CSR, .a = CSR_FCSR, .b = 3 << 5 | 2};
			assert_true(set = machine_change(m, &round_up, &err));
			c.flags = round_up.b;
			assert_int_equal(pipe->st->cfcsr, c.flags);
		}
		early += pipe->hart->fcsr != c.flags;
	}
	assert_int_equal(c.raised, RAISES);
	assert_int_equal(c.flags, 3 << 5 | 31);
	assert_true(early > 5);
	machine_free(m);
	program_free(p);
	cross_remove(&guest);
}
