#include "hwviews/machine/machine_box_draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hwviews/grid/utf8.h"
#include "hwviews/machine/machine_box.h"

enum { BAR_LEAST = 3 };

const struct machine_box *drawing_box(const struct drawing *d, enum machine_box_id id)
{
	return &d->m->boxes->box[id];
}

struct picture_of drawing_about(const struct drawing *d, enum machine_box_id id, unsigned column)
{
	return (struct picture_of){d->m->row[id], column};
}

enum role box_border_role(const struct machine_box *b)
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

/* Draws the fill in half characters; at least one if it is not empty. */
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

unsigned draw_unit_marks(const struct drawing *d, enum machine_box_id id, unsigned y, unsigned x,
			 unsigned cells)
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

void draw_box_inst(const struct drawing *d, enum machine_box_id id, const struct uop *u, unsigned
		   y, unsigned x, unsigned cells)
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

/* The first line of a box: its fill, as a number and as a bar; then its instruction, if there is
 * room. */
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

void draw_box_title(const struct drawing *d, enum machine_box_id id, unsigned y, unsigned x)
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

void draw_machine_box(const struct drawing *d, enum machine_box_id id, unsigned y, unsigned x,
		      unsigned h, bool linked)
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
		snprintf(text, sizeof text, " %s ", b->stalled);
		picture_text(d->pic, y + h - 1, x + 1, linked ? w - 1 - BOX_LINK : w - 2,
		             b->waits ? ROLE_WAITING : ROLE_DIM,
		             drawing_about(d, id, d->m->column[MACHINE_STALLED]), text);
	}
}
