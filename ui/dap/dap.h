/* Serves a session to an editor: the Debug Adapter Protocol.
 *
 * One peer at a time. Peers are not trusted: an invalid message is refused with a reason, and
 * changes nothing. A session that was opened on the command line outlives its peers; one that a
 * peer has launched is closed when the peer leaves. */
#ifndef CYCLOPS_UI_DAP_DAP_H
#define CYCLOPS_UI_DAP_DAP_H

#include <time.h>

#include "ui/cli/options.h"
#include "ui/dap/wire.h"
#include "ui/remote/mover.h"

struct breakpoints;

/* Contents of an editor's variablesReference. */
enum handle_kind {
	HANDLE_ARGUMENTS,
	HANDLE_LOCALS,
	HANDLE_REGISTERS,
	HANDLE_FLOATS,
	HANDLE_PIPELINE,
	HANDLE_PARTS /* parts of the value of `text` */
};

struct handle {
	enum handle_kind kind;
	int frame;  /* an editor's frameId */
	char *text; /* owned; an expression, NULL: none */
};

struct dap {
	struct mover m;          /* m.s is NULL without a session */
	struct dap_wire *wire;   /* borrowed; NULL: no peer is connected */
	struct options *options; /* owned: how the session was opened */
	json_t *launched;        /* owned: the arguments of `launch`; NULL: no launch */
	const char **words;      /* owned: the command line made of them */
	struct console *console; /* owned */
	/* view of the machine at the current place, spot_look() */
	struct spot_viewpoint viewpoint;
	struct breakpoints *breakpoints; /* owned */
	struct handle *handle;           /* owned; [handles]; reference forgotten + i + 1 */
	size_t handles;
	/* references of earlier stops, which are not used again */
	int64_t forgotten;
	json_t *waiting;     /* owned: an array of messages that came while the program ran */
	const char *refused; /* reason to refuse `launch`; NULL: allowed */
	char token[33];      /* launch and attach must send it first; "": none */
	bool admitted;       /* the peer has sent the token, or needs none */
	bool trusted;        /* the peer has the rights of the user */
	bool lines_from_0, columns_from_0; /* the peer counts from 0 */
	bool reports_progress;             /* the peer supports progress events */
	bool configured;                   /* configurationDone has come */
	bool attached;                     /* to a session that outlives the peer */
	enum { BEGINS_LAUNCHED, BEGINS_ATTACHED } begins;
	bool stops_on_entry, stops_on_exit;
	bool only_runs;       /* noDebug: breakpoints don't stop */
	bool ends;            /* the peer has requested that the adapter ends too */
	bool runs, backwards; /* a motion is under way */
	bool listens;         /* a console command runs: collect its text */
	bool paused;          /* the peer has requested a stop */
	bool unheard;   /* no message since Ctrl-C on our terminal stopped a motion or command */
	bool over;      /* the peer has disconnected */
	bool told_exit; /* the end of the program has been reported */
	struct timespec began; /* of the motion */
	bool progress;         /* a progressStart event was sent */
	unsigned progress_id;
	time_t progressed; /* time of the last progress event */
	char *said;        /* owned: [said_n], the command's text */
	size_t said_n, said_room;
	char *output[3]; /* owned: [output_n], pending output of stdout and stderr */
	size_t output_n[3];
};

/* ---- adapter.c ---- */
/* Initializes zeroed storage. False if memory is out. */
bool dap_init(struct dap *d);
void dap_deinit(struct dap *d);
/* Serves a peer until it disconnects. */
void dap_serve(struct dap *d, struct dap_wire *w);
/* Handles messages that have come while the program runs. */
void dap_serve_waiting(struct dap *d);
/* Moves received messages to `waiting`, without blocking; true if there are any. */
bool dap_look(struct dap *d);

/* Handles a request and answers it. */
typedef void request_fn(struct dap *d, const json_t *request, const json_t *args);
enum request_when {
	ANY_TIME, /* also while the program runs, which is paused meanwhile */
	STANDS,   /* only while the program is stopped: else refused */
	HALTS     /* halts the program first */
};
struct request {
	const char *command;
	request_fn *run;
	enum request_when when;
	bool sessionless; /* allowed before launch and attach */
};

/* ---- send.c ---- */
/* Answers a request; takes over body, which may be NULL. */
void dap_answer(struct dap *d, const json_t *request, json_t *body);
void dap_refuse(struct dap *d, const json_t *request, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void dap_event(struct dap *d, const char *event, json_t *body);
/* Makes a JSON string of n arbitrary bytes. */
json_t *dap_text(const char *text, size_t n);
/* "0x1234" */
json_t *dap_address(uint64_t addr);
/* Sends a message for the user, after the program's pending output. */
void dap_say(struct dap *d, const char *category, const char *text, size_t n);
/* Sends the program's pending output; all: including an incomplete last character. */
void dap_flush(struct dap *d, bool all);
/* Sinks of the program's output (os_output_fn) and the console's (ctx: the adapter). */
void dap_output(void *ctx, int fd, const void *bytes, size_t n);
void dap_console(void *ctx, const char *text, size_t n);

/* ---- arguments of requests; false or a default if missing or of another type ---- */
const char *asked_text(const json_t *args, const char *name);
bool asked_number(const json_t *args, const char *name, int64_t *out);
bool asked_flag(const json_t *args, const char *name);
/* Parses an address: "0x1234", or a number. */
bool dap_parse_address(const char *text, uint64_t *out);

/* ---- session.c ---- */
/* Opens the session that d->options names. False with *err. */
bool dap_open(struct dap *d, struct err *err);
void dap_close(struct dap *d);
/* Marks the program as killed and sends `terminated`. */
void dap_end(struct dap *d);
extern const struct request session_requests[];

/* ---- moves.c ---- */
extern const struct request moves_requests[];
/* Starts the program as launch or attach requested. */
void dap_begin(struct dap *d);
/* Reports that the program has stopped at the current place. */
void dap_tell_stop(struct dap *d, const char *reason);
/* Progress callback of struct run. */
bool dap_progress(void *ctx, uint64_t cycle);

/* ---- stack.c ---- */
extern const struct request stack_requests[];
/* Selects the frame for evaluating expressions; 0: the innermost of the running thread. False with
 * *err if there is no such frame. */
bool dap_look_at(struct dap *d, int frame, struct err *err);
void dap_look_away(struct dap *d);
/* Makes {"name": "a.c", "path": "/x/a.c"}; NULL: nothing is known. */
json_t *dap_source(struct dap *d, const char *file);

/* ---- variables.c ---- */
extern const struct request variables_requests[];
/* Makes a variablesReference for the editor; copies text. 0: there is no room. */
int64_t dap_handle(struct dap *d, enum handle_kind kind, int frame, const char *text);
const struct handle *dap_handle_of(const struct dap *d, int64_t reference);
void dap_forget_handles(struct dap *d);
/* Evaluates an expression in the frame selected by dap_look_at(), and puts value, type,
 * variablesReference and more into out. assigns: it may assign. False with *err. */
bool dap_value(struct dap *d, int frame, const char *text, bool assigns, bool hex, json_t *out,
               struct err *err);
/* Applies a change that an expression makes, at the place that the editor sees. */
bool dap_change(void *ctx, const struct change *c, struct err *err);

/* ---- pipeline.c ---- */
/* Appends variables for the in-flight instructions of the current line and what each waits for. */
void dap_pipeline(struct dap *d, json_t *variables);

/* ---- evaluate.c ---- */
/* Moves the machine exactly to the place that the editor sees, for console commands; false: the
 * request is refused. */
bool dap_settle(struct dap *d, const json_t *request);

extern const struct request evaluate_requests[];

/* ---- memory.c ---- */
extern const struct request memory_requests[];

/* ---- breakpoints.c ---- */
extern const struct request breakpoints_code_requests[], breakpoints_data_requests[];
bool breakpoints_init(struct dap *d);
void breakpoints_free(struct dap *d);
/* Removes all breakpoints of the peer. */
void breakpoints_clear(struct dap *d);
/* True if the point stops the program at d->m.at (struct mover's stops). */
bool breakpoints_stop(void *ctx, const struct point *p, bool forward);
/* True if the condition of a breakpoint at the point may hold there (struct mover's holds). */
bool breakpoints_hold(void *ctx, const struct point *p);
/* Prepares for a motion: forgets the hits of the last motion. */
void breakpoints_moving(struct dap *d);
/* Puts reason, breakpoint ids and text of the last stop into `stopped`. */
void breakpoints_tell(struct dap *d, json_t *stopped);
/* How many of the inlined functions that begin at pc, where a breakpoint stopped the program, it is
 * in: as in gdb, all of them at one on a line, those up to the named one at one on a function. */
unsigned breakpoints_inlined(const struct dap *d, uint64_t pc);

#endif
