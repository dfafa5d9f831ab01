/* `view machine`: the machine as a picture, a row for each box. */
#include <inttypes.h>

#include "hwviews/machine/machine_box.h"
#include "hwviews/machine/machine_picture.h"

enum { COLUMN_HOLDS = 1, COLUMN_STALLED = 3, COLUMN_OLDEST = 4 };

struct row {
	const struct session *s;
	const struct machine_box *b;
};

FILL(fill_box, struct row, grid_text(g, ROLE_PLAIN, "%s", r->b->name))
FILL(fill_occupancy, struct row, grid_uint_if(g, r->b->counted, ROLE_NUMBER, r->b->held))
FILL(fill_size, struct row, grid_uint_if(g, r->b->size, ROLE_DIM, r->b->size))
FILL(fill_stalled_by, struct row, grid_text(g, r->b->waits ? ROLE_WAITING : ROLE_DIM, "%s",
	r->b->stalled))
FILL(fill_oldest, struct row, r->b->oldest ? cell_seq(g, machine_pipe(r->s->machine), r->b->oldest)
	: grid_blank(g))
FILL(fill_lost, struct row, grid_uint_if(g, r->b->lost, ROLE_MISS, r->b->lost))
FILL(fill_busy, struct row, grid_uint_if(g, r->b->counted || r->b->kind == BOX_DEVICE, ROLE_NUMBER,
	r->b->busy))
FILL(fill_instruction, struct row, r->b->oldest ? cell_inst(g, r->s, r->b->oldest) : grid_blank(g))
FILL(fill_latency, struct row, grid_uint_if(g, r->b->latency >= 0, ROLE_DIM,
	(uint64_t)r->b->latency))
FILL(fill_about, struct row, grid_text(g, ROLE_DIM, "%s", r->b->about))
FILL(fill_view, struct row, grid_text(g, ROLE_DIM, "%s", r->b->view))

static void view_machine_fill_bar(struct grid *g, const void *row)
{
	const struct machine_box *b = ((const struct row *)row)->b;
	if (b->counted && b->size)
		cell_bar(g, (double)b->held / (double)b->size,
		         b->kind == BOX_QUEUE && b->held == b->size ? ROLE_MISS : ROLE_HIT);
	else
		grid_blank(g);
}

static const struct grid_column columns[] = {
	{"box", "box", "", fill_box, .help = "its name"},
	{"occupancy", "holds", "", fill_occupancy, AT_RIGHT,
	 .help = "used entries and capacity; of fetch and decode: instructions in the last cycle, "
		 "and their width"},
	{"size", "of", "", fill_size, AT_RIGHT, .help = AS_BEFORE},
	{"stalled_by", "held up by", "", fill_stalled_by, FLEXIBLE,
	 .help = "wait of its oldest instruction, or its own"},
	{"oldest", "oldest", "", fill_oldest, .help = "number of the oldest in it"},
	{"lost", "lost", "slots", fill_lost, AT_RIGHT,
	 .help = "dispatch slots of the last cycle lost to it"},
	{"busy", "at work", "", fill_busy, AT_RIGHT,
         .help = "of that: instructions that execute (reorder buffer), are ready (issue queue), "
                 "could be decoded (fetch queue), are in the caches (load/store queue); units that "
                 "can't take another; lines, misses and translations on their way; tuples and "
                 "records that come"},
	{"instruction", "instruction", "", fill_instruction, FLEXIBLE,
         .help = "the oldest in it, as assembly"},
	{"latency", "takes", "cycles", fill_latency, AT_RIGHT,
         .help = "its latency; of TLBs: a walk; of the bus: a line of L2"},
	{"about", "is", "", fill_about, FLEXIBLE, .help = "size and kind"},
	{"view", "view", "", fill_view, .help = "its view, which Enter opens"},
	{"bar", "", "", view_machine_fill_bar, .restless = true, .help = "how full it is"},
};

static void box_row(struct grid *g, const struct session *s, const struct machine_box *b,
                    unsigned id)
{
	grid_row(g, 1 + id, b->lost ? ROLE_MISS : ROLE_PLAIN)->opens = b->view;
	grid_cells(g, &(struct row){s, b});
}

static void view_machine_format_summary(struct grid *g, const struct machine_boxes *m)
{
	if (m->lost)
		grid_summary(g, "%" PRIu64 " of %" PRIu64 " slots lost: %s", m->lost, m->slots,
		             m->box[m->blamed].name);
	else if (m->slots)
		grid_summary(g, "no slot lost of %" PRIu64, m->slots);
	else
		grid_summary(g, "before the first cycle");
}

static bool view_machine_build_grid(const struct session *s, const struct view_args *args,
                                    struct grid *out, struct err *err)
{
	struct machine_boxes boxes;
	struct machine_picture picture = {
		.s = s, .boxes = &boxes, .column = {COLUMN_HOLDS, COLUMN_STALLED, COLUMN_OLDEST}};
	if (!arg_count(args, 0, "machine", err))
		return false;
	machine_boxes_read(s, &boxes);
	grid_init(out, "Machine", GRID_TABLE(columns));
	grid_empty(out, "this machine has no parts");
	view_machine_format_summary(out, &boxes);
	for (unsigned id = 0; id < BOX_COUNT; id++) {
		picture.row[id] = boxes.box[id].there ? (int)out->row_count : -1;
		if (boxes.box[id].there)
			box_row(out, s, &boxes.box[id], id);
	}
	machine_picture_draw(&picture, out, args->columns, args->rows);
	return true;
}

const struct view view_machine = {
	.name = "machine",
	.also = "diagram",
	.title = "Machine",
	.args = "",
	.build = view_machine_build_grid,
	.help.about =
		"The configured machine as a picture, from fetch on the left to memory on the\n"
		"right, with the active profiling devices below: how full each part is,\n"
		"its contents, and the causes of waits, after the last cycle. Step, and\n"
		"watch instructions flow. Enter on a box opens its view; < and > select beside.\n"
		"\n"
		"  23/64 ███▌···  used entries of all; caches: valid lines\n"
		"  #812       the oldest instruction in it; queues list theirs, oldest first,\n"
		"             with each one's wait where there is room\n"
		"  4▶         instructions that passed here in the last cycle; ─▶ none\n"
		"  ◀4         dispatch slots of that cycle that this box lost: the\n"
		"             row of `view slots` that was charged, as a place\n"
		"  ○ ◐ ●      a unit: idle; executes, and can take another; can't take one\n"
		"  below      wait of its oldest instruction, or of the box itself\n"
		"\n"
		"Lines have the colour of waits or lost slots. A window that is too\n"
		"small for the picture has a table, and so have JSON and Lua:",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"A textbook's pipeline, such as the preset classic5, is drawn as IF, ID, EX,\n"
		"MEM and WB, with each one's instruction in the last cycle. Over it run the\n"
		"forwarding paths, to EX from MEM and WB, and from WB to MEM for a store's\n"
		"data: lit, with register and producer, where an operand came that way in\n"
		"that cycle. Its row of the table counts them.",
};
