/* The playground: a pane with the text of the program that the session runs, assembly or C. An
 * assembly program may have several texts, of which one is shown: the others are tabs.
 *
 * Assembly is assembled while it is edited, C is compiled by the cross compiler before it runs. F5
 * saves the text and starts a new session on it with the same breakpoints, and compares its cycles
 * with the last version's. If the text is unchanged, F5 continues the program. */
#ifndef CYCLOPS_UI_SCREEN_PLAYGROUND_H
#define CYCLOPS_UI_SCREEN_PLAYGROUND_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "loader/asm/asm.h"
#include "ui/screen/draw.h"
#include "ui/screen/editor.h"

struct screen;

/* Cost of running a version to its end. */
struct playground_run {
	bool known; /* it ended within PLAYGROUND_CYCLES */
	uint64_t cycles, insts; /* without input */
	uint64_t shown;         /* cycles of the session's run; 0: it has not ended yet */
};
/* Most cycles for running a version to its end; cells before a line. */
enum { PLAYGROUND_CYCLES = 20000000, PLAYGROUND_GUTTER = 5, PLAYGROUND_TEXTS = 16 };

/* A file that is edited. */
struct playground_text {
	char path[PATH_MAX];
	char kept[PATH_MAX];    /* of the edit that outlasts a closed terminal; "": nowhere */
	bool offered;           /* an edit of an earlier session is there: Enter takes it */
	unsigned as_kept;       /* editor.changes of the kept edit */
	unsigned opened;        /* editor.changes of the text as it was opened, and as saved */
	unsigned saved;
	struct editor editor;
	unsigned top, left;     /* first line and cell in sight */
	int tab, tab_width;     /* column of its tab; width 0: not drawn */
};

/* Outlives sessions; owned by the function that starts the sessions. Zero: without a text.
 * Versions are numbers of changes of all texts: playground_changes(). */
struct playground {
	struct playground_text text[PLAYGROUND_TEXTS]; /* [count], of one program */
	unsigned count, shown;
	bool gone;                 /* the terminal has closed: kept edits stay */
	struct asm_options options; /* of the assembler; borrowed */
	struct asm_result result;  /* of the current version, without the program */
	unsigned checked;          /* the version checked last */
	bool c;                    /* the text is C; it is the only one */
	unsigned ran;              /* the version that the session runs */
	/* commands that set the last session's breakpoints; owned; NULL: none */
	char *stops;
	bool focused;       /* keys go to the editor */
	unsigned warned;    /* the version at the last warning about unsaved changes */
	struct playground_run run, before; /* of this version, and the previous */
	struct rect r;                     /* on the screen; h = 0: not shown */
	uint64_t followed; /* the cycle that was drawn last */
};

/* The text that is shown. */
static inline struct playground_text *playground_shown(struct playground *p)
{
	return &p->text[p->shown];
}

/* Adds the file's text; if the file does not exist, an example, or, among several files, an empty
 * text. `kept`: where an edit is kept if the terminal closes; NULL: nowhere. False with
 * *err. */
bool playground_open(struct playground *p, const char *path, bool several, const char *kept,
                     struct err *err);
unsigned playground_changes(const struct playground *p);
/* Whether a text is not saved as it is now. */
bool playground_text_changed(const struct playground_text *t);
bool playground_changed(const struct playground *p);
/* The first text with an edit of an earlier session; NULL: none. */
struct playground_text *playground_offered(struct playground *p);
/* The index of the text of this file, as debug information has it; -1 for any other file. */
int playground_find(const struct playground *p, const char *file);
void playground_deinit(struct playground *p);
/* Builds the program; if the text has errors, builds a program that only exits, for something to
 * inspect. False with *err. */
bool playground_assemble(struct playground *p, const char *program, struct err *err);

/* Checks the current text and puts its errors into p->result; C is checked only when it is
 * compiled. */
void playground_check(struct playground *p);
/* Takes the result of compiling C: success, the compiler's output, a line each, and the reason if
 * it could not run. */
void playground_compiled(struct playground *p, bool ok, FILE *said, const char *why);
/* Saves the texts that have changed. False with *err. */
bool playground_save(struct playground *p, struct err *err);
/* Keeps edits that are not saved, for the case that the terminal closes. */
void playground_keep(struct playground *p);
/* The terminal has closed: keeps edits, and lets the session end. */
void playground_gone(struct playground *p);
/* Takes the edit that an earlier session kept into the editor, or drops it. False with *err. */
bool playground_take_kept(struct playground_text *t, bool take, struct err *err);

/* ---- on the screen ---- */
void playground_begin(struct screen *s);
/* Takes its part of the area for panes; returns the rest. */
struct rect playground_place(struct playground *p, struct rect area);
/* Handles a key; false if it is not for the editor. */
bool playground_key(struct screen *s, int key);
bool playground_mouse(struct screen *s);
void playground_paste(struct screen *s, const char *text, size_t n);
void playground_lines(const struct playground *p, struct canvas *c);
void playground_draw(struct screen *s);
/* True if a text is not saved and the user has not been warned of that yet: don't leave. */
bool playground_holds(struct screen *s);
/* Draws its keys on the bottom line. */
void playground_hints(struct screen *s, int y);

#endif
