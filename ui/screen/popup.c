#include "ui/screen/popup.h"

#include <ctype.h>
#include <limits.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/base/alloc.h"
#include "hwviews/grid/utf8.h"
#include "ui/screen/keys.h"
#include "ui/screen/term.h"
#include "ui/screen/wrap.h"

#define CONTROL(letter) ((letter) & 0x1f)
/* Constant size of a menu with a search line, whose items change. */
enum { FINDS_COLS = 116, FINDS_ROWS = 26 };

void popup_close(struct popup *p)
{
	p->open = false;
}

void popup_empty(struct popup *p)
{
	for (int i = 0; i < p->count; i++) {
		free(p->lines[i]);
		free(p->commands[i]);
	}
	p->count = p->top = p->chosen = 0;
}

void popup_deinit(struct popup *p)
{
	popup_empty(p);
	free(p->lines);
	free(p->commands);
	free(p->text);
	*p = (struct popup){0};
}

static void popup_add_row(struct popup *p, char *line, char *command)
{
	if (p->count == p->room) {
		int room = p->room ? p->room * 2 : 32;
		char **lines = alloc_resize(p->lines, (size_t)room * sizeof *lines);
		if (lines)
			p->lines = lines;
		char **commands = alloc_resize(p->commands, (size_t)room * sizeof *commands);
		if (commands)
			p->commands = commands;
		if (!lines || !commands) {
			free(line);
			free(command);
			return;
		}
		p->room = room;
	}
	p->lines[p->count] = line;
	p->commands[p->count++] = command;
}

static void popup_reset_box(struct popup *p, const char *title, bool menu)
{
	popup_deinit(p);
	p->open = true;
	p->menu = menu;
	snprintf(p->title, sizeof p->title, "%s", title);
}

static void popup_append_line(void *ctx, char *line)
{
	popup_add_row(ctx, line, NULL);
}

void popup_wrap(struct popup *p, unsigned cells)
{
	for (int i = 0; i < p->count; i++)
		free(p->lines[i]);
	p->count = 0;
	p->wrapped = (int)cells;
	wrap_text(p->text ? p->text : "", cells, popup_append_line, p);
	while (p->count > 0 && !*p->lines[p->count - 1])
		free(p->lines[--p->count]);
}

void popup_text(struct popup *p, const char *title, const char *text, bool at_end)
{
	popup_reset_box(p, title, false);
	p->text = alloc_text(text);
	p->top = at_end ? INT_MAX / 2 : 0;
}

void popup_menu(struct popup *p, const char *title)
{
	popup_reset_box(p, title, true);
}

void popup_item(struct popup *p, const char *text, const char *command)
{
	char *line = alloc_text(text), *copy = alloc_text(command);
	if (line && copy) {
		popup_add_row(p, line, copy);
		return;
	}
	free(line);
	free(copy);
}

void popup_find(struct popup *p, const char *title)
{
	popup_reset_box(p, title, true);
	p->finds = true;
}

void popup_type(struct popup *p, const char *text)
{
	size_t used = strlen(p->typed), n;
	uint32_t code;
	for (size_t left = strlen(text); left; text += n, left -= n) {
		n = utf8_decode(text, left, &code);
		if (used + n >= sizeof p->typed)
			return;
		if (code < ' ' || code == 0x7f)
			continue;
		memcpy(p->typed + used, text, n);
		used += n;
		p->typed[used] = '\0';
	}
}

/* Deletes the last character, or, with `word`, all after the last blank. */
static void popup_erase_typed(struct popup *p, bool word)
{
	size_t n = strlen(p->typed);
	if (word) {
		while (n && p->typed[n - 1] == ' ')
			n--;
		while (n && p->typed[n - 1] != ' ')
			n--;
	} else {
		while (n && ((unsigned char)p->typed[--n] & 0xc0) == 0x80)
			;
	}
	p->typed[n] = '\0';
}

/* Handles a key of the search line; false if the key is not for this line. */
static bool type_key(struct popup *p, int key)
{
	char bytes[MB_LEN_MAX + 1];
	mbstate_t state = {0};
	switch (key_canonical(key)) {
	case TERM_SPECIAL + KEY_BACKSPACE:
		popup_erase_typed(p, false);
		return true;
	case CONTROL('u'):
		p->typed[0] = '\0';
		return true;
	case CONTROL('w'):
		popup_erase_typed(p, true);
		return true;
	case CONTROL('p'):
		popup_scroll(p, -1);
		return true;
	case CONTROL('n'):
		popup_scroll(p, 1);
		return true;
	}
	const size_t n = key >= ' ' && key < TERM_SPECIAL ? wcrtomb(bytes, (wchar_t)key, &state)
	                                                  : (size_t)-1;
	if (n == (size_t)-1)
		return false;
	bytes[n] = '\0';
	popup_type(p, bytes);
	return true;
}

void popup_scroll(struct popup *p, int lines)
{
	if (p->menu) {
		p->chosen += lines;
		p->chosen = p->chosen < 0 ? 0 : p->chosen >= p->count ? p->count - 1 : p->chosen;
	} else {
		p->top += lines; /* popup_draw() keeps it within the text */
	}
}

static const char *popup_accept_choice(struct popup *p)
{
	popup_close(p);
	return p->menu && p->chosen >= 0 && p->chosen < p->count ? p->commands[p->chosen] : NULL;
}

/* Chooses the next item that begins with a letter. */
static void jump_to(struct popup *p, int letter)
{
	for (int i = 1; i <= p->count; i++) {
		int at = (p->chosen + i) % p->count;
		if (tolower((unsigned char)p->lines[at][0]) == tolower(letter)) {
			p->chosen = at;
			return;
		}
	}
}

const char *popup_key(struct popup *p, int key)
{
	int page = p->r.h > 4 ? p->r.h - 3 : 1;
	if (p->finds && type_key(p, key))
		return NULL;
	switch (key) {
	case TERM_SPECIAL + KEY_UP:
		popup_scroll(p, -1);
		return NULL;
	case TERM_SPECIAL + KEY_DOWN:
		popup_scroll(p, 1);
		return NULL;
	case TERM_SPECIAL + KEY_PPAGE:
		popup_scroll(p, -page);
		return NULL;
	case ' ':
	case TERM_SPECIAL + KEY_NPAGE:
		popup_scroll(p, page);
		return NULL;
	case TERM_SPECIAL + KEY_HOME:
		popup_scroll(p, -p->count);
		return NULL;
	case TERM_SPECIAL + KEY_END:
		popup_scroll(p, p->count);
		return NULL;
	case '\r':
	case '\n':
	case TERM_SPECIAL + KEY_ENTER:
		return popup_accept_choice(p);
	case TERM_IGNORED:
		return NULL;
	default:
		if (p->menu && key < 0x80 && isalnum(key))
			jump_to(p, key);
		else
			popup_close(p);
		return NULL;
	}
}

const char *popup_click(struct popup *p, int y, int x)
{
	int line = y - p->r.y - 1 - p->finds + p->top;
	if (!rect_has(&p->r, y, x)) {
		popup_close(p);
		return NULL;
	}
	if (!p->menu || line < p->top || line >= p->count)
		return NULL;
	p->chosen = line;
	return popup_accept_choice(p);
}

static int popup_widest_line(const struct popup *p)
{
	int w = (int)utf8_width(p->title) + 4;
	for (int i = 0; i < p->count; i++) {
		int cells = (int)utf8_width(p->lines[i]);
		if (cells > w)
			w = cells;
	}
	return w;
}

static void popup_place_box(struct popup *p, const struct rect *area)
{
	const int inside = popup_inside(area->w);
	if (!p->menu && p->wrapped != inside)
		popup_wrap(p, (unsigned)inside);
	int w = popup_widest_line(p) + 4, h = p->count + 2;
	w = w > area->w - 2 ? area->w - 2 : w < 30 ? 30 : w;
	if (p->finds) {
		w = FINDS_COLS > area->w - 2 ? area->w - 2 : FINDS_COLS;
		h = FINDS_ROWS;
	}
	h = h > area->h - 1 ? area->h - 1 : h < 3 ? 3 : h;
	p->r = (struct rect){area->y + (area->h - h) / 2, area->x + (area->w - w) / 2, h, w};
	int rows = h - 2 - p->finds;
	if (p->menu && p->chosen < p->top)
		p->top = p->chosen;
	if (p->menu && p->chosen >= p->top + rows)
		p->top = p->chosen - rows + 1;
	if (p->top > p->count - rows)
		p->top = p->count - rows;
	if (p->top < 0)
		p->top = 0;
}

/* Draws the typed line, and puts the terminal's cursor at its end. */
static void draw_typed(const struct popup *p, struct canvas *c)
{
	const struct rect *r = &p->r;
	const int x = r->x + 4, width = r->w - 7, cells = (int)utf8_width(p->typed),
		  skip = cells > width ? cells - width : 0;
	draw_text(c, r->y + 1, r->x + 2, 2, theme_ink(&c->theme, INK_KEY, GROUND_POPUP), "> ");
	draw_text_from(c, r->y + 1, x, width, theme_ink(&c->theme, ROLE_PLAIN, GROUND_POPUP),
	               p->typed, skip);
	move(r->y + 1, x + cells - skip);
}

void popup_draw(struct popup *p, struct canvas *c, const struct rect *area)
{
	char text[POPUP_TITLE + 8];
	struct ink plain = theme_ink(&c->theme, ROLE_PLAIN, GROUND_POPUP);
	struct ink line = theme_ink(&c->theme, INK_KEY, GROUND_POPUP);
	popup_place_box(p, area);
	const struct rect *r = &p->r;
	draw_box(c, r, line);
	snprintf(text, sizeof text, " %s ", p->title);
	draw_text(c, r->y, r->x + 2, r->w - 4, theme_ink(&c->theme, INK_FOCUS, GROUND_POPUP), text);
	const int first = r->y + 1 + p->finds, rows = r->h - 2 - p->finds;
	for (int i = 0; i < rows && p->top + i < p->count; i++) {
		bool chosen = p->menu && p->top + i == p->chosen;
		struct ink ink =
			chosen ? theme_ink(&c->theme, ROLE_SELECTED, GROUND_SELECTED) : plain;
		if (chosen)
			draw_blank(c, first + i, r->x + 1, r->w - 2, ink);
		draw_text(c, first + i, r->x + 2, r->w - 4, ink, p->lines[p->top + i]);
	}
	if (p->finds) {
		snprintf(text, sizeof text,
		         " %d of %lu: Enter runs it, Tab: on the prompt, Esc closes ", p->count,
		         p->of);
	} else if (p->count > rows) {
		int below = p->count - p->top - rows;
		if (below > 0)
			snprintf(text, sizeof text, " %d more lines: Space, arrows; Esc closes ",
			         below);
		else
			snprintf(text, sizeof text, " end; Esc closes ");
	} else {
		snprintf(text, sizeof text,
		         p->menu ? " Enter takes it, Esc closes " : " Esc closes ");
	}
	int width = (int)strlen(text);
	draw_text(c, r->y + r->h - 1, r->x + r->w - 2 - width, width, line, text);
	if (p->finds)
		draw_typed(p, c);
}
