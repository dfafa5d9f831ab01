/* The palette's box: shows the matches of the typed text among the items of palette_items.c, best
 * first. */
#include "ui/screen/palette.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/screen/cmd.h"
#include "ui/screen/cmdline.h"
#include "ui/screen/term.h"

/* More matches than users would read. */
enum { SHOWN_MOST = 200, WIDE_COLS = 100, NAME_CELLS = 24, NAME_CELLS_WIDE = 36 };

static const char *const kind_names[PALETTE_KINDS] = {
	[PALETTE_COMMAND] = "command",
	[PALETTE_VIEW] = "view",
	[PALETTE_LAYOUT] = "layout",
	[PALETTE_PANE] = "pane",
	[PALETTE_KEY] = "key",
	[PALETTE_TOUR] = "tour",
	[PALETTE_PARAMETER] = "parameter",
	[PALETTE_STATISTIC] = "statistic",
	[PALETTE_WORD] = "word",
	[PALETTE_FUNCTION] = "function",
	[PALETTE_DATA] = "data",
	[PALETTE_LINE] = "source",
};

void palette_deinit(struct palette *p)
{
	for (unsigned i = 0; i < p->count; i++) {
		free(p->items[i].name);
		free(p->items[i].help);
		free(p->items[i].run);
		free(p->items[i].line);
	}
	free(p->items);
	free(p->found);
	*p = (struct palette){0};
}

/* Orders by points, then by kind and name; lines of a file in the order in which they were
 * collected. */
static int by_points(const void *a, const void *b)
{
	const struct palette_item *x = *(const struct palette_item *const *)a,
				  *y = *(const struct palette_item *const *)b;
	if (x->points != y->points)
		return x->points > y->points ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	const int name = x->kind == PALETTE_LINE ? 0 : strcmp(x->name, y->name);
	return name ? name : x < y ? -1 : x > y;
}

static void palette_offer_item(struct screen *s, const struct palette_item *item)
{
	char text[320];
	const int cells = s->canvas.cols < WIDE_COLS ? NAME_CELLS : NAME_CELLS_WIDE;
	snprintf(text, sizeof text, "%-9s  %-*s  %s", kind_names[item->kind], cells, item->name,
	         item->help);
	popup_item(&s->popup, text, item->run);
}

static void palette_rank_items(struct screen *s)
{
	struct palette *p = &s->palette;
	struct popup *box = &s->popup;
	p->found_count = 0;
	for (unsigned i = 0; i < p->count; i++) {
		struct palette_item *item = &p->items[i];
		item->points = fuzzy_item(box->typed,
		                          &(struct fuzzy_item){kind_names[item->kind], item->name,
		                                               item->help, item->also});
		if (item->points == FUZZY_NONE)
			continue;
		item->points -= item->points > item->less ? item->less : item->points;
		p->found[p->found_count++] = item;
	}
	if (p->found_count)
		qsort(p->found, p->found_count, sizeof *p->found, by_points);
	popup_empty(box);
	box->of = p->found_count;
	for (unsigned i = 0; i < p->found_count && i < SHOWN_MOST; i++)
		palette_offer_item(s, p->found[i]);
	s->damaged = true;
}

bool exec_palette(struct screen *s, const char *args, struct err *err)
{
	struct palette *p = &s->palette;
	palette_deinit(p);
	palette_collect(s, p);
	p->found = alloc_zeroed(p->count + 1, sizeof(struct palette_item *));
	if (!p->found)
		return err_set(err, "out of memory");
	popup_find(&s->popup,
	           "Find anything: a few letters of its name, a kind, a word of its help");
	palette_type(s, args);
	return true;
}

void palette_type(struct screen *s, const char *text)
{
	popup_type(&s->popup, text);
	palette_rank_items(s);
}

const char *palette_key(struct screen *s, int key)
{
	char before[POPUP_TYPED];
	const unsigned chosen = (unsigned)s->popup.chosen;
	if (key == '\t') {
		if (chosen < s->palette.found_count) {
			popup_close(&s->popup);
			cmdline_open(s, s->palette.found[chosen]->line);
		}
		return NULL;
	}
	strcpy(before, s->popup.typed);
	const char *command = popup_key(&s->popup, key);
	if (s->popup.open && strcmp(before, s->popup.typed) != 0)
		palette_rank_items(s);
	return command;
}
