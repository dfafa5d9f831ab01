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

static const struct asm_message *message_of(const struct playground *p, unsigned line)
{
	for (unsigned i = 0; i < p->result.message_count; i++)
		if (p->result.message[i].line == line)
			return &p->result.message[i];
	return NULL;
}

/* Line of the oldest uncommitted instruction; 0: it is not from this text. */
static unsigned line_of_machine(const struct screen *s)
{
	const struct session *se = screen_session(s);
	struct source_line at;
	return s->playground->saved == s->playground->editor.changes &&
	                       program_line_at(se->program, machine_seen_pc(se->machine), &at)
	               ? at.line
	               : 0;
}

static void playground_draw_line(struct screen *s, unsigned line, int y, unsigned current)
{
	struct playground *p = s->playground;
	struct canvas *c = &s->canvas;
	size_t n;
	const char *text = editor_line_text(&p->editor, line, &n);
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
	const bool wrong = message_of(p, line) != NULL;
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
		(int)p->left);
	const int at = hash ? (int)editor_cells(out, (size_t)(hash - out)) - (int)p->left : width;
	if (hash && at >= 0 && at < width)
		draw_tint(c, y, p->r.x + GUTTER + at, width - at,
		          theme_ink(&c->theme, ROLE_DIM, GROUND_NONE));
}

static void playground_draw_title(struct screen *s)
{
	struct playground *p = s->playground;
	struct canvas *c = &s->canvas;
	const char *slash = strrchr(p->path, '/');
	char text[96], digits[32], state[64];
	snprintf(text, sizeof text, " %.60s%s ", slash ? slash + 1 : p->path,
	         p->saved == p->editor.changes ? "" : " *");
	const int used = draw_text(
		c, p->r.y, p->r.x + 1, p->r.w - 2,
		theme_ink(&c->theme, p->focused ? INK_FOCUS : INK_TITLE, GROUND_NONE), text);
	if (p->result.message_count)
		snprintf(state, sizeof state, " %u error%s ", p->result.message_count,
		         p->result.message_count == 1 ? "" : "s");
	else if (p->saved != p->editor.changes)
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
	const struct asm_message *m = message_of(p, editor_line(&p->editor));
	char text[320];
	if (!p->result.message_count)
		return false;
	if (!m)
		m = &p->result.message[0];
	if (m->line)
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
	if (machine_has_ended(screen_session(s)->machine) && p->ran == p->editor.changes)
		p->run.shown = machine_cycle(screen_session(s)->machine);
	const unsigned line = editor_line(&p->editor), current = line_of_machine(s);
	int rows = p->r.h - 1;
	if (p->result.message_count && rows > 4)
		rows -= 2;
	if (line < p->top)
		p->top = line;
	if (line >= p->top + (unsigned)rows)
		p->top = line - (unsigned)rows + 1;
	size_t n;
	const char *text = editor_line_text(&p->editor, line, &n);
	const size_t in = p->editor.at - (size_t)(p->editor.n ? text - p->editor.text : 0);
	const unsigned cell = editor_cells(text, in), width = (unsigned)(p->r.w - GUTTER - 1);
	if (cell < p->left)
		p->left = cell;
	if (cell >= p->left + width)
		p->left = cell - width + 1;
	playground_draw_title(s);
	for (int i = 0; i < rows; i++)
		playground_draw_line(s, p->top + (unsigned)i, p->r.y + 1 + i, current);
	draw_message(s, p->r.y + 1 + rows);
	if (p->focused)
		move(p->r.y + 1 + (int)(line - p->top), p->r.x + GUTTER + (int)(cell - p->left));
}

void playground_hints(struct screen *s, int y)
{
	static const char *const keys_of_text[][2] = {
		{"F5", "run"},          {"C-s", "save"},           {"C-u", "undo"},
		{"C-k", "delete line"}, {"Esc", "leave the text"},
	};
	int x = 1;
	for (size_t i = 0; i < sizeof keys_of_text / sizeof *keys_of_text; i++)
		x = draw_hint(&s->canvas, y, x, s->canvas.cols, keys_of_text[i][0],
		              keys_of_text[i][1]);
}
