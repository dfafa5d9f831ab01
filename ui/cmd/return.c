/* return: leaves a function at once, by setting the registers back to its caller's. */
#include "core/base/alloc.h"
#include "core/isa/regs.h"
#include "core/machine/params.h"
#include "core/os/thread.h"
#include "core/pipe/pipe.h"
#include "hwviews/program/frames.h"
#include "loader/dwarf/inlined.h"
#include "scripting/c/c.h"
#include "scripting/expr/expr.h"
#include "ui/console/answer_data.h"
#include "ui/console/here.h"
#include "ui/console/location.h"
#include "ui/console/motion.h"

/* The level of the call around that of the selected frame. 0 with c->err. */
static unsigned cmd_return_caller(struct console *c, struct frame *left)
{
	struct frame f;
	struct inlined in;
	const unsigned level = location_level(c);
	if (!frames_level(c->session, level, left))
		return console_fail(c, "no frame is selected; `frame 0` selects the innermost"), 0;
	inlined_of(c->session->program, left, &in);
	if (in.count)
		return console_fail(c, "an inlined function can't return early: its code is a part "
		                       "of the function around; `finish` runs to its end"), 0;
	for (unsigned i = level + 1; frames_level(c->session, i, &f); i++)
		if (f.call != left->call)
			return i;
	return console_fail(c, "no call led here: nothing to return to"), 0;
}

static bool cmd_return_may(struct console *c)
{
	const struct machine *m = c->session->machine;
	const struct os_thread *seen = machine_seen_thread(m);
	if (machine_has_ended(m) && !here_spot(c)->back)
		console_fail(c, "the program has ended; `reverse-step` leads back");
	else if (machine_pipe(m)->hart->mode == MODE_M)
		console_fail(c, "firmware runs here, which has no caller");
	else if (seen->tid != spot_tid(here_spot(c)))
		console_fail(c, "thread %u does not run here; `continue` until it does",
		             os_thread_number(seen));
	else
		return true;
	return false;
}

/* Sets the registers in *to: those that differ. False with c->err. */
static bool cmd_return_set(struct console *c, const struct c_invocation *to, uint64_t pc)
{
	for (unsigned i = 1; i < 64; i++) {
		const struct change set = {.kind = JOURNAL_REG, .a = i, .b = to->reg[i]};
		if (to->reg[i] != machine_seen_reg(c->session->machine, i) &&
		    !here_change(c, &set, &c->err))
			return false;
	}
	return here_change(c, &(struct change){.kind = JOURNAL_PC, .a = pc}, &c->err);
}

static enum command_result cmd_return_exec(struct console *c, const char *args)
{
	const struct symbol *sym;
	struct run_history h;
	struct frame left;
	char name[160];
	const unsigned level = location_level(c);
	const unsigned caller = cmd_return_may(c) ? cmd_return_caller(c, &left) : 0;
	struct c_invocation *to = caller ? alloc_zeroed(1, sizeof *to) : NULL;
	if (!to)
		return caller ? console_fail(c, "out of memory") : CMD_ERROR;
	sym = program_symbol_at(c->session->program, frame_look(&left));
	bool ok = !*args || expr_given_back(c->exprs, frame_look(&left), args, to, &c->err);
	const uint64_t given = to->set;
	motion_select(c, caller);
	const uint64_t pc = frames_register(c->session, FRAMES_PC);
	for (unsigned i = 1; i < 64; i++)
		if (!(given >> i & 1))
			to->reg[i] = frames_register(c->session, i);
	motion_select(c, ok ? 0 : level);
	run_history(c->session->run, &h);
	ok = ok && cmd_return_set(c, to, pc);
	free(to);
	if (!ok)
		return CMD_ERROR;
	if (h.newest_cycle > machine_cycle(c->session->machine) && !c->screen)
		console_print(c, "Later cycles of the recording are dropped\n");
	program_addr_text(c->session->program, sym ? sym->addr : left.pc, name, sizeof name);
	console_print(c, "Left %s%s\n", name, *args ? ", with this value" : "");
	motion_status(c);
	motion_source(c);
	return CMD_OK;
}

const struct command cmd_return = {
	.name = "return",
	.aliases = "",
	.group = "data",
	.usage = "return [VALUE]",
	.summary = "leave the selected frame's function now, without executing the rest of it",
	.help = "Sets the registers back to what the caller has at the return address, and the\n"
		"result registers to VALUE, by the function's type. Memory stays. It is a\n"
		"change by hand, as `set`: `reverse-stepi` leads back to before it. An\n"
		"inlined function can't be left so; the function around it can (`up`).\n"
		"    return        return 5        return node->next",
	.exec = cmd_return_exec,
};
