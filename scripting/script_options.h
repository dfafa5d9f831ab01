/* What a script is made of: its options, and how m:cmd reaches the commands of a session. */
#ifndef CYCLOPS_SCRIPTING_SCRIPT_OPTIONS_H
#define CYCLOPS_SCRIPTING_SCRIPT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/defs/config.h"
#include "core/defs/stats.h"
#include "hwviews/grid/grid.h"
#include "hwviews/session/session.h"
#include "scripting/expr/expr.h"

struct script;

/* What a command line answered: its text, and the last of each kind of thing that its commands told
 * of. */
struct command_answer {
	char *text; /* malloc'd, may be NULL; [n] */
	size_t n;
	bool stopped;                /* a motion ended: */
	struct run_stop_info stop;
	bool valued;                 /* `print` computed: */
	struct expr_value value;
	bool shown;                  /* a view was shown: */
	struct grid grid;            /* owned by who asked */
	const char *view;            /* its name; stays as long as the session's views */
	bool counted;                /* statistics were shown: */
	uint64_t stats[STATS_ROOM];  /* as struct stats has them */
	bool judged, holds;          /* `expect` judged: whether it holds, and all points */
	unsigned got, of;
	uint64_t about;              /* seq of the instruction that `why` told of; 0: none */
	bool whole;                  /* who asked reads and frees these two: */
	struct story *story;         /* malloc'd: what befell it; NULL: nobody knows */
	/* what the command told, ui/console/answer_data.h; owned by who asked */
	struct json_t *data;
};

/* A command that a script defines (cyclops.command). All of it stays as long as the script. */
struct script_command {
	const char *name, *usage, *summary, *help;
	/* first arguments that completion offers, separated by blanks; "": none */
	const char *words;
	const char *complete; /* what else it offers: "location", "file", ..., "": nothing */
	bool repeats;
};

/* How m:cmd reaches the commands of a session, which live in ui/. */
struct command_port {
	void *ctx;
	/* What commands about this session share from one to the next; `script`, which gives them,
	 * has commands of its own and may be one whose author is not trusted. NULL with *err. */
	void *(*open)(void *ctx, struct script *script, struct session *s, struct err *err);
	/* False with *err if a file that they were writing is not whole. */
	bool (*close)(void *commands, struct err *err);
	/* Runs a line; *answer, zeroed before, is filled also on failure. False with *err. */
	bool (*run)(void *commands, const char *line, struct command_answer *answer,
	            struct err *err);
	/* Whether a script may define a command that is called so and completes so. */
	bool (*may_define)(void *ctx, const struct script_command *cmd, struct err *err);
	/* Checkpoint files (m:save, m:load). */
	bool (*save)(struct session *s, const char *path, struct err *err);
	bool (*load)(struct session *s, const char *path, struct err *err);
};

/* What a safe script's machines do counts as its own steps: a cycle as four, an instruction without
 * timing as one. */
enum { SCRIPT_CYCLE_STEPS = 4 };

struct script_options {
	/* the script's author is not trusted: scripting/host/host.h; no machine can write files */
	bool safe;
	/* of Lua that one text may take; 0: as many as it likes, or a thousand million if safe */
	uint64_t steps;
	/* of host memory that Lua may hold; 0: as many as it likes, or 256 MiB if safe */
	uint64_t bytes;
	/* what machines are made of unless the script says; NULL: the default */
	const struct config *base;
	const char *base_name;     /* of it; NULL: the default's */
	const struct command_port *commands; /* NULL: there are none */
	/* print and the guests' output; fd is 1 or 2 */
	void (*write)(void *ctx, int fd, const char *text, size_t n);
	void *ctx;
};

#endif
