/* `view stack`: words of the stack, and what they may be. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "hwviews/program/frames.h"
#include "hwviews/session/view_text.h"

enum { SLOT = 8, ROWS_DEFAULT = 24, ROWS_MAX = 65536 };

static const struct grid_column columns[] = {
	{"offset", "offset", "",
	 .help = "from the committed sp; below it is what earlier calls left behind"},
	{"value", "value", "", .help = "the eight bytes as a number"},
	{"meaning", "meaning", "", .flexible = true,
	 .help = "the place an address points to; \"returns to\" marks the saved return "
	         "address of a frame"},
	{"frame", "frame", "", .flexible = true,
	 .help = "where a call's frame begins: number and place as in `backtrace`"},
	{"address", "address", "", .help = "of the eight bytes"},
};

struct stack {
	const struct session *s;
	struct frame frames[FRAMES_MAX];
	size_t count;
};

/* The frame that holds an address: the innermost that ends above it, of inlined functions the one
 * that they are in. */
static size_t frame_at(const struct stack *k, uint64_t addr)
{
	size_t i = 0;
	while (i < k->count && (addr >= k->frames[i].cfa || k->frames[i].inlined))
		i++;
	return i;
}

static void cell_meaning(struct grid *g, const struct stack *k, uint64_t value, size_t frame)
{
	char buf[96];
	format_place(k->s, value, buf, sizeof buf);
	if (frame + 1 < k->count && value == k->frames[frame + 1].pc)
		grid_text(g, ROLE_HOT, "returns to %s", buf);
	else if (*buf)
		grid_text(g, ROLE_ADDRESS, "%s", buf);
	else if ((int64_t)value > -100000 && (int64_t)value < 100000000)
		grid_text(g, ROLE_DIM, "%" PRId64, (int64_t)value);
	else
		grid_blank(g);
}

static void slot_row(struct grid *g, const struct stack *k, uint64_t addr, uint64_t sp,
                     size_t *last)
{
	uint64_t value;
	char buf[96];
	if (!machine_peek(k->s->machine, addr, &value, sizeof value))
		return;
	size_t frame = frame_at(k, addr);
	grid_row(g, addr, addr == sp ? ROLE_CURRENT : addr < sp ? ROLE_STALE : ROLE_PLAIN);
	if (addr >= sp)
		grid_text(g, ROLE_DIM, addr == sp ? "sp" : "sp+%" PRIu64, addr - sp);
	else
		grid_text(g, ROLE_DIM, "sp-%" PRIu64, sp - addr);
	grid_hex(g, value ? ROLE_NUMBER : ROLE_DIM, value);
	cell_meaning(g, k, value, frame);
	if (frame < k->count && frame != *last && addr >= sp)
		grid_text(g, ROLE_HEAD, "#%zu %s", frame,
		          format_addr(k->s, k->frames[frame].pc, buf, sizeof buf));
	else
		grid_blank(g);
	*last = addr >= sp ? frame : *last;
	grid_hex(g, ROLE_DIM, addr);
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	uint64_t rows = args->rows ? args->rows : ROWS_DEFAULT,
		 sp = machine_seen_reg(s->machine, REG_SP);
	if (!arg_count(args, 1, "stack", err) ||
	    (args->argc && !arg_number(args->argv[0], "a number of rows", ROWS_MAX, &rows, err)))
		return false;
	struct stack k = {.s = s};
	k.count = frames_of(s, k.frames, FRAMES_MAX);
	grid_init(out, "Stack", columns, sizeof columns / sizeof *columns);
	grid_summary(out, "sp = 0x%" PRIx64 ", %zu frame%s", sp, k.count, k.count == 1 ? "" : "s");
	grid_empty(out, "sp points to memory that is not mapped");
	uint64_t first = (sp & ~(uint64_t)(SLOT - 1)) + (uint64_t)args->scroll * SLOT;
	size_t last = SIZE_MAX;
	for (uint64_t i = 0; i < rows; i++)
		slot_row(out, &k, first + i * SLOT, sp, &last);
	return true;
}

const struct view view_stack = {
	.name = "stack",
	.title = "Stack",
	.args = "[ROWS]",
	.help.about =
		"The stack of the committed program from sp upwards, eight bytes a row. It\n"
		"grows towards lower addresses: the innermost call is on top.\n"
		"\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 11}},
	.help.hints =
		"\n"
		"A \"returns to\" that changes without a call or return is a smashed stack.\n"
		"Stores of the window that have not committed are not in these values.",
	.build = build,
};
