/* Lays the machine's boxes out, and fills them.
 *
 * A box's position depends only on the configuration and the room, so that nothing jumps while the
 * machine is stepped. */
#include "hwviews/machine/machine_picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hwviews/grid/picture.h"
#include "hwviews/grid/utf8.h"

enum {
	COLUMNS = 4, STACK_MAX = 8, GAP_NARROW = 2, GAP_WIDE = 4, BOX_NARROWEST = 14, WIDE = 110,
	TALL = 24, SHORT = 18, ROOMY = 30
};
enum { POOL_NAME = 7, STAGES = 5, PATH_LINES = 3 };

enum { BOX_LINK = 3 /* cells from the right edge to the joint of boxes in a column */ };

struct drawing {
	const struct machine_picture *m;
	const struct pipe *p;
	struct picture *pic;
	unsigned width, gap; /* of a box, and between columns */
	unsigned across;     /* columns */
	bool joined;         /* boxes of a column share lines */
};

/* ---- a box ---- */

enum { BAR_LEAST = 3 };

/* A box's state, and its row and column in the grid. */
static const struct machine_box *drawing_box(const struct drawing *d, enum machine_box_id id)
{
	return &d->m->boxes->box[id];
}

/* A box's state, and its row and column in the grid. */
static struct picture_of drawing_about(const struct drawing *d, enum machine_box_id id,
                                       unsigned column)
{
	return (struct picture_of){d->m->row[id], column};
}

static enum role box_border_role(const struct machine_box *b)
{
	return b->lost                                        ? ROLE_MISS
	       : b->waits                                     ? ROLE_WAITING
	       : b->busy || (b->kind != BOX_STORE && b->held) ? ROLE_RUNNING : ROLE_DIM;
}

static enum role bar_role(const struct machine_box *b)
{
	if (b->kind == BOX_STORE)
		return ROLE_DONE;
	return b->kind == BOX_QUEUE && b->held >= b->size           ? ROLE_MISS
	       : b->kind == BOX_QUEUE && 8 * b->held >= 7 * b->size ? ROLE_HOT : ROLE_RUNNING;
}

/* Draws the fill as a bar of half characters; at least one if the box is not empty. */
static void draw_bar(const struct drawing *d, enum machine_box_id id, unsigned y, unsigned x,
		     unsigned cells)
{
	const struct machine_box *b = drawing_box(d, id);
	const uint64_t halves =
		b->size ? (2 * cells * (b->held < b->size ? b->held : b->size) + b->size - 1) /
				  b->size : 0;
	for (unsigned i = 0; i < cells; i++)
		picture_text(d->pic, y, x + i, 1, 2 * i < halves ? bar_role(b) : ROLE_DIM,
		             drawing_about(d, id, PICTURE_NO_COLUMN),
		             2 * i + 1 < halves ? "█" : 2 * i < halves ? "▌" : "·");
}

static unsigned draw_unit_marks(const struct drawing *d, enum machine_box_id id, unsigned y,
                                unsigned x, unsigned cells)
{
	const struct machine_box *b = drawing_box(d, id);
	unsigned i = 0;
	for (; i < b->size && i < cells; i++) {
		const char *mark = machine_unit_mark(d->p, id, i);
		const bool taken = !strcmp(mark, "●"), idle = !strcmp(mark, "○");
		picture_text(d->pic, y, x + i, 1, idle ? ROLE_DIM : taken ? ROLE_HOT : ROLE_RUNNING,
		             drawing_about(d, id, PICTURE_NO_COLUMN), mark);
	}
	return i;
}

static enum role inst_role(const struct drawing *d, const struct uop *u)
{
	return uop_on_wrong_path(d->p, u)        ? ROLE_WRONG_PATH
	       : u->seq == d->m->s->selected_seq ? ROLE_SELECTED : uop_state_role(u);
}

/* Draws "#1234 ld a5,8(s0)", cut to the room, and the reason that it waits if that fits, too. */
static void draw_box_inst(const struct drawing *d, enum machine_box_id id, const struct uop *u,
                          unsigned y, unsigned x, unsigned cells)
{
	char text[192];
	snprintf(text, sizeof text, "%s %s", format_seq(d->p, u, BUFFER(32)),
	         format_uop(d->m->s, u, BUFFER(128)));
	const unsigned used = picture_text(d->pic, y, x, cells, inst_role(d, u),
	                                   drawing_about(d, id, PICTURE_NO_COLUMN), text);
	if (!uop_in_flight(u))
		return;
	const struct why w = uop_why(d->p, u);
	const unsigned need = utf8_width(why_cell(d->p, u, &w, text, sizeof text));
	if (used + 2 + need <= cells)
		picture_text(d->pic, y, x + cells - need, need, ROLE_DIM,
		             drawing_about(d, id, PICTURE_NO_COLUMN), text);
}

/* Draws the first line of a box: fill as a number and a bar, then the instruction if there is room.
 */
static void draw_fill(const struct drawing *d, enum machine_box_id id, unsigned y, unsigned x,
		      unsigned cells, bool with_inst)
{
	const struct machine_box *b = drawing_box(d, id);
	char text[64] = "", seq[32] = "";
	unsigned used, tail;
	if (!b->counted)
		snprintf(text, sizeof text, "%s", b->about);
	else if (b->size)
		snprintf(text, sizeof text, "%s/%s", GROUPED(b->held), GROUPED(b->size));
	else
		snprintf(text, sizeof text, "%s", GROUPED(b->held));
	used = picture_text(d->pic, y, x, cells, b->counted ? ROLE_NUMBER : ROLE_PLAIN,
	                    drawing_about(d, id, d->m->column[MACHINE_HOLDS]), text);
	if (with_inst && b->oldest)
		format_seq(d->p, b->oldest, seq, sizeof seq);
	tail = utf8_width(seq);
	if (tail && used + 1 + tail <= cells)
		picture_text(d->pic, y, x + cells - tail, tail, inst_role(d, b->oldest),
		             drawing_about(d, id, d->m->column[MACHINE_OLDEST]), seq);
	else
		tail = 0;
	const unsigned taken = used + 1 + (tail ? tail + 1 : 0);
	if (b->counted && b->size > 1 && taken + BAR_LEAST <= cells)
		draw_bar(d, id, y, x + used + 1, cells - taken);
}

/* The second line: its contents, or its description. */
static void draw_detail(const struct drawing *d, enum machine_box_id id, unsigned y, unsigned x,
			unsigned cells)
{
	const struct machine_box *b = drawing_box(d, id);
	char text[96];
	if (b->oldest) {
		draw_box_inst(d, id, b->oldest, y, x, cells);
		return;
	}
	if (b->latency >= 0)
		snprintf(text, sizeof text, "%s%s%" PRId64 " cycle%s", b->counted ? b->about : "",
		         b->counted && *b->about ? ", " : "", b->latency,
		         b->latency == 1 ? "" : "s");
	else
		snprintf(text, sizeof text, "%s", b->counted ? b->about : "");
	picture_text(d->pic, y, x, cells, ROLE_DIM, drawing_about(d, id, PICTURE_NO_COLUMN), text);
}

/* Draws "#1234 ld a5,8(s0)", cut to the room, and the reason that it waits if that fits, too. */
static void draw_box_title(const struct drawing *d, enum machine_box_id id, unsigned y, unsigned x)
{
	const unsigned w = d->width;
	const struct machine_box *b = drawing_box(d, id);
	char text[64];
	/* Long names have no blanks around them. */
	const bool tight = strlen(b->name) + (b->lost ? 5 : 2) > w - 2;
	const char *blank = tight ? "" : " ";
	if (b->lost)
		snprintf(text, sizeof text, "%s%s%s◀%" PRIu64 "%s", blank, b->name, blank, b->lost,
		         blank);
	else
		snprintf(text, sizeof text, "%s%s%s", blank, b->name, blank);
	picture_text(d->pic, y, x + 1, w - 2, b->lost ? ROLE_MISS : ROLE_HEAD,
	             drawing_about(d, id, PICTURE_NO_COLUMN), text);
}

/* The reason why a box waits, in `room` cells. */
static void draw_box_reason(const struct machine_box *b, unsigned room, char *out, size_t n)
{
	char text[sizeof b->stalled];
	snprintf(out, n, " %s ", machine_brief_reason(b->stalled, room - 2, text, sizeof text));
}

/* linked: the next box below joins this one. */
static void draw_machine_box(const struct drawing *d, enum machine_box_id id, unsigned y,
                             unsigned x, unsigned h, bool linked)
{
	const unsigned w = d->width;
	const struct machine_box *b = drawing_box(d, id);
	char text[112];
	picture_box(d->pic, y, x, h, w, box_border_role(b), d->m->row[id]);
	draw_box_title(d, id, y, x);
	const unsigned lines = h - 2, cells = w - 2;
	draw_fill(d, id, y + 1, x + 1, cells, lines == 1);
	const bool list = machine_box_inst(d->p, id, 0) != NULL;
	if (lines > 1 && !list)
		draw_detail(d, id, y + 2, x + 1, cells);
	for (unsigned i = 0; list && i + 1 < lines; i++) {
		const struct uop *u = machine_box_inst(d->p, id, i);
		if (!u)
			break;
		draw_box_inst(d, id, u, y + 2 + i, x + 1, cells);
	}
	if (*b->stalled && !d->joined) {
		const unsigned room = linked ? w - 1 - BOX_LINK : w - 2;
		draw_box_reason(b, room, text, sizeof text);
		picture_text(d->pic, y + h - 1, x + 1, room,
		             b->waits ? ROLE_WAITING : ROLE_DIM,
		             drawing_about(d, id, d->m->column[MACHINE_STALLED]), text);
	}
}

/* A column of boxes. */
struct stack {
	unsigned count;
	struct place {
		enum machine_box_id id;
		unsigned lines;  /* inside its border */
		bool grows;
		unsigned y, h;   /* with its border */
	} at[STACK_MAX];
};

/* ---- stacks ---- */
static void machine_picture_push_box(const struct drawing *d, struct stack *st,
                                     enum machine_box_id id, bool grows)
{
	if (drawing_box(d, id)->there && st->count < STACK_MAX)
		st->at[st->count++] = (struct place){.id = id, .lines = 1, .grows = grows};
}

static unsigned machine_picture_stack_least_height(const struct stack *st, bool joined)
{
	return joined ? 2 * st->count + 1 : 3 * st->count;
}

/* Distributes spare lines, from the top: to the growing boxes in turn; if there are none, one to
 * each box. */
static void machine_picture_layout_stack(struct stack *st, unsigned top, unsigned height,
                                         bool joined)
{
	unsigned spare = height - machine_picture_stack_least_height(st, joined), growers = 0;
	for (unsigned i = 0; i < st->count; i++)
		growers += st->at[i].grows;
	for (unsigned i = 0; i < st->count && spare; i++)
		if (!growers || st->at[i].grows) {
			st->at[i].lines++;
			spare--;
		}
	for (unsigned i = 0; growers && spare; i = (i + 1) % st->count)
		if (st->at[i].grows) {
			st->at[i].lines++;
			spare--;
		}
	for (unsigned i = 0, y = top; i < st->count; i++) {
		st->at[i].y = y;
		st->at[i].h = st->at[i].lines + 2;
		y += st->at[i].h - joined;
	}
}

/* Joins a box to the box above. */
static void draw_link(const struct drawing *d, enum machine_box_id id, unsigned y, unsigned x)
{
	picture_line(d->pic, y - 1, x + d->width - BOX_LINK, y, x + d->width - BOX_LINK, ROLE_DIM);
	draw_box_title(d, id, y, x);
}

static void draw_stack(const struct drawing *d, const struct stack *st, unsigned x)
{
	for (unsigned i = 0; i < st->count; i++) {
		const struct place *b = &st->at[i];
		draw_machine_box(d, b->id, b->y, x, b->h, i + 1 < st->count);
		if (i && !d->joined)
			draw_link(d, b->id, b->y, x);
	}
}

static const struct place *machine_picture_find_box_place(const struct stack *st,
                                                          enum machine_box_id id)
{
	for (unsigned i = 0; i < st->count; i++)
		if (st->at[i].id == id)
			return &st->at[i];
	return NULL;
}

/* Draws an arrow from the right side of column k at line y0 to the next column at line y1, with the
 * number of instructions that moved in the cycle just done. */
static void draw_arrow(const struct drawing *d, unsigned k, unsigned y0, unsigned y1,
                       unsigned moved)
{
	const unsigned x = (k + 1) * d->width + k * d->gap;
	const enum role role = moved ? ROLE_READY : ROLE_DIM;
	char digits[16];
	const struct picture_of nothing = {PICTURE_NO_ROW, PICTURE_NO_COLUMN};
	picture_line(d->pic, y0, x - 1, y0, x, role);
	picture_line(d->pic, y0, x, y1, x, role);
	picture_line(d->pic, y1, x, y1, x + d->gap - 1, role);
	picture_text(d->pic, y1, x + d->gap - 1, 1, role, nothing, "▶");
	if (moved) {
		snprintf(digits, sizeof digits, "%u", moved);
		picture_text(d->pic, y0, x, d->gap - 1, role, nothing, digits);
	}
}

/* ---- devices, in rows below ---- */
static unsigned device_boxes(const struct drawing *d, enum machine_box_id out[BOX_COUNT])
{
	unsigned n = 0;
	for (unsigned id = BOX_PFLAG; id < BOX_COUNT; id++)
		if (drawing_box(d, (enum machine_box_id)id)->there)
			out[n++] = (enum machine_box_id)id;
	return n;
}

static void draw_devices(const struct drawing *d, unsigned y, unsigned h)
{
	enum machine_box_id id[BOX_COUNT];
	struct drawing apart = *d;
	const unsigned n = device_boxes(d, id);
	apart.joined = false;
	for (unsigned i = 0; i < n; i++)
		draw_machine_box(&apart, id[i], y + i / d->across * h,
		                 i % d->across * (d->width + d->gap), h, false);
}

/* ---- out-of-order or in-order machine ---- */
static void units_stack(const struct drawing *d, struct stack *units)
{
	static const uint8_t ids[] = {BOX_INT,     BOX_IMULDIV, BOX_FADD,
	                              BOX_FMULDIV, BOX_DIV,     BOX_MEMPORT};
	for (unsigned i = 0; i < sizeof ids; i++)
		machine_picture_push_box(d, units, (enum machine_box_id)ids[i], false);
}

/* Draws one box with a line for each pool of units. */
static unsigned draw_units(const struct drawing *d, const struct stack *units, unsigned y,
                           unsigned x)
{
	const unsigned w = d->width, h = units->count + 2;
	enum role role = ROLE_DIM;
	for (unsigned i = 0; i < units->count; i++) {
		const enum role one = box_border_role(drawing_box(d, units->at[i].id));
		role = one == ROLE_MISS || role == ROLE_MISS         ? ROLE_MISS
		       : one == ROLE_WAITING || role == ROLE_WAITING ? ROLE_WAITING
		       : one == ROLE_DIM ? role : one;
	}
	picture_box(d->pic, y, x, h, w, role, PICTURE_NO_ROW);
	picture_text(d->pic, y, x + 1, w - 2, ROLE_HEAD,
	             (struct picture_of){PICTURE_NO_ROW, PICTURE_NO_COLUMN}, " units ");
	for (unsigned i = 0; i < units->count; i++) {
		const enum machine_box_id id = units->at[i].id;
		const struct machine_box *b = drawing_box(d, id);
		const unsigned line = y + 1 + i, cells = w - 2;
		const enum role name = b->lost    ? ROLE_MISS
		                       : b->waits ? ROLE_WAITING : b->held ? ROLE_PLAIN : ROLE_DIM;
		char text[32];
		for (unsigned k = 0; k < cells; k++)
			picture_text(d->pic, line, x + 1 + k, 1, ROLE_PLAIN,
			             drawing_about(d, id, PICTURE_NO_COLUMN), " ");
		picture_text(d->pic, line, x + 1, cells, name,
		             drawing_about(d, id, d->m->column[MACHINE_HOLDS]), b->name);
		unsigned at = POOL_NAME + 1;
		at += draw_unit_marks(d, id, line, x + 1 + at, cells - at) + 1;
		snprintf(text, sizeof text, "◀%" PRIu64, b->lost);
		if (b->lost && at < cells)
			at += picture_text(d->pic, line, x + 1 + at, cells - at, ROLE_MISS,
			                   drawing_about(d, id, PICTURE_NO_COLUMN), text) +
			      1;
		if (b->oldest && at + 3 < cells)
			draw_box_inst(d, id, b->oldest, line, x + 1 + at, cells - at);
	}
	return h;
}

/* Joins fetch to its queue, the issue queue to the units, and loads and stores to the cache. */
static void link_columns(const struct drawing *d, const struct stack column[COLUMNS])
{
	const struct machine_boxes *m = d->m->boxes;
	draw_arrow(d, 0, 1, 1, m->fetched);
	draw_arrow(d, 1, machine_picture_find_box_place(&column[1], BOX_IQ)->y + 1, 1, m->issued);
	draw_arrow(d, 2, machine_picture_find_box_place(&column[2], BOX_LSQ)->y + 1, 1,
	           m->asked_memory);
}

static void out_of_order(struct drawing *d, unsigned height)
{
	struct stack column[COLUMNS] = {0}, units = {0};
	static const uint8_t front[] = {BOX_FETCH, BOX_L1I, BOX_ITLB, BOX_BPRED, BOX_BTB, BOX_RAS};
	static const uint8_t memory[] = {BOX_L1D, BOX_DTLB, BOX_MSHR, BOX_L2, BOX_BUS, BOX_MEMORY};
	for (unsigned i = 0; i < sizeof front; i++)
		machine_picture_push_box(d, &column[0], (enum machine_box_id)front[i], false);
	machine_picture_push_box(d, &column[1], BOX_FETCHQ, height >= ROOMY);
	machine_picture_push_box(d, &column[1], BOX_DECODE, false);
	machine_picture_push_box(d, &column[1], BOX_ROB, true);
	machine_picture_push_box(d, &column[1], BOX_IQ, true);
	units_stack(d, &units);
	machine_picture_push_box(d, &column[2], BOX_LSQ, true);
	machine_picture_push_box(d, &column[2], BOX_WBUF, false);
	for (unsigned i = 0; i < sizeof memory; i++)
		machine_picture_push_box(d, &column[3], (enum machine_box_id)memory[i], false);
	const unsigned below = units.count + 2 - d->joined;
	for (unsigned k = 0; k < COLUMNS; k++) {
		const unsigned top = k == 2 ? below : 0;
		machine_picture_layout_stack(&column[k], top, height - top, d->joined);
		draw_stack(d, &column[k], k * (d->width + d->gap));
	}
	draw_units(d, &units, 0, 2 * (d->width + d->gap));
	if (d->joined)
		draw_box_title(d, BOX_LSQ, below, 2 * (d->width + d->gap));
	else
		draw_link(d, BOX_LSQ, below, 2 * (d->width + d->gap));
	link_columns(d, column);
}

static bool machine_picture_has_height_for(unsigned height, bool joined, unsigned units)
{
	enum { BOXES = 6, QUEUES = 2 };
	return height >= (joined ? 2 * BOXES + 1 : 3 * BOXES) &&
	       height >= units + 2 + (joined ? 2 * QUEUES : 3 * QUEUES);
}

/* ---- five-stage pipeline ---- */
static unsigned stage_x(const struct drawing *d, unsigned stage)
{
	return stage * (d->width + d->gap);
}

/* Draws a forwarding path above the boxes, from a stage back to another; lit if an operand used it
 * in the cycle just done. */
static void draw_path(const struct drawing *d, enum machine_box_id id, unsigned line, unsigned x0,
                      unsigned x1)
{
	const struct machine_box *b = drawing_box(d, id);
	const enum role role = b->held ? ROLE_HIT : ROLE_DIM;
	char text[64];
	picture_line(d->pic, line, x0, line, x1, role);
	picture_line(d->pic, line, x0, PATH_LINES, x0, role);
	picture_line(d->pic, line, x1, PATH_LINES, x1, role);
	picture_text(d->pic, PATH_LINES - 1, x0, 1, role,
	             drawing_about(d, id, PICTURE_NO_COLUMN), "↓");
	for (unsigned x = x0; x <= x1; x++)
		picture_own(d->pic, line, x, d->m->row[id]);
	if (!b->held)
		return;
	snprintf(text, sizeof text, "%s %s", reg_name(b->operand),
	         format_seq(d->p, b->oldest, BUFFER(32)));
	picture_text(d->pic, line, x0 + 1, x1 - x0 - 1, role,
	             drawing_about(d, id, d->m->column[MACHINE_OLDEST]), text);
}

static void machine_picture_draw_textbook(struct drawing *d, unsigned height)
{
	static const uint8_t stages[STAGES] = {BOX_IF, BOX_ID, BOX_EX, BOX_MEM, BOX_WB};
	struct stack units = {0};
	const unsigned h = 4;
	for (unsigned i = 0; i < STAGES; i++)
		draw_machine_box(d, (enum machine_box_id)stages[i], PATH_LINES, stage_x(d, i), h,
		                 false);
	for (unsigned i = 0; i + 1 < STAGES; i++)
		draw_arrow(d, i, PATH_LINES + 1, PATH_LINES + 1, d->m->boxes->entered[i + 1]);
	const unsigned middle = d->width / 2;
	draw_path(d, BOX_WB_EX, 0, stage_x(d, 2) + middle - 1, stage_x(d, 4) + middle + 1);
	draw_path(d, BOX_MEM_EX, 1, stage_x(d, 2) + middle + 2, stage_x(d, 3) + middle - 1);
	draw_path(d, BOX_WB_MEM, 1, stage_x(d, 3) + middle + 2, stage_x(d, 4) + middle - 1);
	for (unsigned i = 0; i < STAGES; i++)
		draw_box_title(d, (enum machine_box_id)stages[i], PATH_LINES, stage_x(d, i));
	const unsigned y = PATH_LINES + h;
	units_stack(d, &units);
	draw_units(d, &units, y, stage_x(d, 2));
	static const uint8_t code[] = {BOX_L1I, BOX_ITLB, BOX_BPRED},
			     data[] = {BOX_L1D, BOX_DTLB, BOX_MSHR},
			     far[] = {BOX_L2, BOX_BUS, BOX_MEMORY};
	const uint8_t *const lists[] = {code, data, far};
	const unsigned of_stage[] = {0, 3, 4};
	for (unsigned k = 0; k < 3; k++) {
		struct stack st = {0};
		for (unsigned i = 0; i < sizeof code; i++)
			machine_picture_push_box(d, &st, (enum machine_box_id)lists[k][i], false);
		machine_picture_layout_stack(&st, y, height - y, d->joined);
		draw_stack(d, &st, stage_x(d, of_stage[k]));
	}
}

/* ---- the whole ---- */
void machine_picture_draw(const struct machine_picture *m, struct grid *g, unsigned columns,
                          unsigned rows)
{
	struct drawing d = {.m = m, .p = machine_pipe(m->s->machine)};
	const bool book = m->boxes->textbook;
	const unsigned across = book ? STAGES : COLUMNS, width = columns ? columns : 80;
	d.across = across;
	enum machine_box_id devices[BOX_COUNT];
	struct stack units = {0};
	d.gap = width >= WIDE ? GAP_WIDE : GAP_NARROW;
	if (width < (across - 1) * d.gap + across * BOX_NARROWEST)
		return;
	d.width = (width - (across - 1) * d.gap) / across;
	units_stack(&d, &units);
	const unsigned extra = (device_boxes(&d, devices) + across - 1) / across * 3,
		       least_book = PATH_LINES + 4 + 7;
	unsigned height = rows > extra ? rows - extra : rows ? 0 : width >= WIDE ? TALL : SHORT;
	d.joined = book ? height < PATH_LINES + 4 + 9
	                : !machine_picture_has_height_for(height, false, units.count);
	if (book ? height < least_book
	         : !machine_picture_has_height_for(height, d.joined, units.count))
		return;
	d.pic = picture_new(across * d.width + (across - 1) * d.gap, height + extra);
	grid_take_picture(g, d.pic);
	if (!d.pic)
		return;
	if (book)
		machine_picture_draw_textbook(&d, height);
	else
		out_of_order(&d, height);
	draw_devices(&d, height, 3);
}
