/* A session: one program in one machine under run control, and the user's selection.
 *
 * Views read it; commands change it. It owns machine, program and run control. */
#ifndef CYCLOPS_HWVIEWS_SESSION_SESSION_H
#define CYCLOPS_HWVIEWS_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/reach.h"
#include "core/defs/config.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "hwviews/session/stop_place.h"
#include "loader/launch.h"
#include "loader/program.h"

struct context_folds;
struct microprogram;
struct sampled_run;
struct path_cache;
struct pipe_history;
struct waits;
struct pipe_zoom;
struct marks;
struct hot;
struct twin;
struct view_list;
struct what_if;

/* A variable of the selected call; text: its value in C syntax. inlined: the inlined function that
 * declares it, or NULL; hidden: an inner block's variable has the same name. writer: seq of the
 * youngest instruction in flight that writes the variable, 0: none; coming: the value to be
 * written, NULL: not known yet. */
struct session_variable {
	const char *name, *text, *inlined;
	bool parameter, hidden;
	uint64_t writer;
	const char *coming;
};
typedef void session_variable_fn(void *to, const struct session_variable *v);
/* An expression displayed at every stop: number, expression, and its value or (`failed`) the error.
 */
typedef void session_display_fn(void *to, int number, const char *what, const char *text,
                                bool failed);

struct session {
	/* `set` changes it, effective at the next `run`; the machine has its own */
	struct config cfg;
	char *config_name;        /* preset or file; owned */
	/* owned: name of the configuration that `set config` chose for the next run; NULL:
	 * unchanged */
	char *next_config_name;
	struct program *program;  /* owned, unless `beside` */
	bool beside;              /* `program` belongs to another session, which lives longer */
	struct machine *machine;  /* owned */
	struct run *run;          /* owned */
	/* for restarts; paths, arguments and environment are owned copies, argc is not 0 */
	struct launch launch;
	uint64_t fast_forward;    /* instructions executed functionally before cycle 0 */
	bool warm;
	bool adopted;             /* the machine began in the middle of the run */
	struct run_options history;
	/* owned: the paths that the program counts, once requested; see
	 * hwviews/flow/flow_paths.h */
	struct path_cache *path_cache;
	/* owned: collected by views that look back; NULL: they can't */
	struct pipe_history *pipe_history;
	struct waits *waits; /* owned: the same; hwviews/why/waits.h */
	struct pipe_zoom *pipe_zoom; /* owned: the same, at low zoom */
	struct marks *marks;  /* owned: marks and known counts; hwviews/session/marks.h */
	struct places places; /* where the machine has stopped; hwviews/session/stop_history.h */
	/* owned: the last result of `what-if`; NULL: none yet */
	struct what_if *what_if;
	struct sampled_run *sampled; /* the same; hwviews/why/sampled_run.h */
	/* owned: a machine in step with this one, hwviews/twin/twin.h; NULL: none */
	struct twin *twin;
	/* owned: counts of instructions, once requested; hwviews/why/hot.h. NULL: unavailable */
	struct hot *hot;
	/* Evaluates an expression to a whole number, for addresses; NULL: unavailable. Set by the
	 * scripting layer. */
	bool (*evaluate)(void *ctx, const char *text, int64_t *out, struct err *err);
	void *evaluate_ctx;
	/* Calls fn for the selected call's variables; false if none are known. NULL: unavailable.
	 * Set by the scripting layer. */
	bool (*variables)(void *ctx, session_variable_fn *fn, void *to);
	/* Calls fn for each displayed expression. NULL: unavailable. Set by the command layer. */
	void (*displays)(void *ctx, session_display_fn *fn, void *to);
	void *displays_ctx;
	/* owned; [microprogram_count]: loaded by hand, see hwviews/cop/cop_names.h */
	struct microprogram **microprograms;
	unsigned microprogram_count;
	/* beside those of views.def, hwviews/grid/view.h; borrowed; NULL: none */
	const struct view_list *more_views;
	enum reach reach; /* permissions of the source of its commands */
	/* owned: files that session_set_input() opened, for this run and for the next; -1: none */
	int input, input_next;
	/* owned: the user's expanded and collapsed nodes, hwviews/flow/context_folds.h; NULL:
	 * none */
	struct context_folds *context_folds;
	/* uop that views and `why` describe; 0: the event's, else the oldest in flight */
	uint64_t selected_seq;
	/* the call frame that a command selected, 0: the innermost; valid while the cycle is
	 * frame_cycle */
	unsigned frame;
	uint64_t frame_cycle;
	/* uop of the event at which the machine stopped, and the cycle; seq 0: none */
	uint64_t event_seq, event_cycle;
};

struct session_options {
	struct config cfg;
	const char *config_name;
	struct launch launch;     /* copied */
	uint64_t fast_forward;
	bool warm;
	struct run_options history;
};

/* ---- its life: session_open.c ---- */
/* Loads the program and starts it (cycle 0, fast-forward done). NULL with *err. */
struct session *session_open(const struct session_options *opt, struct err *err);
/* Makes symbols follow the files that s's own machine has mapped. Call after another machine ran
 * the program. */
void session_watch_symbols(const struct session *s);
/* Opens another session, at the program's start, on a machine of cfg. It borrows s's program, or
 * takes over `other` and starts that under the same name and with the same arguments. plugins: of
 * which cfg's are taken, borrowed; NULL: s's. The program's output and warnings are discarded.
 * input: the program's standard input, taken over; -1: empty.
 * NULL with *err. */
struct session *session_beside(const struct session *s, const struct config *cfg,
                               struct program *other, const struct plugins *plugins, int input,
                               struct err *err);
void session_free(struct session *s);
/* Sets the receivers of guest output and warnings, also after a restart. */
void session_set_output(struct session *s, os_output_fn *fn, void *ctx);
void session_set_warn(struct session *s, os_warn_fn *fn, void *ctx);
/* Sets the source of the program's standard input, also after a restart; NULL: empty. */
void session_ask_for_input(struct session *s, os_input_fn *fn, void *ctx);
/* Makes the file the program's standard input from the next run on. False with *err, and nothing
 * changed. */
bool session_set_input(struct session *s, const char *path, struct err *err);
/* Whether session_restart() could with this configuration; false with *err. Nothing is changed. */
bool session_may_restart(const struct session *s, const struct config *cfg, struct err *err);
/* Starts the program again from the beginning with s->cfg; breakpoints and listeners stay. False
 * with *err: the old run stays as it is. */
bool session_restart(struct session *s, struct err *err);
/* Takes over a machine with the program in the middle of its run, and its configuration; history
 * begins there, breakpoints and listeners stay. */
void session_adopt(struct session *s, struct machine *m);

/* ---- its subject ---- */
/* The uop that `why` and single-uop views describe: the selected uop while its slot holds it, else
 * the uop of the event at which the machine has just stopped, else the oldest in flight, else NULL.
 */
struct uop *session_uop(const struct session *s);

/* True if the program uses Xprof: its file contains an Xprof instruction, or one was fetched. False
 * if the machine has no Xprof. */
bool session_uses_xprof(const struct session *s);

/* "find+0x10 (words.c:41)" for an address. Returns buf. */
char *session_where(const struct session *s, uint64_t pc, char *buf, size_t n);
/* The source line at which the program is seen, as gdb's: inlined functions that begin exactly
 * there have not been entered. False if there is none. */
bool session_line_here(const struct session *s, struct source_line *out);
/* session_where() of that place and line. */
char *session_where_here(const struct session *s, char *buf, size_t n);

/* machine_peek() with a context parameter, which is the machine. */
bool session_peek(const void *machine, uint64_t addr, void *buf, size_t n);

#endif
