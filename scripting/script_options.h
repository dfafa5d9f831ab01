/* A script's options, and the interface by which m:cmd reaches a session's commands. */
#ifndef CYCLOPS_SCRIPTING_SCRIPT_OPTIONS_H
#define CYCLOPS_SCRIPTING_SCRIPT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/defs/config.h"
#include "scripting/config/config_lua.h"
#include "core/defs/stats.h"
#include "hwviews/grid/grid.h"
#include "hwviews/session/session.h"
#include "scripting/expr/expr.h"

struct script;

/* The result of a command line: its text, and the last result of each kind. */
struct command_answer {
	char *text; /* malloc'd, may be NULL; [n] */
	size_t n;
	bool stopped;                /* a motion ended: */
	struct run_stop_info stop;
	bool valued;                 /* `print` computed a value: */
	struct expr_value value;
	bool shown;                  /* a view was shown: */
	struct grid grid;            /* owned by the caller */
	const char *view;            /* its name; valid as long as the session's views */
	bool counted;                /* statistics were shown: */
	uint64_t stats[STATS_ROOM];  /* indexed as in struct stats */
	bool judged, holds;          /* `expect` was checked: the result, and the points */
	unsigned got, of;
	uint64_t about;              /* seq of the instruction explained by `why`; 0: none */
	bool whole;                  /* the caller reads and frees the next two: */
	struct story *story;         /* malloc'd: its history; NULL: not known */
	/* the result as JSON, ui/console/answer_data.h; owned by the caller */
	struct json_t *data;
};

/* A command defined by a script (cyclops.command). Valid as long as the script. */
struct script_command {
	const char *name, *usage, *summary, *help;
	/* completions of the first argument, separated by blanks; "": none */
	const char *words;
	const char *complete; /* kind of further completions: "location", "file", ...; "": none */
	bool repeats;
};

/* Interface of m:cmd to the commands of a session, which live in ui/. */
struct command_port {
	void *ctx;
	/* Opens the state that commands on this session share. script: runs the commands, defines
	 * further ones, and may be untrusted. NULL with *err. */
	void *(*open)(void *ctx, struct script *script, struct session *s, struct err *err);
	/* Closes the state. False with *err if a file that commands were writing is incomplete. */
	bool (*close)(void *commands, struct err *err);
	/* Runs a line; *answer, initially zero, is filled also on failure. False with *err. */
	bool (*run)(void *commands, const char *line, struct command_answer *answer,
	            struct err *err);
	/* True if a script may define a command of this name and completion. */
	bool (*may_define)(void *ctx, const struct script_command *cmd, struct err *err);
	/* Save and load checkpoint files (m:save, m:load). */
	bool (*save)(struct session *s, const char *path, struct err *err);
	bool (*load)(struct session *s, const char *path, struct err *err);
	/* os.execute: runs a command on the host; returns a status like system() */
	int (*execute)(const char *command);
};

/* Steps that a safe script is charged for a cycle of its machines; an instruction without timing
 * costs one. */
enum { SCRIPT_CYCLE_STEPS = 4 };

struct script_options {
	/* untrusted: scripting/host/host.h; no machine can write files */
	bool safe;
	/* Lua steps of one text; 0: no limit, or a thousand million if safe */
	uint64_t steps;
	/* host memory of Lua in bytes; 0: no limit, or 256 MiB if safe */
	uint64_t bytes;
	/* configuration of machines unless the script sets one; NULL: the default */
	const struct config *base;
	const char *base_name;     /* its name; NULL: the default's */
	const struct config_files *base_files; /* that it names; NULL: none */
	const struct command_port *commands; /* NULL: none */
	/* receives prints and the guests' output; fd is 1 or 2 */
	void (*write)(void *ctx, int fd, const char *text, size_t n);
	void *ctx;
};

#endif
