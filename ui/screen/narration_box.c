/* The box with the narration of a tour: title, lines and keys. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/utf8.h"
#include "ui/console/quiz.h"
#include "ui/screen/narration.h"
#include "ui/screen/term.h"
#include "ui/screen/screen_state.h"
#include "ui/screen/wrap.h"
#include "ui/tour/tour.h"

enum { SIDE_FROM = 150, SIDE_MIN = 48, SIDE_MAX = 72, TOP_MIN = 9, TOP_MAX = 18 };
/* A lab's question stands beside its evidence, however narrow the terminal is. */
enum { LAB_SIDE_FROM = 72, LAB_SIDE_MIN = 36 };

bool narration_add_line(struct narration_line **all, unsigned *count, char *text, unsigned meaning)
{
	struct narration_line *more = text ? alloc_resize(*all, (*count + 1) * sizeof *more) : NULL;
	if (!more) {
		free(text);
		return false;
	}
	*all = more;
	more[(*count)++] = (struct narration_line){text, meaning};
	return true;
}

void narration_free_lines(struct narration_line **all, unsigned *count)
{
	for (unsigned i = 0; i < *count; i++)
		free((*all)[i].text);
	free(*all);
	*all = NULL;
	*count = 0;
}

const struct tour_beat *narration_next_beat(const struct narration *n)
{
	const struct tour *t = n->place->tour;
	return n->place->beat < t->count ? &t->beats[n->place->beat] : NULL;
}

bool narration_at_end(const struct narration *n)
{
	const struct tour_beat *b = narration_next_beat(n);
	return !b || !b->count;
}

struct rect narration_place(struct narration *n, struct rect area)
{
	n->r = (struct rect){0};
	if (!narration_on(n))
		return area;
	n->r = area;
	const bool lab = n->place->lab;
	if (area.w >= (lab ? LAB_SIDE_FROM : SIDE_FROM)) {
		const int w = lab ? area.w * 2 / 5 : area.w / 3,
			  least = lab ? LAB_SIDE_MIN : SIDE_MIN;
		n->r.w = w < least ? least : w > SIDE_MAX ? SIDE_MAX : w;
		n->r.x = area.x + area.w - n->r.w;
		area.w -= n->r.w;
	} else {
		const int h = area.h * 2 / 5;
		n->r.h = h < TOP_MIN ? TOP_MIN : h > TOP_MAX ? TOP_MAX : h;
		area.y += n->r.h;
		area.h -= n->r.h;
	}
	return area;
}

struct composing {
	struct narration *n;
	unsigned meaning;
};

static void narration_box_on_wrapped_line(void *ctx, char *line)
{
	struct composing *to = ctx;
	narration_add_line(&to->n->shown, &to->n->shown_count, line, to->meaning);
}

static void narration_box_append_wrapped(struct narration *n, unsigned meaning, const char *text,
                                         unsigned cells)
{
	wrap_text(text, cells, narration_box_on_wrapped_line, &(struct composing){n, meaning});
}

/* Composes the end of a lab: how many tries each question took, and the way to the task. */
static void lab_compose_end(struct narration *n, const struct quiz *q, unsigned cells)
{
	const struct tour *t = n->place->tour;
	struct text answers = {0};
	for (unsigned i = 0; i < q->count; i++) {
		const struct quiz_answer *a = &q->answers[i];
		text_printf(&answers, "%s%s: %s%s", i ? "; " : "", a->name,
		            *a->text ? a->text : "passed over", a->tries > 1 ? ", two tries" : "");
	}
	if (answers.n)
		narration_box_append_wrapped(n, ROLE_DIM, answers.s, cells);
	text_deinit(&answers);
	narration_box_append_wrapped(n, ROLE_PLAIN, "\n", cells);
	narration_box_append_wrapped(n, ROLE_SELECTED, t->beats[t->count - 1].prose, cells);
	narration_box_append_wrapped(n, INK_KEY,
	                             "Space: to the task, your hand-in. BackSpace goes back, q "
	                             "leaves.",
	                             cells);
}

/* Composes a lab's lines: the verdict, then the open question and what is known, or else what was
 * found and the next step. */
static void lab_compose_lines(struct narration *n, const struct quiz *q, unsigned cells)
{
	const struct tour_beat *b = narration_next_beat(n);
	const bool asked = *q->asked;
	if (n->verdict) {
		narration_box_append_wrapped(n,
		                             n->holds ? ROLE_DONE : ROLE_ERROR, n->verdict, cells);
		narration_box_append_wrapped(n, ROLE_PLAIN, "\n", cells);
	}
	if (asked) {
		narration_box_append_wrapped(n, INK_BRAND, n->question ? n->question : q->asked,
		                             cells);
		narration_box_append_wrapped(n, INK_KEY,
		                             "A digit begins your answer, Space one in words; ? "
		                             "passes it over.",
		                             cells);
		/* For a second try: not what has been found since, which has the answer. */
		const unsigned known = n->verdict ? 0 : n->said_count;
		if (known)
			narration_box_append_wrapped(n, ROLE_PLAIN, "\n", cells);
		for (unsigned i = 0; i < known; i++)
			narration_box_append_wrapped(n, n->said[i].meaning, n->said[i].text, cells);
		if (n->place->beat && !n->resume) {
			narration_box_append_wrapped(n, ROLE_PLAIN, "\n", cells);
			narration_box_append_wrapped(n, ROLE_DIM, b ? b[-1].prose : "", cells);
		}
		return;
	}
	for (unsigned i = 0; i < n->said_count; i++)
		narration_box_append_wrapped(n, n->said[i].meaning, n->said[i].text, cells);
	if (n->said_count)
		narration_box_append_wrapped(n, ROLE_PLAIN, "\n", cells);
	if (narration_at_end(n)) {
		lab_compose_end(n, q, cells);
		return;
	}
	narration_box_append_wrapped(n, ROLE_SELECTED, b->prose, cells);
	narration_box_append_wrapped(n, INK_KEY, "Space goes on", cells);
}

/* Composes the pane's lines: answers, prose, and the commands that Space will run. */
static void narration_box_compose_lines(struct narration *n, const struct quiz *q, unsigned cells)
{
	const bool asked = *q->asked;
	const struct tour_beat *b = narration_next_beat(n);
	char line[512] = "";
	narration_free_lines(&n->shown, &n->shown_count);
	n->wrapped = cells;
	if (!n->place->beat) {
		narration_box_append_wrapped(n, INK_BRAND, n->place->tour->title, cells);
		narration_box_append_wrapped(n, ROLE_PLAIN, "\n", cells);
	}
	if (n->place->lab) {
		lab_compose_lines(n, q, cells);
		return;
	}
	for (unsigned i = 0; i < n->said_count; i++)
		narration_box_append_wrapped(n, n->said[i].meaning, n->said[i].text, cells);
	if (n->said_count)
		narration_box_append_wrapped(n, ROLE_PLAIN, "\n", cells);
	if (b && !asked)
		narration_box_append_wrapped(n, ROLE_SELECTED, b->prose, cells);
	if (narration_at_end(n) && !asked) {
		narration_box_append_wrapped(n, INK_KEY,
		                             "End of the tour. Space lists the others, BackSpace "
		                             "goes back in it, q leaves.",
		                             cells);
		return;
	}
	if (asked) {
		narration_box_append_wrapped(n, INK_KEY,
		                             "Space: type your answer; ? passes the question over",
		                             cells);
		return;
	}
	for (unsigned i = 0; i < b->count; i++) {
		const size_t used = strlen(line);
		const char *command = b->commands[i];
		if (!strncmp(command, "expect ", 7))
			command = "see about your answer";
		snprintf(line + used, sizeof line - used, "%s%.200s", used ? " · " : "Space: ",
		         !strncmp(command, "ask ", 4) ? "a question" : command);
	}
	narration_box_append_wrapped(n, INK_KEY, line, cells);
}

void narration_lines(const struct narration *n, struct canvas *c)
{
	if (!n->r.h)
		return;
	draw_hline(c, n->r.y, n->r.x, n->r.w);
	if (n->r.x > 0)
		draw_vline(c, n->r.y, n->r.x, n->r.h);
}

/* Hint on what Space does now; while the tour plays, Space waits for the end of the step. */
static const char *hint_for(const struct narration *n, bool away, bool asked)
{
	if (n->playing)
		return " Playing ";
	if (away)
		return " Space leads back to the tour ";
	if (asked)
		return " digits answer ";
	return n->top + (unsigned)(n->r.h - 1) < n->shown_count ? " Space reads on "
	                                                        : " Space goes on ";
}

static void narration_box_draw_title(const struct narration *n, struct canvas *c, bool asked)
{
	const struct tour *t = n->place->tour;
	const struct tour_beat *b = narration_next_beat(n);
	const int side = n->r.x > 0;
	const bool away = !n->on_stage || n->away != NARRATION_HERE;
	const char *hint = hint_for(n, away, asked);
	char text[96];
	const int words = n->place->lab ? (int)strcspn(t->title, ":") : 40;
	snprintf(text, sizeof text, " %s%.*s  %u/%u ", n->place->lab ? "" : "Tour ",
	         words > 40 ? 40 : words, n->place->lab ? t->title : t->name,
	         b ? b->step : t->steps, t->steps);
	const int used = draw_text(c, n->r.y, n->r.x + 1 + side, n->r.w - 3,
	                           theme_ink(&c->theme, INK_TITLE, GROUND_NONE), text);
	const int width = (int)utf8_width(hint);
	if (used + width + 4 <= n->r.w)
		draw_text(c, n->r.y, n->r.x + n->r.w - width - 1, width,
		          theme_ink(&c->theme, away ? INK_PAST : INK_KEY, GROUND_NONE), hint);
}

void narration_draw(struct screen *s)
{
	struct narration *n = &s->narration;
	struct canvas *c = &s->canvas;
	const int side = n->r.x > 0, x = n->r.x + 1 + side, width = n->r.w - 2 - side,
		  rows = n->r.h - 1;
	if (!n->r.h)
		return;
	if (n->wrapped != (unsigned)width)
		narration_box_compose_lines(n, s->console->quiz, (unsigned)width);
	narration_box_draw_title(n, c, *s->console->quiz->asked);
	for (int i = 0; i < rows && n->top + (unsigned)i < n->shown_count; i++) {
		const struct narration_line *line = &n->shown[n->top + (unsigned)i];
		draw_text(c, n->r.y + 1 + i, x, width,
		          theme_ink(&c->theme, line->meaning, GROUND_NONE), line->text);
	}
}
