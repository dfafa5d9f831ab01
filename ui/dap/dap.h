/* An editor's view of a session: the Debug Adapter Protocol.
 *
 * One peer at a time. It may be anybody and send anything: what can't be understood is refused with
 * a sentence, and changes nothing. A session that was opened on the command line outlives its
 * peers; one that a peer has launched goes with it. */
#ifndef CYCLOPS_UI_DAP_DAP_H
#define CYCLOPS_UI_DAP_DAP_H

#include <time.h>

#include "ui/cli/options.h"
#include "ui/dap/wire.h"
#include "ui/remote/mover.h"

struct breakpoints;

/* Where an editor's variables come from. */
enum handle_kind {
	HANDLE_ARGUMENTS,
	HANDLE_LOCALS,
	HANDLE_REGISTERS,
	HANDLE_FLOATS,
	HANDLE_PIPELINE,
	HANDLE_PARTS /* of what `text` is */
};

struct handle {
	enum handle_kind kind;
	int frame;  /* an editor's frameId */
	char *text; /* owned; an expression, NULL: none */
};

struct dap {
	struct mover m;          /* m.s NULL: there is no session */
	struct dap_wire *wire;   /* borrowed; NULL: nobody is connected */
	struct options *options; /* owned: how the session was opened */
	json_t *launched;        /* owned: the arguments that `launch` came with; NULL: none did */
	const char **words;      /* owned: the command line that they stand for */
	struct console *console; /* owned */
	struct spot_viewpoint viewpoint; /* from which the program is seen */
	bool elsewhere;          /* it shows a thread that does not run */
	struct breakpoints *breakpoints; /* owned */
	struct handle *handle;           /* owned; [handles]; reference i + 1 */
	size_t handles;
	json_t *waiting;     /* owned: messages that came while the program ran, an array */
	const char *refused; /* why `launch` is; NULL: it is not */
	bool trusted;        /* the peer may do whatever its user may */
	bool lines_from_0, columns_from_0; /* as the peer counts them */
	bool reports_progress;             /* the peer shows it */
	bool configured; /* the peer has said all that comes before the program runs */
	bool attached;   /* to a session that stays */
	enum { BEGINS_LAUNCHED, BEGINS_ATTACHED } begins;
	bool stops_on_entry, stops_on_exit;
	bool only_runs;        /* the peer sets breakpoints, but they stop nothing */
	bool ends;             /* the peer wants the adapter to end, too */
	bool runs, backwards;  /* a motion is under way */
	bool listens;          /* a command is: its text is collected */
	bool paused;           /* the peer wants it to stop */
	bool unheard; /* Ctrl-C here has stopped something, and the peer is silent since */
	bool over;             /* the peer has said good-bye, or is gone */
	bool told_exit;        /* the peer knows that the program has ended */
	struct timespec began; /* the motion */
	bool progress;         /* the peer was told that it takes long */
	unsigned progress_id;
	time_t progressed; /* when it was last told how far */
	char *said;        /* owned: [said_n], what the console has said */
	size_t said_n, said_room;
	char *output[3]; /* owned: [output_n], of the program's stdout and stderr */
	size_t output_n[3];
};

/* ---- adapter.c ---- */
/* In zeroed storage. False if memory is out. */
bool dap_init(struct dap *d);
void dap_deinit(struct dap *d);
/* Serves a peer until it goes. */
void dap_serve(struct dap *d, struct dap_wire *w);
/* Takes and answers what has come while the program runs. */
void dap_serve_waiting(struct dap *d);
/* Messages that have come wait from now on; whether there are any. */
bool dap_look(struct dap *d);

/* A request under way. */
typedef void request_fn(struct dap *d, const json_t *request, const json_t *args);
enum request_when {
	ANY_TIME, /* also while the program runs, which waits for a moment */
	STANDS,   /* only while it stands still: else it is refused */
	HALTS     /* it halts the program first */
};
struct request {
	const char *command;
	request_fn *run;
	enum request_when when;
	bool sessionless;
};

/* ---- send.c ---- */
/* The answer to a request; body, taken over, may be NULL. */
void dap_answer(struct dap *d, const json_t *request, json_t *body);
void dap_refuse(struct dap *d, const json_t *request, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void dap_event(struct dap *d, const char *event, json_t *body);
/* A JSON string of n bytes that may be anything. */
json_t *dap_text(const char *text, size_t n);
/* "0x1234" */
json_t *dap_address(uint64_t addr);
/* A message for the person, behind what the program has written. */
void dap_say(struct dap *d, const char *category, const char *text, size_t n);
/* What the program has written goes out; all: also the beginning of a character. */
void dap_flush(struct dap *d, bool all);
/* The program's output (os_output_fn), and the console's (ctx: the adapter). */
void dap_output(void *ctx, int fd, const void *bytes, size_t n);
void dap_console(void *ctx, const char *text, size_t n);

/* ---- arguments of requests; each false or a default if there is none of the type ---- */
const char *asked_text(const json_t *args, const char *name);
bool asked_number(const json_t *args, const char *name, int64_t *out);
bool asked_flag(const json_t *args, const char *name);
/* An address: "0x1234", or a number. */
bool dap_parse_address(const char *text, uint64_t *out);

/* ---- session.c ---- */
/* Opens the session that d->options names. False with *err. */
bool dap_open(struct dap *d, struct err *err);
void dap_close(struct dap *d);
/* The program is over for the peer. */
void dap_end(struct dap *d);
extern const struct request session_requests[];

/* ---- moves.c ---- */
extern const struct request moves_requests[];
/* Lets the program begin, as launch or attach asked. */
void dap_begin(struct dap *d);
/* Tells that the program stands where it is now. */
void dap_tell_stop(struct dap *d, const char *reason);
/* struct run's progress. */
bool dap_progress(void *ctx, uint64_t cycle);

/* ---- stack.c ---- */
extern const struct request stack_requests[];
/* From now on what is asked is asked of the frame: false with *err if there is no such frame. 0:
 * the innermost of the thread that runs. */
bool dap_look_at(struct dap *d, int frame, struct err *err);
void dap_look_away(struct dap *d);
/* {"name": "a.c", "path": "/x/a.c"}; NULL: nothing is known. */
json_t *dap_source(struct dap *d, const char *file);

/* ---- variables.c ---- */
extern const struct request variables_requests[];
/* A reference for an editor; text is copied. 0: there is no room. */
int64_t dap_handle(struct dap *d, enum handle_kind kind, int frame, const char *text);
const struct handle *dap_handle_of(const struct dap *d, int64_t reference);
void dap_forget_handles(struct dap *d);
/* Computes an expression in the frame that dap_look_at() looks at, and puts value, type,
 * variablesReference and more into out. assigns: it may. False with *err. */
bool dap_value(struct dap *d, int frame, const char *text, bool assigns, bool hex, json_t *out,
               struct err *err);
/* Lets expressions change the program where the editor sees it. */
bool dap_change(void *ctx, const struct change *c, struct err *err);

/* ---- pipeline.c ---- */
/* What the instructions of the line wait for, as variables, where dap_look_at() looks. */
void dap_pipeline(struct dap *d, json_t *variables);

/* ---- evaluate.c ---- */
/* Moves the machine to the place exactly, for commands of ours; false: the request is refused. */
bool dap_settle(struct dap *d, const json_t *request);

extern const struct request evaluate_requests[];

/* ---- memory.c ---- */
extern const struct request memory_requests[];

/* ---- breakpoints.c ---- */
extern const struct request breakpoints_code_requests[], breakpoints_data_requests[];
bool breakpoints_init(struct dap *d);
void breakpoints_free(struct dap *d);
/* Takes all of the peer's away. */
void breakpoints_clear(struct dap *d);
/* Whether the point stops the program where d->m.at is (struct mover's stops). */
bool breakpoints_stop(void *ctx, const struct point *p, bool forward);
/* Whether its condition may hold there (struct mover's holds). */
bool breakpoints_hold(void *ctx, const struct point *p);
/* A motion begins. */
void breakpoints_moving(struct dap *d);
/* Of the last stop: reason, ids, and what there is to say of it. */
void breakpoints_tell(struct dap *d, json_t *stopped);

#endif
