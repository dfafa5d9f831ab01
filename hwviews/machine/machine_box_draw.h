/* Contents of a box of the machine's picture: title, fill and activity. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_MACHINE_BOX_DRAW_H
#define CYCLOPS_HWVIEWS_MACHINE_MACHINE_BOX_DRAW_H

#include "hwviews/grid/picture.h"
#include "hwviews/machine/machine_box.h"

enum { BOX_LINK = 3 /* cells from the right edge to the joint of boxes in a column */ };

/* The cells of a row that the picture shows. */
enum machine_cell { MACHINE_HOLDS, MACHINE_STALLED, MACHINE_OLDEST, MACHINE_CELLS };

struct machine_picture {
	const struct session *s;
	const struct machine_boxes *boxes;
	int row[BOX_COUNT];             /* in the grid; -1: the box has none */
	unsigned column[MACHINE_CELLS]; /* in the grid */
};

struct drawing {
	const struct machine_picture *m;
	const struct pipe *p;
	struct picture *pic;
	unsigned width, gap; /* of a box, and between columns */
	unsigned across;     /* columns */
	bool joined;         /* boxes of a column share lines */
};

/* A box's state, and its row and column in the grid. */
const struct machine_box *drawing_box(const struct drawing *d, enum machine_box_id id);
struct picture_of drawing_about(const struct drawing *d, enum machine_box_id id,
                                unsigned column);
/* Role of its lines. */
enum role box_border_role(const struct machine_box *b);
unsigned draw_unit_marks(const struct drawing *d, enum machine_box_id id, unsigned y,
                         unsigned x, unsigned cells);
/* Draws "#1234 ld a5,8(s0)", cut to the room, and the reason that it waits if that fits, too. */
void draw_box_inst(const struct drawing *d, enum machine_box_id id, const struct uop *u,
                   unsigned y, unsigned x, unsigned cells);
void draw_box_title(const struct drawing *d, enum machine_box_id id, unsigned y, unsigned x);
/* linked: another box is joined to it from below. */
void draw_machine_box(const struct drawing *d, enum machine_box_id id, unsigned y, unsigned x,
                      unsigned h, bool linked);

/* Draws into g within `columns` and `rows` (0: no limit); nothing if that is too small. */
void machine_picture_draw(const struct machine_picture *m, struct grid *g, unsigned columns,
                          unsigned rows);

#endif
