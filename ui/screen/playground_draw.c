/* The playground's pane: lines with their numbers, their errors, and the machine's position. */
#include <ncurses.h>
#include <stdio.h>
#include <string.h>

#include "hwviews/grid/utf8.h"
#include "ui/screen/playground.h"
#include "ui/screen/screen_state.h"

enum { SIDE_FROM = 100, SIDE_MIN = 44, SIDE_MAX = 72, GUTTER = PLAYGROUND_GUTTER };

struct rect playground_place(struct playground *p, struct rect area)
{
	if (!p)
		return area;
	p->r = area;
	if (area.w >= SIDE_FROM) {
		const int w = area.w * 2 / 5;
		p->r.w = w < SIDE_MIN ? SIDE_MIN : w > SIDE_MAX ? SIDE_MAX : w;
		area.x += p->r.w;
		area.w -= p->r.w;
		p->r.w--; /* the line between */
	} else {
		p->r.h = area.h / 2;
		area.y += p->r.h;
		area.h -= p->r.h;
	}
	return area;
}

void playground_lines(const struct playground *p, struct canvas *c)
{
	if (!p || !p->r.h)
		return;
	draw_hline(c, p->r.y, p->r.x, p->r.w);
	if (p->r.w < c->cols)
		draw_vline(c, p->r.y, p->r.x + p->r.w, p->r.h);
}

/* The error in a line of the shown text; line 0: any of its errors. */
static const struct asm_message *message_of(const struct playground *p, unsigned text,
                                            unsigned line)
{
	for (unsigned i = 0; i < p->result.message_count; i++) {
		const struct asm_message *m = &p->result.message[i];
		if (m->source == text && !*m->file && (!line || m->line == line))
			return m;
	}
	return NULL;
}

/* Line of the oldest uncommitted instruction, and the text; 0: it is of none of them. */
static unsigned line_of_machine(const struct screen *s, int *text)
{
	const struct session *se = screen_session(s);
	struct source_line at;
	*text = -1;
	if (playground_changed(s->playground) ||
	    !program_line_at(se->program, machine_seen_pc(se->machine), &at))
		return 0;
	*text = playground_find(s->playground, at.file);
	return *text >= 0 ? at.line : 0;
}

static void playground_draw_line(struct screen *s, unsigned line, int y, unsigned current)
{
	struct playground *p = s->playground;
	struct playground_text *t = playground_shown(p);
	struct canvas *c = &s->canvas;
	size_t n;
	const char *text = editor_line_text(&t->editor, line, &n);
	char out[512], number[16];
	size_t used = 0;
	unsigned cells = 0;
	if (!text)
		return;
	for (size_t i = 0; i < n && used + EDITOR_TAB < sizeof out; i++) {
		const unsigned step = text[i] == '\t' ? EDITOR_TAB - cells % EDITOR_TAB : 1;
		if (text[i] == '\t')
			memset(out + used, ' ', step);
		else
			out[used] = text[i];
		used += step;
		cells += text[i] == '\t' ? step : ((unsigned char)text[i] & 0xc0) != 0x80;
	}
	out[used] = '\0';
	const bool wrong = message_of(p, p->shown, line) != NULL;
	snprintf(number, sizeof number, "%c%3u ", wrong ? '!' : line == current ? '>' : ' ', line);
	draw_text(c, y, p->r.x, GUTTER,
	          theme_ink(&c->theme,
	                    wrong             ? ROLE_ERROR
	                    : line == current ? ROLE_CURRENT
	                                      : ROLE_DIM,
	                    GROUND_NONE),
	          number);
	const char *hash = strchr(out, '#');
	const int width = p->r.w - GUTTER;
	draw_text_from(
		c, y, p->r.x + GUTTER, width,
		theme_ink(&c->theme, line == current ? ROLE_CURRENT : ROLE_PLAIN, GROUND_NONE), out,
		(int)t->left);
	const int at = hash ? (int)editor_cells(out, (size_t)(hash - out)) - (int)t->left : width;
	if (hash && at >= 0 && at < width)
		draw_tint(c, y, p->r.x + GUTTER + at, width - at,
		          theme_ink(&c->theme, ROLE_DIM, GROUND_NONE));
}

/* "main.s *": its file's name, and whether it is not saved; an error is marked if it is a tab. */
static int playground_tab_text(const struct playground *p, unsigned i, char *out, size_t n)
{
	const struct playground_text *t = &p->text[i];
	const char *slash = strrchr(t->path, '/');
	snprintf(out, n, " %s%.60s%s ", p->count > 1 && message_of(p, i, 0) ? "!" : "",
	         slash ? slash + 1 : t->path, playground_text_changed(t) ? " *" : "");
	return (int)utf8_width(out);
}

/* Draws the names of the texts, the shown one in any case. Returns the cells used. */
static int playground_draw_tabs(struct screen *s, int width)
{
	struct playground *p = s->playground;
	struct canvas *c = &s->canvas;
	char text[96];
	unsigned first = p->shown;
	int used = playground_tab_text(p, first, text, sizeof text), x = 0;
	while (first && used + playground_tab_text(p, first - 1, text, sizeof text) + 1 <= width)
		used += playground_tab_text(p, --first, text, sizeof text) + 1;
	for (unsigned i = 0; i < p->count; i++) {
		struct playground_text *t = &p->text[i];
		const int w = playground_tab_text(p, i, text, sizeof text);
		t->tab = p->r.x + 1 + x;
		t->tab_width = 0;
		if (i < first || (x + w > width && i != p->shown))
			continue;
		t->tab_width =
			draw_text(c, p->r.y, t->tab, width - x,
			          theme_ink(&c->theme,
			                    i != p->shown ? ROLE_DIM
			                    : p->focused  ? INK_FOCUS
			                                  : INK_TITLE,
			                    GROUND_NONE),
			          text);
		x += t->tab_width + 1;
	}
	return x;
}

static void playground_draw_title(struct screen *s)
{
	enum { STATE_WIDTH = 20 };
	struct playground *p = s->playground;
	struct canvas *c = &s->canvas;
	char digits[32], state[64];
	const int used = playground_draw_tabs(s, p->r.w - 2 - (p->count > 1 ? STATE_WIDTH : 0));
	if (p->result.message_count)
		snprintf(state, sizeof state, " %u error%s ", p->result.message_count,
		         p->result.message_count == 1 ? "" : "s");
	else if (playground_changed(p))
		snprintf(state, sizeof state, " F5 runs it ");
	else if (p->run.shown)
		snprintf(state, sizeof state, " %s cycles ", group_digits(p->run.shown, digits));
	else if (p->run.known)
		snprintf(state, sizeof state, " %s cycles ", group_digits(p->run.cycles, digits));
	else
		snprintf(state, sizeof state, " does not end ");
	const int width = (int)strlen(state);
	if (used + width + 3 <= p->r.w)
		draw_text(c, p->r.y, p->r.x + p->r.w - width - 1, width,
		          theme_ink(&c->theme, p->result.message_count ? ROLE_ERROR : INK_KEY,
		                    GROUND_NONE),
		          state);
}

/* Draws the error in the cursor's line, or else the first one. */
static bool draw_message(struct screen *s, int y)
{
	struct playground *p = s->playground;
	struct canvas *c = &s->canvas;
	const struct asm_message *m =
		message_of(p, p->shown, editor_line(&playground_shown(p)->editor));
	char text[420];
	if (!p->result.message_count)
		return false;
	if (!m)
		m = message_of(p, p->shown, 0);
	if (!m)
		m = &p->result.message[0];
	if (*m->file || m->source != p->shown)
		asm_message_text(m, p->text[m->source].path, text, sizeof text);
	else if (m->line)
		snprintf(text, sizeof text, "%u:%u: %s", m->line, m->column, m->text);
	else
		snprintf(text, sizeof text, "%s", m->text);
	const int width = p->r.w - 1;
	draw_text(c, y, p->r.x + 1, width, theme_ink(&c->theme, ROLE_ERROR, GROUND_NONE), text);
	if ((int)utf8_width(text) > width)
		draw_text_from(c, y + 1, p->r.x + 1, width,
		               theme_ink(&c->theme, ROLE_ERROR, GROUND_NONE), text, width);
	return true;
}

void playground_draw(struct screen *s)
{
	struct playground *p = s->playground;
	if (!p || !p->r.h)
		return;
	playground_check(p);
	if (machine_has_ended(screen_session(s)->machine) && p->ran == playground_changes(p))
		p->run.shown = machine_cycle(screen_session(s)->machine);
	int machine_text;
	unsigned current = line_of_machine(s, &machine_text);
	/* While keys move the machine, its text is shown. */
	const uint64_t cycle = machine_cycle(screen_session(s)->machine);
	if (!p->focused && machine_text >= 0 && cycle != p->followed)
		p->shown = (unsigned)machine_text;
	p->followed = cycle;
	if (machine_text != (int)p->shown)
		current = 0;
	struct playground_text *t = playground_shown(p);
	const unsigned line = editor_line(&t->editor);
	int rows = p->r.h - 1;
	if (p->result.message_count && rows > 4)
		rows -= 2;
	if (line < t->top)
		t->top = line;
	if (line >= t->top + (unsigned)rows)
		t->top = line - (unsigned)rows + 1;
	size_t n;
	const char *text = editor_line_text(&t->editor, line, &n);
	const size_t in = t->editor.at - (size_t)(t->editor.n ? text - t->editor.text : 0);
	const unsigned cell = editor_cells(text, in), width = (unsigned)(p->r.w - GUTTER - 1);
	if (cell < t->left)
		t->left = cell;
	if (cell >= t->left + width)
		t->left = cell - width + 1;
	playground_draw_title(s);
	for (int i = 0; i < rows; i++)
		playground_draw_line(s, t->top + (unsigned)i, p->r.y + 1 + i, current);
	draw_message(s, p->r.y + 1 + rows);
	if (p->focused)
		move(p->r.y + 1 + (int)(line - t->top), p->r.x + GUTTER + (int)(cell - t->left));
}

void playground_hints(struct screen *s, int y)
{
	static const char *const keys_of_text[][2] = {
		{"F5", "run"},          {"C-s", "save"},           {"C-u", "undo"},
		{"C-k", "delete line"}, {"Esc", "leave the text"}, {"F4", "next file"},
	};
	const bool alone = s->playground->count < 2; /* without another file */
	const size_t shown = sizeof keys_of_text / sizeof *keys_of_text - alone;
	int x = 1;
	for (size_t i = 0; i < shown; i++)
		x = draw_hint(&s->canvas, y, x, s->canvas.cols, keys_of_text[i][0],
		              keys_of_text[i][1]);
}
