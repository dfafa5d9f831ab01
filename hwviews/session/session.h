/* A session: one program in one machine under run control, and what a person has selected.
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
struct pipe_zoom;
struct marks;
struct hot;
struct twin;
struct view_list;
struct what_if;

/* A variable of the selected call, with its value as C writes it; inlined: the function inlined
 * there whose it is, or NULL; hidden: one of an inner block has the name. writer: seq of the
 * youngest instruction in flight that writes it, 0: none; coming: what it will be then, NULL: not
 * known yet. */
struct session_variable {
	const char *name, *text, *inlined;
	bool parameter, hidden;
	uint64_t writer;
	const char *coming;
};
typedef void session_variable_fn(void *to, const struct session_variable *v);
/* What a person wants to see at every stop: its number, what it is, its value or why there is none.
 */
typedef void session_display_fn(void *to, int number, const char *what, const char *text,
                                bool failed);

struct session {
	/* what `set` changes takes effect at the next `run`; the machine has its own */
	struct config cfg;
	char *config_name;        /* preset or file; owned */
	/* owned: of what `set config` chose for the next run; NULL: the same */
	char *next_config_name;
	struct program *program;  /* owned, unless `beside` */
	bool beside;              /* program is another session's, which lives longer */
	struct machine *machine;  /* owned */
	struct run *run;          /* owned */
	/* how it is started again; paths, arguments and environment are owned copies, argc is not 0
	 */
	struct launch launch;
	uint64_t fast_forward;    /* instructions executed functionally before cycle 0 */
	bool warm;
	bool adopted;             /* its machine began in the middle of the run */
	struct run_options history;
	/* owned: what paths the program counts, once somebody has asked; see
	 * hwviews/flow/flow_paths.h */
	struct path_cache *path_cache;
	/* owned: what views looking back have collected; NULL: they can't */
	struct pipe_history *pipe_history;
	struct pipe_zoom *pipe_zoom; /* owned: the same, from far away */
	struct marks *marks;  /* owned: marks, and what was counted when; hwviews/session/marks.h */
	struct places places; /* where the machine has stopped; hwviews/session/stop_history.h */
	/* owned: what the command of that name found out last; NULL: nothing yet */
	struct what_if *what_if;
	struct sampled_run *sampled; /* the same; hwviews/why/sampled_run.h */
	/* owned: another machine in step with this one, hwviews/twin/twin.h; NULL: none */
	struct twin *twin;
	/* owned: what instructions did, once somebody has asked; hwviews/why/hot.h. NULL: nobody
	 * can */
	struct hot *hot;
	/* Computes an expression to a whole number, for addresses; NULL: nobody can. Set by the
	 * scripting layer. */
	bool (*evaluate)(void *ctx, const char *text, int64_t *out, struct err *err);
	void *evaluate_ctx;
	/* Tells the selected call's variables; false if nothing is known of them. NULL: nobody can.
	 * Set by the scripting layer. */
	bool (*variables)(void *ctx, session_variable_fn *fn, void *to);
	/* Tells what is displayed. NULL: nobody can. Set by the command layer. */
	void (*displays)(void *ctx, session_display_fn *fn, void *to);
	void *displays_ctx;
	/* owned; [microprogram_count]: those that were loaded by hand, see hwviews/cop/cop_names.h
	 */
	struct microprogram **microprograms;
	unsigned microprogram_count;
	/* beside those of views.def, hwviews/grid/view.h; borrowed; NULL: none */
	const struct view_list *more_views;
	enum reach reach; /* of those whose words it acts on */
	/* owned: files that session_set_input() opened, for this run and for the next; -1: none */
	int input, input_next;
	/* owned: what is expanded and collapsed, hwviews/flow/context_folds.h; NULL: nothing by
	 * hand */
	struct context_folds *context_folds;
	/* uop that views and `why` are about; 0 = the event's, else the oldest in flight */
	uint64_t selected_seq;
	/* uop of the event at which the machine stopped, and when; seq 0: none */
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
/* Names of places are those of the files that s's own machine has mapped: after another machine ran
 * the program. */
void session_watch_symbols(const struct session *s);
/* Another session on s's program, which it borrows, or on `other`, which it takes over and which is
 * called and started as s's is; from the beginning on a machine of cfg: what the program writes and
 * what is to be said of it is not heard, and its input is `input`, which it takes over, -1: empty.
 * NULL with *err. */
struct session *session_beside(const struct session *s, const struct config *cfg,
                               struct program *other, int input, struct err *err);
void session_free(struct session *s);
/* Where guest output and warnings go from now on, also after a restart. */
void session_set_output(struct session *s, os_output_fn *fn, void *ctx);
void session_set_warn(struct session *s, os_warn_fn *fn, void *ctx);
/* Who is asked for the program's standard input from now on, also after a restart; NULL: it is
 * empty. */
void session_ask_for_input(struct session *s, os_input_fn *fn, void *ctx);
/* The file is the program's standard input from the next run on. False with *err, and nothing
 * changed. */
bool session_set_input(struct session *s, const char *path, struct err *err);
/* Starts the program again from the beginning with s->cfg; breakpoints and listeners stay. False
 * with *err: the old run stays as it is. */
bool session_restart(struct session *s, struct err *err);
/* Takes over a machine with the program in the middle of its run, and its configuration; history
 * begins there, breakpoints and listeners stay. */
void session_adopt(struct session *s, struct machine *m);

/* ---- what it is about ---- */
/* The uop that `why` and single-uop views are about: the selected one while its slot still holds
 * it, else that of the event at which the machine has just stopped, else the oldest in flight, else
 * NULL. */
struct uop *session_uop(const struct session *s);

/* Whether the program uses Xprof, here or where it has come to: there is such an instruction in its
 * file, or one was fetched. False where the machine has no Xprof. */
bool session_uses_xprof(const struct session *s);

/* "find+0x10 (words.c:41)" for an address. Returns buf. */
char *session_where(const struct session *s, uint64_t pc, char *buf, size_t n);

/* machine_peek() for who reads memory through a function with a context: that is the machine. */
bool session_peek(const void *machine, uint64_t addr, void *buf, size_t n);

#endif
