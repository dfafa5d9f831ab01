/* Shared by the files of core/os/: the host side, a call in progress, answers in the journal, and
 * questions to the host.
 *
 * Layers, each using only those below: handlers (file, dir, stat, fd, memory, time, process,
 * signal) -> questions to the host (host.c, host_path.c, host_attr.c: each answer one entry of the
 * journal) -> inode.c -> log.c, path.c, stdin.c, output.c. A handler is a function of the arena,
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
	/* owned; the newest bytes produced, OUT_KEEP at least once there are that many */
	char *bytes;
	size_t n, cap;
	uint64_t first; /* stream position of bytes[0] */
	uint64_t high;  /* bytes delivered to the sink so far */
};

/* From these positions on one stream wrote, until the next turn: what tells the order of both. */
struct out_turn {
	uint64_t at[OUT_STREAMS];
	uint64_t stream; /* below OUT_STREAMS */
};
/* Most that are kept; the older half goes when there are more. */
enum { OUT_TURNS = 1 << 16 };

/* ---- the host side ---- */
struct host_file {
	uint64_t serial; /* of the description it belongs to; 0 = none */
	int fd;          /* -1 = none; owned */
};

/* missing.c: the library that was looked for last and not found, and where. */
struct missing {
	char name[64], folders[200];
};

enum { SYSCALL_NUMBERS = 512 };

enum { STDIN_MAX = 1 << 16 }; /* most bytes of one read from a pipe or terminal */

/* folders.c: one of the host's that is in the guest's tree. */
struct folder {
	char at[OS_PATH]; /* where, from the root, as path_is_canonical() has it */
	int fd;           /* O_PATH descriptor, or -errno; owned */
	bool writing;
};

struct os {
	struct os_state *st; /* in the arena; NULL until os_place */
	uint64_t seed, clock_hz, epoch, stack_bytes, memory, slice;
	char hostname[PARAM_TEXT_MAX];
	bool terminal;
	bool writing;
	/* O_PATH descriptor of the confinement root, or -errno if there is none; owned */
	int root;
	int sysroot;        /* the same of the sysroot */
	struct folder folder[OS_FOLDERS]; /* [folders] */
	unsigned folders;
	char exe[LX_PATH_MAX]; /* what /proc/self/exe says; "" = there is no such link */
	int stdin_fd;       /* -1 = empty */
	bool stdin_regular; /* then it is read at the guest's offset */
	bool stdin_terminal;
	bool typed; /* what was read of it last was typed */
	os_input_fn *input; /* who is asked in its place, or NULL */
	void *input_ctx;
	bool input_typed; /* it is a person */
	const volatile sig_atomic_t *interrupt;
	struct host_memory *scarce; /* NULL: nobody hears where memory is out, or the host fails */
	const char *serving; /* name of the call being served */
	char host_failure[128];
	/* a call is to come again, without timing or with it; the answers from halved_at on are its
	 */
	bool halved;
	uint64_t halved_at;
	struct journal *journal; /* borrowed */
	uint64_t now;       /* guest cycle of the call being served */
	uint64_t ticks;     /* the same and what was slept: the guest's time */
	struct os_entered entered[OS_SIGNALS]; /* [entries], by it */
	unsigned entries;
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
	struct os **watch; /* borrowed; NULL = nobody's */
	os_warn_fn *warn;
	void *warn_ctx;
	uint64_t *warned;   /* owned; digests of lines already said */
	size_t warned_n;
	/* bit k: system call k, which is not implemented, has been told of */
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
	struct signal_thread *thread;   /* whose call it is */
	struct signal_process *signals;
	uint64_t pc;                    /* of the ecall */
	bool restart; /* a handler that is entered decides: the call comes again, or is -EINTR */
	bool jumped; /* registers are as the handler left them: the call returns nothing */
	/* the handler was interrupted and has changed nothing but what undo_end() takes back */
	bool again;
	struct undo *undo; /* owned; NULL: this call is short */
	/* the first tick in which a timer that was asked for expires */
	uint64_t wakes;
};

/* Whether it will come again, from its beginning: what it was told is no answer. */
static inline bool call_repeats(const struct call *c)
{
	return c->again || (c->os->scarce && c->os->scarce->refused);
}

typedef int64_t sys_fn(struct call *c);

#define SYS(number, name, fn, flags) sys_fn fn;
#define NOSYS(number, name)
#include "core/os/syscalls.def"
#undef SYS
#undef NOSYS

/* os.c */
/* At least n bytes, valid until the next call; NULL if memory is short. */
uint8_t *os_scratch(struct os *os, size_t n);
/* Bytes from addr on, at most n, that the guest may access as prot says. */
uint64_t guest_span(const struct mem *mem, uint64_t addr, uint64_t n, unsigned prot);
void os_random_bytes(struct os_state *st, uint8_t *bytes, size_t n);

/* inode.c */
void inodes_free(struct os *os);
/* Numbers above os_state.inodes are taken back. */
void inodes_cut(struct os *os);

/* maps.c */
/* A file was mapped from its beginning, or a range got another meaning. */
void maps_note(struct os *os, const struct os_file *f, uint64_t start, uint64_t length);
void maps_gone(struct os *os, uint64_t start, uint64_t length);
const char *maps_state_error(const struct os_state *st);

/* missing.c */
/* An open() of this path found it, or nothing. */
void missing_note(struct os *os, const char *path, bool found);
/* The program ends with this status: if that is for want of a library, says so. */
void missing_tell(struct os *os, int status);

/* refused_path.c */
/* Nothing was found under this path, which was to be made, or to be there. */
void outside_note(struct os *os, const char *path, bool makes);

/* undo.c */
/* bytes; what is less takes no millisecond, and no more memory than the reserve has */
enum { UNDO_ALWAYS = 1 << 20 };
/* Before a handler that moves so many bytes, or consists of steps that must not remain half done
 * (UNDO_ALWAYS), has changed anything. False: host memory is out, and the call must not go on; what
 * it returns means nothing. */
bool undo_begin(struct call *c, uint64_t bytes);
/* Between two pieces: whether to give up, with `again` set, and whatever value. */
bool undo_wanted(struct call *c);
/* Behind every call. */
void undo_end(struct call *c);

/* log.c */
#define JOURNAL_WHAT "the journal of system calls"
/* The recorded answer to this question, consumed; NULL when the journal is at its end: ask the
 * host. */
const struct journal_entry *log_replay(struct os *os, enum journal_kind kind, uint32_t key);
/* journal_open() and journal_close() in the cycle of the call being served. */
struct journal_entry *log_open(struct os *os, enum journal_kind kind, uint32_t key, size_t room);
void log_close(struct os *os, struct journal_entry *e);
/* The host has failed so (host_failed()): the machine waits before the call. */
void host_refuse(struct os *os, int64_t ret);

static inline void *log_payload(struct journal_entry *e)
{
	return e + 1;
}

/* input_reference.c */
struct references;
/* Whether an entry refers to its bytes. */
bool reference_is(const struct journal_entry *e);
/* Whether so many bytes of a regular file are better referred to than kept. */
bool reference_wanted(const struct os *os, size_t n);
/* Lets an open entry of ret bytes refer to where they lie; false if it can't. name "" is standard
 * input. */
bool reference_make(struct os *os, int fd, const char *name, int64_t offset, const void *bytes,
                    struct journal_entry *e);
enum { REFERENCE_BYTES = 24 }; /* of its payload */
/* Its bytes, read again, good until the next call; NULL if that can't be: the call is to be tried
 * again. */
const void *reference_bytes(struct os *os, const struct journal_entry *e);
void references_free(struct os *os);

/* output.c */
/* False: interrupted. What was delivered by then is not delivered again when the same bytes come
 * again at the same place. */
bool out_write(struct os *os, int fd, const void *bytes, size_t n);
/* Typed bytes were read: a terminal has echoed them. */
void out_echo(struct os *os, const void *bytes, size_t n);
size_t out_turns_by_now(const struct os *os); /* of the turns, those that the present knows of */
void out_cut(struct os *os);

/* device.c: what is ours below /dev */
#define DEVICE_FOLDER "dev" /* from the root */
enum os_device {
	DEVICE_NONE,
	DEVICE_DIR, /* /dev itself, where the tree has none */
	DEVICE_NULL,
	DEVICE_ZERO,
	DEVICE_RANDOM,
	DEVICE_URANDOM,
	DEVICE_TTY,
	DEVICE_COUNT
};

struct host_stat;
/* The device called name in the directory dir (a path from the root). */
enum os_device device_named(const char *dir, const char *name);
bool file_is_device(const struct os_file *f);
void device_stat(const struct os *os, enum os_device device, struct host_stat *out);
void device_stat_file(const struct os *os, const struct os_file *f, struct host_stat *out);
/* 0 and the kind of an open file, or -errno. slash = a slash followed the name. */
int device_open(enum os_device device, uint32_t flags, bool slash, uint8_t *kind);
int device_access(enum os_device device, bool slash, int mode);
/* Bytes a read delivers, at most n. */
int64_t device_read(struct os_state *st, const struct os_file *f, uint8_t *bytes, size_t n);

/* path.c: where a path leads, without ever leaving the root */
/* What a path is looked up in. */
struct tree {
	int root;                    /* O_PATH descriptor, or -errno */
	const struct folder *folder; /* [folders], in the place of what the root has there */
	unsigned folders;
};

static inline struct tree own_tree(const struct os *os)
{
	return (struct tree){os->root, os->folder, os->folders};
}

struct located {
	/* O_PATH descriptor of the directory that holds it; the receiver closes it */
	int dir;
	char last[LX_NAME_MAX + 1];  /* name in dir, or "." */
	char path[LX_PATH_MAX];      /* from the root, no symbolic links, no ".."; "" = root */
	bool slash;                  /* the path ended in a slash: only a directory will do */
	enum os_device device;       /* not DEVICE_NONE: ours, whatever dir has under that name */
};

/* Walks path (relative to the root) one component at a time. follow = also through a symbolic link
 * at the end (a trailing slash follows too unless `parent`). parent = the end need not exist or be
 * looked at: for creating and removing. 0 or -errno; what a link says is outside is -ENOENT. */
int path_locate(const struct tree *tree, const char *path, bool follow, bool parent,
                struct located *out);
/* folders.c: paths from the root, canonical */
/* The one that it lies in, or is; NULL: none, it is in the root's own tree. */
const struct folder *folder_of(const struct tree *t, const char *path);
/* The one that has this place. */
const struct folder *folder_at(const struct tree *t, const char *path);
/* Whether one lies below it: this is a directory, whatever the root has there. */
bool folder_below(const struct tree *t, const char *path);
/* sysroot.c: in which tree */
bool path_is_sysroot(const char *path);
/* What is to be read, existing or not: path_locate() in the guest's tree, or in the sysroot. */
int path_to_read(const struct os *os, const char *path, bool follow, struct located *out);
/* What is to be made, changed, removed or gone to: in the guest's tree, or -EROFS. */
int path_to_change(const struct os *os, const char *path, bool follow, bool parent,
                   struct located *out);
/* What the link at this path says that is ours; NULL: there is none. */
const char *path_own_link(const struct os *os, const char *path);
/* By the name that path_to_read() found it under. */
int path_locate_known(const struct os *os, const char *path, struct located *out);
/* Whether it is from the root, with no way up and no detours: what path_locate() finds. */
bool path_is_canonical(const char *path);
/* Reads the guest's path at addr and puts it below dirfd's directory: a path relative to the root,
 * out[LX_PATH_MAX]. 0 or -errno. An empty path is -ENOENT. */
int path_from_guest(struct call *c, int dirfd, uint64_t addr, char *out);

/* host.c: questions to the host; each is one entry of the journal. 0 or more, or -errno. */
enum owner { OWNER_GUEST, OWNER_ROOT };

/* What the guest is told of a file: nothing of it is the host's but the length (core/os/inode.h).
 */
struct host_stat {
	uint64_t dev, ino, rdev;
	int64_t size;
	uint32_t mode, nlink;
	uint8_t owner, unused[7]; /* enum owner */
	struct lx_timespec atime, mtime, ctime;
};
/* the tree's; pipes' and standard streams'; /dev's */
enum { GUEST_DEV = 0x801, STREAM_DEV = 1, DEVICE_DEV = 5 };
enum { MODE_BITS = 01777 }; /* that the guest may set: nothing is made to run as somebody else */

/* Opens path for description `file` (serial already set); fills its kind and path. */
int64_t host_open(struct os *os, unsigned file, const char *path, uint32_t flags, uint32_t mode);
/* *bytes is borrowed until the next question. */
int64_t host_read(struct os *os, unsigned file, int64_t offset, uint64_t n, const void **bytes);
/* The same from the host's stdin; -EINTR: interrupted, nothing logged. */
int64_t host_stdin(struct os *os, int64_t offset, uint64_t n, const void **bytes);
bool host_stdin_is_typed(const struct os *os); /* what it gave last; also in the past */
/* offset < 0 appends; *end receives the offset behind the written bytes. */
int64_t host_write(struct os *os, unsigned file, int64_t offset, const void *bytes, size_t n,
                   int64_t *end);
int64_t host_truncate(struct os *os, unsigned file, int64_t size);
int64_t host_stat_path(struct os *os, const char *path, bool follow, struct host_stat *out);
/* file: of a regular file, a directory or the stdin description. */
int64_t host_stat_file(struct os *os, unsigned file, struct host_stat *out);
/* The directory's records (struct lx_dirent) by name; the journal's entry is the last consumed
 * afterwards. */
int64_t host_list(struct os *os, unsigned file);
int64_t host_readlink(struct os *os, const char *path, const char **text, size_t *n);
int64_t host_access(struct os *os, const char *path, int mode, bool follow);
int64_t host_remove(struct os *os, const char *path, bool directory);
int64_t host_mkdir(struct os *os, const char *path, uint32_t mode);
/* from and to receive the paths from the root, [LX_PATH_MAX]. */
int64_t host_rename(struct os *os, char *from, char *to, uint32_t flags);
int64_t host_truncate_path(struct os *os, const char *path, int64_t size);
int64_t host_chmod_path(struct os *os, const char *path, uint32_t mode);
/* t: of access and of change; nsec may be LX_UTIME_OMIT. */
int64_t host_times(struct os *os, const char *path, bool follow, const struct lx_timespec t[2]);
int64_t host_symlink(struct os *os, const char *text, const char *path);
int64_t host_link(struct os *os, const char *from, const char *to, bool follow);
int64_t host_chdir(struct os *os, const char *path, char *canonical);
void host_close_all(struct os *os);

/* stdin.c */
/* Reads into buf what comes next of the input, what was given back first; 0 = end, -EINTR =
 * interrupted, nothing was read. */
int64_t stdin_read(struct os *os, void *buf, size_t n);
void stdin_unread(struct os *os, const void *bytes, size_t n); /* in front of what is pending */

/* fd.c: descriptors and descriptions, all in the arena */
/* The open description behind a guest descriptor, or NULL (EBADF). */
struct os_file *fd_file(struct os_state *st, int fd);
unsigned file_index(const struct os_state *st, const struct os_file *f);
/* Lowest free descriptor >= from, or -1. */
int fd_lowest(const struct os_state *st, int from);
/* A fresh description, refs 0, or NULL if none is free (ENFILE). */
struct os_file *file_take(struct os_state *st);
void fd_drop(struct os_state *st, int fd);
void fd_install(struct os_state *st, int fd, struct os_file *f, bool cloexec);
void fd_reset(struct os_state *st);

/* time.c */
struct lx_timespec ticks_to_time(const struct os *os, uint64_t ticks);
struct lx_timespec time_since_start(const struct call *c);
struct lx_timespec time_of_day(const struct call *c);
struct lx_timespec os_time_of_day(const struct os *os); /* of the call being served */
/* The clocks that Linux numbers; whether they show the time of day. */
bool clock_known(const struct os *os, int id);
bool is_wall_clock(int id);
/* The first cycle at or behind so many nanoseconds, OS_TIME_MAX at most; and back. */
uint64_t time_cycles(const struct os *os, uint64_t nsec);
uint64_t time_nsec(const struct os *os, uint64_t cycles);
/* The cycle in which a clock stands there: of the time of day, or of all others. */
uint64_t clock_cycle(const struct os *os, uint64_t nsec, bool wall);
/* Nanoseconds that a valid time is, OS_TIME_MAX at most. */
uint64_t nsec_of_timespec(struct lx_timespec t);

uint64_t time_to_ticks(const struct os *os, const struct lx_timespec *t); /* rounded up */

/* scheduler.c: see core/os/thread.h */
enum { ECALL_BYTES = 4 };
struct os_thread *thread_now(struct os_state *st); /* which runs */
uint64_t hart_ticks(const struct hart *h);
void thread_ready(struct os_state *st, struct os_thread *t);
/* Its wait is over: what its call returns. */
void thread_wake(struct os_state *st, struct os_thread *t, int64_t result);
/* The thread that runs waits, until somebody wakes it or this tick; what the handler returns. */
int64_t thread_wait(struct call *c, enum os_wait what, uint64_t a, uint64_t b, uint64_t deadline);
/* The same for descriptors: its call is served again when one has changed, or in this tick. */
int64_t thread_wait_again(struct call *c, enum os_wait what, uint64_t a, uint64_t b,
                          uint64_t limit);
/* What it has had the hart for by now is counted. */
void thread_settle(struct os_state *st, const struct hart *h);
/* Behind every call, with the hart as the call leaves it: goes on with whose turn it is. */
void threads_served(struct os *os, struct hart *h, struct mem *mem);
/* A signal was sent: who waits may have to take it. */
void threads_look(struct os *os);

/* thread.c */
enum { THREAD_TID_END = GUEST_PID + THREAD_NUMBERS - 1 }; /* no thread's */
void threads_reset(struct os_state *st);

/* futex.c */
/* Wakes up to `most` that wait there with one of these bits, one at least; how many there were. */
int64_t futex_wake(struct call *c, uint64_t addr, int64_t most, uint32_t bits);

/* wait.c */
/* How a time limit in guest memory is meant. */
enum wait_limit { WAIT_FOR, WAIT_TO_CLOCK, WAIT_TO_WALL };
/* Whether a wait has a limit, a time in guest memory: 1, 0 if at is 0, or -errno. *deadline is the
 * tick in which it is over, OS_NEVER without a limit; of a call that is served again, as it was. */
int64_t wait_limit(struct call *c, uint64_t at, enum wait_limit how, uint64_t *deadline);

/* stream.c: descriptors without a place to go to, of the guest to itself */
bool file_is_stream(const struct os_file *f);
/* poll's bits; if a timer would make one, c->wakes is at most when. */
int file_ready(struct call *c, const struct os_file *f);
/* Another one when it has become ready again, or may have. */
uint64_t file_stamp(struct call *c, const struct os_file *f);
int64_t stream_read(struct call *c, struct os_file *f, const struct lx_iovec *v, unsigned count,
                    uint64_t total);
int64_t stream_write(struct call *c, struct os_file *f, const struct lx_iovec *v, unsigned count,
                     uint64_t total);
void stream_stat(const struct os *os, const struct os_file *f, struct host_stat *out);
/* A new descriptor of this kind, to read and write; LX_O_CLOEXEC and LX_O_NONBLOCK of flags. */
int64_t file_new(struct call *c, uint8_t kind, uint32_t flags);

/* event_files.c */
int event_ready(struct call *c, const struct os_file *f);
uint64_t event_stamp(struct call *c, const struct os_file *f); /* file_stamp() */
int64_t event_read(struct call *c, struct os_file *f, const struct lx_iovec *v, unsigned count);
int64_t event_write(struct call *c, struct os_file *f, const struct lx_iovec *v, unsigned count);

/* epoll.c */
int epoll_ready(struct call *c, const struct os_file *f);

/* pipe.c */
/* A fresh one, which nobody has an end of; -1: there are none. */
int pipe_take(struct call *c);
int pipe_readable(const struct os_state *st, unsigned pipe); /* poll's bits */
int pipe_writable(const struct os_state *st, unsigned pipe);
int64_t pipe_read(struct call *c, unsigned pipe, bool waits, const struct lx_iovec *v,
                  unsigned count);
/* total: bytes of all the buffers */
int64_t pipe_write(struct call *c, unsigned pipe, bool waits, const struct lx_iovec *v,
                   unsigned count, uint64_t total);

/* signal.c */
static inline uint64_t signal_bit(uint64_t sig)
{
	return UINT64_C(1) << (sig - 1);
}

enum { SIGSET_BYTES = 8 };
#define SIGNALS_UNBLOCKABLE (signal_bit(LX_SIGKILL) | signal_bit(LX_SIGSTOP))
/* The thread of this number, or NULL. */
struct signal_thread *signal_thread_of(struct os_state *st, int tid);
/* Sends a signal to the process, or to a thread of it (not NULL). 0 or -errno. */
int64_t signal_send(struct os *os, struct signal_thread *to, const struct signal_info *info);
/* The same for a fault's: a handler that can't be entered does not hold it back. */
void signal_force(struct os *os, struct signal_thread *to, const struct signal_info *info);
/* Sends the guest a signal from itself. */
int64_t signal_self(struct call *c, uint64_t sig);
/* Those that are on their way to a thread, not held back by its mask, and do something. */
uint64_t signal_wanted(const struct signal_thread *t, const struct signal_process *p);
/* Whether one is on its way to a thread, or NULL: to the process. */
bool signal_is_sent(const struct os_state *st, const struct signal_thread *to, unsigned sig);
/* The next of a set is taken off its way. False: there is none. */
bool signal_take(struct os *os, struct signal_thread *t, uint64_t set, struct signal_info *out);
/* The mask is another until the call is over. Once for a call that waits. */
void signal_mask_for_call(struct call *c, uint64_t mask);
bool signal_ignored_by_default(uint64_t sig);
bool signal_stops_by_default(uint64_t sig);

/* signal_frame.c */
/* Behind a call, at h->pc, that returned this: signals act. */
void signal_after_call(struct call *c, int64_t ret);
void signal_deliver(struct call *c);
/* The call that had a mask of its own is over. */
void signal_restore_mask(struct signal_thread *t);

/* timers.c */
/* What has expired by `now` sends its signal. */
void timers_run(struct os *os, uint64_t now);
/* Guest cycle in which the next one expires that runs on while the program waits; 0: none. */
uint64_t timers_next_real(const struct signal_process *p);
/* Its signal is taken: what siginfo says of a timer. */
void timer_taken(struct signal_process *p, struct signal_info *info);
/* The next expiry is looked for again. */
void timers_changed(struct signal_process *p);

#endif
