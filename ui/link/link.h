/* A link: the text that leads to a moment of a program's run.
 *
 * Its fragment is "1." and, in base64url, a zlib stream of lines. docs/links.md has the format.
 *
 *   demo NAME             a program of the course's build/demos; or, for texts:
 *   text NAME BYTES       an assembly file of one program; its bytes come after the empty line
 *   arg WORD              an argument of the program, in order
 *   abi NAME              whose services an assembly text's ecalls request
 *   config NAME           the preset's name that the session shows
 *   set NAME=VALUE        a parameter that differs from its default
 *   ff N, warm            --ff N, --warmup
 *   cycle N, insts N      the moment: cycles, and the instructions committed by then
 *   layout NAME, tree T   the screen's layout, and its tree if the user has changed it (layout.h)
 *
 * A link comes from a stranger: link_read() refuses all that is not in this list. It names no file,
 * no Lua, no command, and no parameter that loads a file or takes more memory than the default. */
#ifndef CYCLOPS_UI_LINK_LINK_H
#define CYCLOPS_UI_LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/defs/config.h"

enum {
	LINK_NAME = 64, /* bytes of a demo's or a file's name with the zero */
	LINK_TEXTS = 16,
	LINK_ARGS = 64,
	LINK_CHARS = 64 << 10,  /* of a fragment */
	LINK_BYTES = 512 << 10, /* of its lines and texts */
	LINK_TREE = 4096
};

struct link_text {
	char name[LINK_NAME]; /* "prog.s" */
	char *bytes;          /* [n], and a zero; owned */
	size_t n;
};

struct link {
	char demo[LINK_NAME];              /* "" : texts */
	struct link_text text[LINK_TEXTS]; /* [text_count] */
	unsigned text_count;
	char *arg[LINK_ARGS]; /* [arg_count]; owned */
	unsigned arg_count;
	int abi;                     /* enum os_abi; -1: found out from the text */
	char config_name[LINK_NAME]; /* "": none */
	struct config config;
	uint64_t ff; /* instructions; 0: none */
	bool warm;
	uint64_t cycle, insts;
	char layout[LINK_NAME]; /* "": the screen's own choice */
	char *tree;             /* owned; NULL: the layout's */
};

/* Empty, with the default configuration. */
void link_init(struct link *l);
void link_deinit(struct link *l);
/* Writes the fragment, without '#', malloc'd. NULL with *err: this can't be a link. */
char *link_write(const struct link *l, struct err *err);
/* Reads a fragment, or an address with one after '#'. False with *err, and *l is empty. */
bool link_read(struct link *l, const char *address, struct err *err);
/* Adds a text of a program. False with *err. */
bool link_add_text(struct link *l, const char *name, const char *bytes, size_t n, struct err *err);
/* Adds an argument. False with *err. */
bool link_add_arg(struct link *l, const char *word, struct err *err);

#endif
