/* `view stack`: words of the stack, and their likely meanings. */
#include <inttypes.h>
#include <stdlib.h>

#include "hwviews/program/frames.h"
#include "hwviews/session/view_text.h"

enum { SLOT = 8, ROWS_DEFAULT = 24, ROWS_MAX = 65536 };

struct stack {
	const struct session *s;
	struct frame *frames; /* owned; [count] */
	size_t count;
};

/* Index of the frame that contains an address: the innermost whose end is above it. Inlined
 * functions have no frame: their caller's counts. from: one at or before it. */
static size_t frame_at(const struct stack *k, uint64_t addr, size_t from)
{
	size_t i = from;
	while (i < k->count && (addr >= k->frames[i].cfa || k->frames[i].inlined))
		i++;
	return i;
}

struct row {
	const struct stack *k;
	uint64_t addr, sp, value;
	size_t frame; /* frame of the slot */
	bool begins;  /* the row is the first of its frame */
};

FILL(fill_offset, struct row, r->addr >= r->sp
	? grid_text(g, ROLE_DIM, r->addr == r->sp ? "sp" : "sp+%" PRIu64, r->addr - r->sp)
	: grid_text(g, ROLE_DIM, "sp-%" PRIu64, r->sp - r->addr))
FILL(fill_value, struct row, grid_hex(g, r->value ? ROLE_NUMBER : ROLE_DIM, r->value))

static void view_stack_fill_meaning(struct grid *g, const void *row)
{
	const struct row *r = row;
	const int64_t number = (int64_t)r->value;
	char buf[96];
	format_place(r->k->s, r->value, buf, sizeof buf);
	if (r->frame + 1 < r->k->count && r->value == r->k->frames[r->frame + 1].pc)
		grid_text(g, ROLE_HOT, "returns to %s", buf);
	else if (*buf)
		grid_text(g, ROLE_ADDRESS, "%s", buf);
	else if (number > -100000 && number < 100000000)
		grid_text(g, ROLE_DIM, "%" PRId64, number);
	else
		grid_blank(g);
}

static void fill_frame(struct grid *g, const void *row)
{
	const struct row *r = row;
	char buf[96];
	if (r->begins)
		grid_text(g, ROLE_HEAD, "#%zu %s", r->frame,
		          format_addr(r->k->s, r->k->frames[r->frame].pc, buf, sizeof buf));
	else
		grid_blank(g);
}

FILL(fill_address, struct row, grid_hex(g, ROLE_DIM, r->addr))

static const struct grid_column columns[] = {
	{"offset", "offset", "", fill_offset,
	 .help = "from the committed sp; below it are remains of earlier calls"},
	{"value", "value", "", fill_value, .help = "the eight bytes as a number"},
	{"meaning", "meaning", "", view_stack_fill_meaning, FLEXIBLE,
         .help = "the place an address points to; \"returns to\" marks the saved return address "
                 "of a frame"},
	{"frame", "frame", "", fill_frame, FLEXIBLE,
	 .help = "begin of a call's frame: number and place as in `backtrace`"},
	{"address", "address", "", fill_address, .help = "of the eight bytes"},
};

/* last: frame of the row above. */
static void view_stack_append_slot_row(struct grid *g, const struct stack *k, uint64_t addr,
                                       uint64_t sp, size_t *last)
{
	struct row r = {.k = k, .addr = addr, .sp = sp, .frame = 0};
	r.frame = frame_at(k, addr, addr >= sp && *last < k->count ? *last : 0);
	if (!machine_peek(k->s->machine, addr, &r.value, sizeof r.value))
		return;
	r.begins = r.frame < k->count && r.frame != *last && addr >= sp;
	grid_row(g, addr, addr == sp ? ROLE_CURRENT : addr < sp ? ROLE_STALE : ROLE_PLAIN);
	grid_cells(g, &r);
	*last = addr >= sp ? r.frame : *last;
}

/* Finds the frames up to an address. False: out of memory. */
static bool view_stack_find_frames(struct stack *k, uint64_t end)
{
	for (size_t wanted = FRAMES_MAX;; wanted *= 4) {
		k->frames = frames_list(k->s, wanted, &k->count);
		if (!k->frames || k->count < wanted || k->count >= FRAMES_ALL ||
		    k->frames[k->count - 1].cfa >= end)
			return k->frames;
		free(k->frames);
	}
}

static bool view_stack_build_grid(const struct session *s, const struct view_args *args,
                                  struct grid *out, struct err *err)
{
	uint64_t rows = args->rows ? args->rows : ROWS_DEFAULT,
		 sp = machine_seen_reg(s->machine, REG_SP);
	if (!arg_count(args, 1, "stack", err) ||
	    (args->argc && !arg_number(args->argv[0], "a number of rows", ROWS_MAX, &rows, err)))
		return false;
	struct stack k = {.s = s};
	const uint64_t first = (sp & ~(uint64_t)(SLOT - 1)) + (uint64_t)args->scroll * SLOT;
	if (!view_stack_find_frames(&k, first + rows * SLOT))
		return err_set(err, "out of memory");
	grid_init(out, "Stack", GRID_TABLE(columns));
	grid_summary(out, "sp = 0x%" PRIx64 ", %zu frame%s%s", sp, k.count, k.count == 1 ? "" : "s",
	             k.count >= FRAMES_MAX ? " or more" : "");
	grid_empty(out, "sp points to memory that is not mapped");
	size_t last = SIZE_MAX;
	for (uint64_t i = 0; i < rows; i++)
		view_stack_append_slot_row(out, &k, first + i * SLOT, sp, &last);
	free(k.frames);
	return true;
}

const struct view view_stack = {
	.name = "stack",
	.title = "Stack",
	.args = "[ROWS]",
	.build = view_stack_build_grid,
	.help.about = "The stack of the committed program from sp upwards, eight bytes a row. It\n"
		      "grows towards lower addresses: the innermost call is on top.",
	.help.tables = {{GRID_TABLE(columns), .indent = 11}},
	.help.hints = "A \"returns to\" that changes without a call or return is a smashed stack.\n"
		      "Stores of the window that have not committed are not in these values.",
};
