/* Editing: inserting, deleting, moving, undoing. */
#include "ui/screen/editor.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

static bool editor_is_utf8_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80; /* not the first byte of a character */
}

static size_t line_begin(const struct editor *e, size_t at)
{
	while (at > 0 && e->text[at - 1] != '\n')
		at--;
	return at;
}

static size_t line_end(const struct editor *e, size_t at)
{
	while (at < e->n && e->text[at] != '\n')
		at++;
	return at;
}

unsigned editor_cells(const char *line, size_t at)
{
	unsigned cells = 0;
	for (size_t i = 0; i < at; i++)
		cells += line[i] == '\t' ? EDITOR_TAB - cells % EDITOR_TAB
		                         : !editor_is_utf8_continuation(line[i]);
	return cells;
}

static void keep_column(struct editor *e)
{
	const size_t begin = line_begin(e, e->at);
	e->cells = e->n ? editor_cells(e->text + begin, e->at - begin) : 0;
}

static bool editor_reserve_bytes(struct editor *e, size_t n)
{
	if (n > EDITOR_MAX)
		return false;
	if (n + 1 <= e->cap)
		return true;
	const size_t cap = 2 * (n + 64);
	char *text = alloc_resize(e->text, cap);
	if (!text)
		return false;
	e->text = text;
	e->cap = cap;
	return true;
}

static void editor_clear_undo(struct editor *e)
{
	while (e->past_count)
		free(e->past[--e->past_count].text);
}

/* Saves the current text for undo. */
static void editor_push_undo(struct editor *e)
{
	char *copy = alloc_bytes(e->n + 1);
	if (!copy)
		return;
	if (e->n)
		memcpy(copy, e->text, e->n);
	if (e->past_count == EDITOR_UNDO) {
		free(e->past[0].text);
		memmove(e->past, e->past + 1, --e->past_count * sizeof *e->past);
	}
	e->past[e->past_count++] = (struct editor_past){copy, e->n, e->at};
}

static bool editor_replace_text(struct editor *e, const char *text, size_t n)
{
	if (!editor_reserve_bytes(e, n))
		return false;
	if (n)
		memmove(e->text, text, n);
	e->text[n] = '\0';
	e->n = n;
	e->changes++;
	return true;
}

bool editor_set(struct editor *e, const char *text, size_t n)
{
	if (!editor_replace_text(e, text, n))
		return false;
	editor_clear_undo(e);
	e->at = 0;
	e->cells = 0;
	e->typing = false;
	return true;
}

void editor_deinit(struct editor *e)
{
	editor_clear_undo(e);
	free(e->text);
	*e = (struct editor){0};
}

bool editor_insert(struct editor *e, const char *s, size_t n)
{
	if (!editor_reserve_bytes(e, e->n + n))
		return false;
	const bool letter = n <= 4 && *s != '\n';
	if (!letter || !e->typing)
		editor_push_undo(e);
	e->typing = letter;
	memmove(e->text + e->at + n, e->text + e->at, e->n - e->at);
	memcpy(e->text + e->at, s, n);
	e->n += n;
	e->text[e->n] = '\0';
	e->at += n;
	e->changes++;
	keep_column(e);
	return true;
}

bool editor_new_line(struct editor *e)
{
	char line[64] = "\n";
	size_t n = 1, begin = e->n ? line_begin(e, e->at) : 0;
	while (n < sizeof line && begin < e->at &&
	       (e->text[begin] == ' ' || e->text[begin] == '\t'))
		line[n++] = e->text[begin++];
	return editor_insert(e, line, n);
}

static void editor_delete_range(struct editor *e, size_t from, size_t to)
{
	if (from == to)
		return;
	editor_push_undo(e);
	e->typing = false;
	memmove(e->text + from, e->text + to, e->n - to);
	e->n -= to - from;
	e->text[e->n] = '\0';
	e->at = from;
	e->changes++;
	keep_column(e);
}

static size_t editor_prev_char(const struct editor *e, size_t at)
{
	while (at > 0 && editor_is_utf8_continuation(e->text[--at]))
		;
	return at;
}

static size_t editor_next_char(const struct editor *e, size_t at)
{
	if (at < e->n)
		at++;
	while (at < e->n && editor_is_utf8_continuation(e->text[at]))
		at++;
	return at;
}

void editor_erase(struct editor *e, bool back)
{
	if (back)
		editor_delete_range(e, editor_prev_char(e, e->at), e->at);
	else
		editor_delete_range(e, e->at, editor_next_char(e, e->at));
}

void editor_erase_line(struct editor *e)
{
	if (e->n)
		editor_delete_range(e, line_begin(e, e->at),
		                    editor_next_char(e, line_end(e, e->at)));
}

void editor_undo(struct editor *e)
{
	if (!e->past_count)
		return;
	struct editor_past *p = &e->past[--e->past_count];
	if (editor_replace_text(e, p->text, p->n))
		e->at = p->at;
	free(p->text);
	e->typing = false;
	keep_column(e);
}

/* Byte of a line that is nearest to a cell. */
static size_t at_cell(const struct editor *e, size_t begin, unsigned cells)
{
	size_t at = begin;
	const size_t end = line_end(e, begin);
	while (at < end && editor_cells(e->text + begin, editor_next_char(e, at) - begin) <= cells)
		at = editor_next_char(e, at);
	return at;
}

static void editor_move_lines(struct editor *e, int lines)
{
	size_t begin = line_begin(e, e->at);
	for (; lines < 0 && begin > 0; lines++)
		begin = line_begin(e, begin - 1);
	for (; lines > 0 && line_end(e, begin) < e->n; lines--)
		begin = line_end(e, begin) + 1;
	e->at = at_cell(e, begin, e->cells);
}

void editor_move(struct editor *e, enum editor_move how, int lines)
{
	e->typing = false;
	if (!e->n)
		return;
	switch (how) {
	case EDITOR_LEFT:
		e->at = editor_prev_char(e, e->at);
		break;
	case EDITOR_RIGHT:
		e->at = editor_next_char(e, e->at);
		break;
	case EDITOR_LINES:
		editor_move_lines(e, lines);
		return;
	case EDITOR_LINE_BEGIN:
		e->at = line_begin(e, e->at);
		break;
	case EDITOR_LINE_END:
		e->at = line_end(e, e->at);
		break;
	case EDITOR_BEGIN:
		e->at = 0;
		break;
	case EDITOR_END:
		e->at = e->n;
		break;
	}
	keep_column(e);
}

const char *editor_line_text(const struct editor *e, unsigned line, size_t *n)
{
	const char *at = e->text, *end = e->text + e->n;
	*n = 0;
	for (unsigned i = 1; at && i < line; i++) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		at = next ? next + 1 : NULL;
	}
	if (at) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		*n = (size_t)((stop ? stop : end) - at);
	}
	return at ? at : line == 1 ? "" : NULL;
}

void editor_go(struct editor *e, unsigned line, unsigned column)
{
	size_t n;
	const char *at = editor_line_text(e, line, &n);
	if (!at || !e->n)
		return;
	const size_t in = column ? column - 1 : 0;
	e->at = (size_t)(at - e->text) + (in < n ? in : n);
	e->typing = false;
	keep_column(e);
}

static unsigned editor_count_lines(const struct editor *e, size_t to)
{
	unsigned n = 1;
	for (size_t i = 0; i < to; i++)
		n += e->text[i] == '\n';
	return n;
}

unsigned editor_line(const struct editor *e)
{
	return editor_count_lines(e, e->at);
}
