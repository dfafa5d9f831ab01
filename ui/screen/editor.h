/* A text editor's state: bytes, cursor and undo history. Nothing here draws. */
#ifndef CYCLOPS_UI_SCREEN_EDITOR_H
#define CYCLOPS_UI_SCREEN_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

enum { EDITOR_MAX = 1 << 20, EDITOR_UNDO = 100, EDITOR_TAB = 8 };

struct editor_past {
	char *text; /* owned; [n] */
	size_t n, at;
};

struct editor {
	char *text; /* owned; [n], NUL-terminated; NULL: empty */
	size_t n, cap;
	size_t at;                            /* the cursor's byte, 0 to n */
	unsigned cells;                       /* the column in which Up and Down go on */
	struct editor_past past[EDITOR_UNDO]; /* [past_count], oldest first */
	unsigned past_count;
	bool typing;      /* the next typed character joins the last undo step */
	unsigned changes; /* how often it has changed */
};

enum editor_move {
	EDITOR_LEFT,
	EDITOR_RIGHT,
	EDITOR_LINES,
	EDITOR_LINE_BEGIN,
	EDITOR_LINE_END,
	EDITOR_BEGIN,
	EDITOR_END
};

/* Replaces the text and clears the undo history. False if it is too long or memory is short. */
bool editor_set(struct editor *e, const char *text, size_t n);
void editor_deinit(struct editor *e);
/* Inserts at the cursor; editor_new_line() also indents like the line before. False: no room. */
bool editor_insert(struct editor *e, const char *s, size_t n);
bool editor_new_line(struct editor *e);
/* Deletes the character before the cursor (back), or the one after it. */
void editor_erase(struct editor *e, bool back);
/* Deletes the cursor's line. */
void editor_erase_line(struct editor *e);
void editor_undo(struct editor *e);
/* Moves the cursor; lines: number of lines for EDITOR_LINES. */
void editor_move(struct editor *e, enum editor_move how, int lines);
/* Moves the cursor to a line, from 1, and a byte of it, from 1. */
void editor_go(struct editor *e, unsigned line, unsigned column);

/* The cursor's line, from 1. */
unsigned editor_line(const struct editor *e);
/* Returns the beginning of line `line` and its length *n; NULL: there is none. */
const char *editor_line_text(const struct editor *e, unsigned line, size_t *n);
/* Cell of byte `at` of a line. */
unsigned editor_cells(const char *line, size_t at);

#endif
