/* `view firmware`: M-mode's registers, timers and interrupts. */
#include <stdio.h>
#include <string.h>

#include "core/isa/csr.h"
#include "core/prof/common/firmware.h"
#include "core/prof/common/prof.h"
#include "hwviews/program/csrs.h"
#include "hwviews/session/view_text.h"

struct row {
	const char *name, *means, *is;
	enum role value_role, means_role;
	bool hex;
	uint64_t value;
};

FILL(fill_value, struct row, r->hex ? grid_hex(g, r->value_role, r->value)
	: grid_uint(g, r->value_role, r->value))
FILL(fill_means, struct row, grid_text(g, r->means_role, "%s", r->means))

static const struct grid_column columns[] = {
	{"register", "register", "", fill_text, .of = offsetof(struct row, name),
	 .help = "its name, as assembly has it"},
	{"value", "value", "", fill_value, AT_RIGHT, .help = "what it holds"},
	{"means", "means", "", fill_means, FLEXIBLE,
	 .help = "that in words: a place, a cause, its duration"},
	{"is", "is", "", fill_text_dim, .of = offsetof(struct row, is),
	 .help = "what the register is for"},
};

/* Whether it is constant on every machine, or a copy of a counter. */
static bool view_firmware_leaves_out(const struct csr_info *info)
{
	switch (info->first) {
	case CSR_MISA:
	case CSR_MCOUNTEREN:
	case CSR_PMPCFG0:
	case CSR_PMPADDR0:
	case CSR_MCYCLE:
	case CSR_MINSTRET: return true;
	default: return info->read_only;
	}
}

static void csr_rows(struct grid *g, const struct session *s)
{
	for (unsigned i = 0; i < csr_info_count; i++) {
		const struct csr_info *info = &csr_info[i];
		uint64_t value;
		if (!info->machine || view_firmware_leaves_out(info) ||
		    !csrs_read(s, info->first, &value))
			continue;
		grid_row(g, info->first, ROLE_PLAIN);
		grid_cells(g,
		           &(struct row){.name = info->name, .value = value,
		                         .value_role = ROLE_NUMBER, .hex = true,
		                         .means = csrs_meaning(s, info->first, value, BUFFER(160)),
		                         .means_role = ROLE_ADDRESS, .is = info->help});
	}
}

/* Distance of a counter from its compare value. */
static void timer_row(struct grid *g, uint64_t offset, const char *name, uint64_t value,
                      uint64_t counter, const char *unit, const char *help)
{
	const bool never = value == UINT64_MAX, waits = !never && value > counter,
		   pending = !waits && !never && (value < counter || strstr(name, "cmp"));
	char in[64];
	snprintf(in, sizeof in, "in %s %s", GROUPED(value - counter), unit);
	grid_row(g, DEVICE_BASE + offset, ROLE_PLAIN);
	grid_cells(g, &(struct row){.name = name, .value = value,
	                            .value_role = never ? ROLE_DIM : ROLE_NUMBER, .hex = never,
	                            .means = never     ? "never"
	                                     : waits ? in : pending ? "pending" : "",
	                            .means_role = never     ? ROLE_DIM
	                                          : waits   ? ROLE_WAITING
	                                          : pending ? ROLE_READY : ROLE_PLAIN,
	                            .is = help});
}

static void timer_rows(struct grid *g, const struct prof *d)
{
	uint64_t now = prof_now(d), insts = prof_insts(d);
	const struct firmware_state *st = d->firmware->st;
	timer_row(g, FW_MTIME, "mtime", now, now, "cycles", "cycles");
	timer_row(g, FW_MTIMECMP, "mtimecmp", st->mtimecmp, now, "cycles",
	          "when the timer interrupts");
	timer_row(g, FW_MINST, "minst", insts, insts, "instructions",
	          "instructions of the program");
	timer_row(g, FW_MINSTCMP, "minstcmp", st->minstcmp, insts, "instructions",
	          "the number after which it interrupts");
}

static void view_firmware_format_summary(struct grid *g, const struct session *s)
{
	const struct stats *st = machine_stats(s->machine);
	const struct hart h = csrs_committed(s);
	grid_summary(g, "%s; %s interrupt%s, %s instructions, %.2f%% of all cycles",
	             h.mode == MODE_M ? "M-mode: firmware runs" : "U-mode: the program runs",
	             GROUPED(STAT(st, firmware_interrupts)),
	             STAT(st, firmware_interrupts) == 1 ? "" : "s",
	             GROUPED(STAT(st, firmware_insts)),
	             STAT(st, cycles)
	                     ? 100 * (double)STAT(st, firmware_cycles) / (double)STAT(st, cycles)
	                     : 0.0);
}

static bool view_firmware_build_grid(const struct session *s, const struct view_args *args,
                                     struct grid *out, struct err *err)
{
	if (!arg_count(args, 0, "firmware", err))
		return false;
	grid_init(out, "Firmware", GRID_TABLE(columns));
	grid_empty(out, "no firmware runs: start with --firmware FILE.elf");
	if (!CONFIG(machine_config(s->machine), firmware))
		return true;
	view_firmware_format_summary(out, s);
	csr_rows(out, s);
	timer_rows(out, machine_pipe(s->machine)->prof);
	return true;
}

const struct view view_firmware = {
	.name = "firmware",
	.title = "Firmware",
	.args = "",
	.build = view_firmware_build_grid,
	.help.about =
		"Firmware is a program of its own in M-mode, beside the program under\n"
		"inspection: start with --firmware FILE.elf (demos/firmware has some). It is\n"
		"entered once before the program, then by interrupts, precisely between two of\n"
		"the program's instructions, and leaves with mret. The program can't see it;\n"
		"its cost is cycles (`view cpi`, row firmware) and places in the caches.",
	.help.tables = {{GRID_TABLE(columns), .indent = 21}},
	.help.hints =
		"  mstatus, mie, mip  enabled interrupts, and pending ones\n"
		"  mtvec              entry of firmware\n"
		"  mepc, mcause       resume address of the program, and the cause\n"
		"  mtime, mtimecmp    a clock in cycles, and when it interrupts\n"
		"  minst, minstcmp    the same in instructions of the program\n"
		"\n"
		"The last four are registers of the device at 0x7f00000000, which firmware\n"
		"reads and writes as memory. `catch interrupt` and `catch mret` stop there;\n"
		"`break firmware_interrupt`, `list` and `step` work in firmware as elsewhere.",
};
