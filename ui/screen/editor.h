/* A text that a person edits: its bytes, where the cursor is, and what was before. Nothing here
 * draws. */
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
	char *text; /* owned; [n], with a zero behind it; NULL: empty */
	size_t n, cap;
	size_t at;                            /* the cursor's byte, 0 to n */
	unsigned cells;                       /* the column in which Up and Down go on */
	struct editor_past past[EDITOR_UNDO]; /* [past_count], oldest first */
	unsigned past_count;
	bool typing;      /* what is typed next belongs to what was typed last */
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

/* Another text, with nothing to undo. False if it is too long or memory is short. */
bool editor_set(struct editor *e, const char *text, size_t n);
void editor_deinit(struct editor *e);
/* Puts in at the cursor; a line end goes on under the one before's beginning. False: no room. */
bool editor_insert(struct editor *e, const char *s, size_t n);
bool editor_new_line(struct editor *e);
/* Takes the character before the cursor away, or the one behind it. */
void editor_erase(struct editor *e, bool back);
/* Takes the line away. */
void editor_erase_line(struct editor *e);
void editor_undo(struct editor *e);
/* By so many lines, for EDITOR_LINES. */
void editor_move(struct editor *e, enum editor_move how, int lines);
/* To a line, from 1, and a byte of it, from 1. */
void editor_go(struct editor *e, unsigned line, unsigned column);

/* From 1. */
unsigned editor_line(const struct editor *e);
/* Where line `line` begins, *n bytes of it; NULL: there is none. */
const char *editor_line_text(const struct editor *e, unsigned line, size_t *n);
/* The cell of byte `at` of a line. */
unsigned editor_cells(const char *line, size_t at);

#endif
