/* What stands in a box of the machine's picture: its title, how full it is, what works in it. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_MACHINE_BOX_DRAW_H
#define CYCLOPS_HWVIEWS_MACHINE_MACHINE_BOX_DRAW_H

#include "hwviews/grid/picture.h"
#include "hwviews/machine/machine_box.h"

enum { BOX_LINK = 3 /* cells from the right side, where boxes of a column are joined */ };

/* Which cells of a row the picture shows. */
enum machine_cell { MACHINE_HOLDS, MACHINE_STALLED, MACHINE_OLDEST, MACHINE_CELLS };

struct machine_picture {
	const struct session *s;
	const struct machine_boxes *boxes;
	int row[BOX_COUNT];             /* of the grid; -1: the box has none */
	unsigned column[MACHINE_CELLS]; /* of the grid */
};

struct drawing {
	const struct machine_picture *m;
	const struct pipe *p;
	struct picture *pic;
	unsigned width, gap; /* of a box, and between columns */
	unsigned across;     /* columns */
	bool joined;         /* boxes of a column share lines */
};

/* What is known of a box, and the row and column that are about it. */
const struct machine_box *drawing_box(const struct drawing *d, enum machine_box_id id);
struct picture_of drawing_about(const struct drawing *d, enum machine_box_id id,
                                unsigned column);
/* Of its lines. */
enum role box_border_role(const struct machine_box *b);
unsigned draw_unit_marks(const struct drawing *d, enum machine_box_id id, unsigned y,
                         unsigned x, unsigned cells);
/* "#1234 ld a5,8(s0)", or as much of it as there is room for, and what it waits for if
 * that fits behind it. */
void draw_box_inst(const struct drawing *d, enum machine_box_id id, const struct uop *u,
                   unsigned y, unsigned x, unsigned cells);
void draw_box_title(const struct drawing *d, enum machine_box_id id, unsigned y, unsigned x);
/* linked: something is joined to it from below. */
void draw_machine_box(const struct drawing *d, enum machine_box_id id, unsigned y, unsigned x,
                      unsigned h, bool linked);

/* Draws it into g in at most so many columns and rows (0: as many as it likes); nothing where that
 * is too few. */
void machine_picture_draw(const struct machine_picture *m, struct grid *g, unsigned columns,
                          unsigned rows);

#endif
