/* `view regs`: integer registers. */
#include <inttypes.h>
#include <stdio.h>

#include "core/os/os.h"
#include "core/os/thread.h"
#include "hwviews/program/regfile.h"

/* Small values as numbers, addresses as places. */
static char *view_regs_format_meaning(const struct session *s, unsigned reg, uint64_t v, char *buf,
                                      size_t n)
{
	int64_t i = (int64_t)v;
	if (reg == REG_ZERO)
		snprintf(buf, n, "always zero");
	else if (i > -100000 && i < 65536)
		snprintf(buf, n, "%" PRId64, i);
	else if (!*format_place(s, v, buf, n))
		snprintf(buf, n, "%" PRId64, i);
	return buf;
}

static bool view_regs_build_grid(const struct session *s, const struct view_args *args,
                                 struct grid *out, struct err *err)
{
	if (!arg_count(args, 0, "regs", err))
		return false;
	regfile_build(out, "Registers", s, args, 0, view_regs_format_meaning);
	const struct os_thread *t = machine_parked(s->machine);
	char thread[48] = "next to commit";
	if (t)
		snprintf(thread, sizeof thread, "thread %u, goes on at", os_thread_number(t));
	grid_summary(out, "%s: %s", thread,
	             format_addr(s, machine_seen_pc(s->machine), BUFFER(96)));
	return true;
}

const struct view view_regs = {
	.name = "regs",
	.also = "registers",
	.title = "Registers",
	.args = "",
	.build = view_regs_build_grid,
	.help.about =
		"The committed integer registers: the program's, as in any debugger.\n"
		"Results of instructions that are complete but not committed are not here yet;\n"
		"the window is ahead of this state.",
	.help.tables = {{GRID_TABLE(regfile_columns), .indent = 19}},
	.help.hints =
		"By convention ra is the return address, sp the stack, a0-a7 arguments and\n"
		"results, s0-s11 kept across calls, t0-t6 not. Registers marked as changed were\n"
		"written by commits since the last stop.",
};
