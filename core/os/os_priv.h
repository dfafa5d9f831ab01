/* Shared by the files of core/os/: the host side, a call in progress, answers in the journal, and
 * streams of the host. Next to it: tree.h (paths), host_questions.h, descriptors.h, scheduling.h
 * and signals.h.
 *
 * Layers, each using only those below: os.c and syscall.c -> scheduler.c -> handlers (file, dir,
 * stat, fd_calls, memory, time, process, signal_calls) -> questions to the host (host.c,
 * host_path.c, host_attr.c: each answer one entry of the journal) and what the guest has (signal.c,
 * thread_table.c, fd.c, space.c, clock.c) -> inode.c -> log.c, path.c, stdin.c, output.c ->
 * warning.c, buffers.c. A handler is a function of the arena,
 * guest memory and the host's answers: it repeats exactly when the answers do. */
#ifndef CYCLOPS_CORE_OS_OS_PRIV_H
#define CYCLOPS_CORE_OS_OS_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/host_memory.h"
#include "core/defs/config.h"
#include "core/os/inode_table.h"
#include "core/os/linux.h"
#include "core/os/os.h"

enum { PIPE_BYTES = 1 << 16 };

/* ---- output kept for views ---- */
enum { OUT_KEEP = 1 << 20 };

struct out_stream {
	/* owned; the newest bytes produced: at least the last OUT_KEEP */
	char *bytes;
	size_t n, cap;
	uint64_t first; /* stream position of bytes[0] */
	uint64_t high;  /* bytes delivered to the sink so far */
};

/* One stream wrote from these positions until the next turn: the turns order the streams'
 * output. */
struct out_turn {
	uint64_t at[OUT_STREAMS];
	uint64_t stream; /* below OUT_STREAMS */
};
/* Most turns kept; when there are more, the older half goes. */
enum { OUT_TURNS = 1 << 16 };

/* ---- the host side ---- */
struct host_file {
	uint64_t serial; /* of its description; 0 = none */
	int fd;          /* -1 = none; owned */
	/* owned; what a directory's description lists, if os_file.listing is `listed`; or NULL */
	struct listing *listing;
	uint64_t listed;
};

/* missing_library.c: the library last looked for in vain, and where. */
struct missing {
	char name[64], folders[200];
};

enum { SYSCALL_NUMBERS = 512 };

enum { STDIN_MAX = 1 << 16 }; /* most bytes of one read from a pipe or terminal */

/* folders.c: a folder of the host's in the guest's tree. */
struct folder {
	char at[OS_PATH]; /* place from the root, canonical (path_is_canonical()) */
	int fd;           /* O_PATH descriptor, or -errno; owned */
	bool writing;
};

struct os {
	struct os_state *st; /* in the arena; NULL until os_place */
	struct os_code_versions *code_versions; /* the same */
	uint64_t seed, clock_hz, epoch, stack_bytes, memory, slice;
	uint64_t top; /* end of the stack and of mappings */
	char hostname[PARAM_TEXT_MAX];
	char last_place[128]; /* last_place.h */
	bool terminal;
	bool writing;
	/* O_PATH descriptor of the confinement root, or -errno if there is none; owned */
	int root;
	int sysroot;        /* the same of the sysroot */
	struct folder folder[OS_FOLDERS]; /* [folders] */
	unsigned folders;
	char exe[LX_PATH_MAX]; /* target of /proc/self/exe; "" = no such link */
	int stdin_fd;       /* -1 = empty */
	bool stdin_regular; /* read at the guest's offset */
	bool stdin_terminal;
	bool typed; /* the last input read was typed */
	os_input_fn *input; /* source of input in its place, or NULL */
	void *input_ctx;
	bool input_typed; /* a person types that input */
	const volatile sig_atomic_t *interrupt;
	struct host_memory *scarce; /* NULL: no notice when memory is out or the host fails */
	const char *serving; /* name of the call being served */
	char host_failure[128];
	/* a call has stopped halfway, without timing or with it, and will be repeated; its answers
	 * begin at halved_at */
	bool halved;
	uint64_t halved_at;
	struct journal *journal; /* borrowed */
	uint64_t now;       /* guest cycle of the call being served */
	uint64_t ticks;     /* guest time of the call: `now` plus hart.slept */
	struct os_stream stream[OS_STREAMS]; /* [streams], to which the call has led */
	unsigned streams;
	/* owned; stdin bytes dropped from the journal by a cut, to be read again */
	uint8_t *pending;
	size_t pending_n;
	struct references *references; /* owned; NULL: the journal refers to no file */
	struct inodes inodes;
	struct host_file host[OS_FILES];
	struct out_stream out[OUT_STREAMS];
	struct out_turn *turn; /* owned; [turns] */
	size_t turns, turn_room;
	os_output_fn *output; /* NULL: the host's descriptors */
	void *output_ctx;
	bool quiet;
	int lost_output;    /* errno */
	struct missing missing;
	bool outside_told;  /* refused_path.c */
	unsigned outside_tries;
	os_mapped_fn *mapped;
	void *mapped_ctx;
	struct os **watch; /* borrowed; NULL = no watch */
	os_warn_fn *warn;
	void *warn_ctx;
	uint64_t *warned;   /* owned; digests of lines already printed */
	size_t warned_n;
	/* bit k: a warning of system call k, which is not implemented, has been given */
	uint64_t unknown[SYSCALL_NUMBERS / 64];
	uint8_t *scratch;   /* owned; reused by calls that move data */
	size_t scratch_cap;
};

/* A system call in progress. */
struct call {
	struct os *os;
	struct os_state *st;
	struct hart *h;
	struct mem *mem;
	uint64_t a[6];
	struct signal_thread *thread;   /* the caller's */
	struct signal_process *signals;
	uint64_t pc;                    /* of the ecall */
	bool restart; /* an entered handler decides: repeat the call, or -EINTR */
	bool jumped; /* registers are as the handler left them: the call returns nothing */
	/* the handler was interrupted and has changed only what undo_end() takes back */
	bool again;
	struct undo *undo; /* owned; NULL: this call is short */
	/* tick of the first expiry among the timers that the call waits for */
	uint64_t wakes;
};

/* Whether the call will be repeated from its beginning: results so far are no answers. */
static inline bool call_repeats(const struct call *c)
{
	return c->again || (c->os->scarce && c->os->scarce->refused);
}

typedef int64_t sys_fn(struct call *c);

enum { SYS_HOST = 1 };

struct sys_row {
	uint32_t number;
	const char *name;
	sys_fn *fn; /* NULL = ENOSYS */
	unsigned flags;
};

/* courses.c */
/* The service that a call of another ABI than Linux's requests, with its arguments in c->a; NULL:
 * there is none. *number receives its number. */
const struct sys_row *course_service(struct call *c, uint64_t *number);
/* Reports a number without a service. Returns the call's result. */
int64_t course_lack_service(struct call *c, uint64_t number);
/* bare.c: a bare-metal program's exceptions, and what it stores to `tohost`. As os_catches() and
 * os_fault(), and an ecall or mret. */
bool bare_catches(const struct hart *h, uint64_t pc, enum trap trap, uint64_t at);
void bare_fault(struct call *c, enum trap trap, uint64_t at);
void bare_call(struct call *c);
/* rv32.c: the row that serves a 32-bit program's call, whose row in RV64 is row64; NULL: none.
 * Makes its arguments words. */
const struct sys_row *rv32_service(struct call *c, const struct sys_row *row64, uint64_t number);
/* Bytes of a signal's frame for the hart's instruction set. rv32_write_frame() and
 * rv32_read_frame(): false if a part of the frame is not accessible. */
size_t signal_frame_bytes(const struct hart *h);
bool rv32_write_frame(struct mem *mem, uint64_t at, const struct lx_sigframe *frame);
bool rv32_read_frame(struct mem *mem, uint64_t at, struct lx_sigframe *frame);

#define SYS(number, name, fn, flags) sys_fn fn;
#define NOSYS(number, name)
#include "core/os/syscalls.def"
#undef SYS
#undef NOSYS

/* buffers.c */
/* At least n bytes, valid until the next call; NULL if memory is short. */
uint8_t *os_scratch(struct os *os, size_t n);
/* Number of bytes from addr on, at most n, that the guest may access with prot. */
uint64_t guest_span(const struct mem *mem, uint64_t addr, uint64_t n, unsigned prot);
/* Reads a word of memory, 4 or 8 bytes by the hart's instruction set. */
bool guest_word(const struct call *c, uint64_t at, uint64_t *v);

/* warning.c: and os_warnf() */
/* Makes the machine wait before the call, after this failure of the host (host_failed()). */
void host_refuse(struct os *os, int64_t ret);

/* random.c */
void os_seed_random(struct os_state *st, uint64_t seed);
void os_random_bytes(struct os_state *st, uint8_t *bytes, size_t n);

/* inode.c */
void inodes_free(struct os *os);
/* Takes back numbers above os_state.inodes. */
void inodes_cut(struct os *os);

/* maps.c */
/* Note a file mapped from its beginning, and a range unmapped or mapped again. */
void maps_note(struct os *os, const struct os_file *f, uint64_t start, uint64_t length);
void maps_gone(struct os *os, uint64_t start, uint64_t length);

/* code_versions.c */
void code_versions_place(struct os *os, struct arena *a);
void code_versions_reset(struct os *os);
void code_versions_ranges(const struct os *os, struct ranges *rs);
/* The error in what the ranges don't check, or NULL. */
const char *code_versions_error(const struct os *os);
const char *maps_state_error(const struct os_state *st);

/* missing_library.c */
/* Notes whether an open() of this path found a file. */
void missing_note(struct os *os, const char *path, bool found);
/* Call when the program ends with this status: if the cause is a missing library, warns. */
void missing_tell(struct os *os, int status);

/* refused_path.c */
/* Notes a path that could not be found, or created if `makes`. */
void outside_note(struct os *os, const char *path, bool makes);

/* undo.c */
/* bytes; smaller calls take less than a millisecond, and no more memory than the reserve has */
enum { UNDO_ALWAYS = 1 << 20 };
/* Prepares to take back a handler that moves `bytes` bytes, or (UNDO_ALWAYS) has steps that must
 * not remain half done; call it before any change. False: host memory is out, and the call must
 * stop; its result is ignored. */
bool undo_begin(struct call *c, uint64_t bytes);
/* Whether to give up between two pieces; then sets `again`, and the result is ignored. */
bool undo_wanted(struct call *c);
/* Call after every system call. */
void undo_end(struct call *c);

/* log.c */
#define JOURNAL_WHAT "the journal of system calls"
/* The recorded answer to this question, consumed; NULL when the journal is at its end: ask the
 * host. */
const struct journal_entry *log_replay(struct os *os, enum journal_kind kind, uint32_t key);
/* journal_open() and journal_close() in the cycle of the call being served. */
struct journal_entry *log_open(struct os *os, enum journal_kind kind, uint32_t key, size_t room);
void log_close(struct os *os, struct journal_entry *e);

static inline void *log_payload(struct journal_entry *e)
{
	return e + 1;
}

/* input_reference.c */
struct references;
/* Whether an entry refers to its bytes. */
bool reference_is(const struct journal_entry *e);
/* Whether to refer to n bytes of a regular file, not copy them. */
bool reference_wanted(const struct os *os, size_t n);
/* Turns an open entry of ret bytes into a reference to their place; false if impossible. name "" is
 * standard input. */
bool reference_make(struct os *os, int fd, const char *name, int64_t offset, const void *bytes,
                    struct journal_entry *e);
enum { REFERENCE_BYTES = 24 }; /* its payload */
/* The referenced bytes, read again, valid until the next call; NULL if that fails: try the call
 * again. */
const void *reference_bytes(struct os *os, const struct journal_entry *e);
void references_free(struct os *os);

/* output.c */
/* False: interrupted. Bytes delivered so far are not delivered again when the same bytes are
 * written at the same position. */
bool out_write(struct os *os, int fd, const void *bytes, size_t n);
/* Keeps typed bytes that were read, as a terminal has echoed them. */
void out_echo(struct os *os, const void *bytes, size_t n);
size_t out_turns_by_now(const struct os *os); /* turns up to the present */
void out_cut(struct os *os);

/* stdin.c */
/* Reads the next input into buf, bytes given back first; 0 = end, -EINTR = interrupted, nothing was
 * read. */
int64_t stdin_read(struct os *os, void *buf, size_t n);
void stdin_unread(struct os *os, const void *bytes, size_t n); /* before the pending bytes */

#endif
