/* Linux system calls for the guest: files, memory, time, and the journal of everything from
 * outside.
 *
 * Deterministic: time comes from simulated cycles (sim.clock_hz, sim.epoch), random bytes from a
 * seeded generator, process and user numbers are constants, and the standard descriptors look like
 * pipes (or, with sim.terminal, like a terminal; input that is a file is one) whatever the host's
 * are. Answers that only the host can give (bytes read, stat results, directory entries, whether a
 * file could be opened) are entries of the journal, one per question. When a machine is restored to
 * an earlier state and runs on, the same questions are answered from the journal until its end is
 * reached: the host is not touched, and output is not written twice. The position in the journal,
 * file offsets and the output byte counts are in the arena; the journal itself, the output already
 * made and the host's descriptors are not. Host descriptors hold no state: every access names its
 * offset, and a descriptor that is missing is opened again by path. Attributes of files are the
 * machine's own: core/os/inode.h. Only the number of bytes that a read of a pipe or terminal
 * returns is the host's.
 *
 * Confinement: the directory in which the host process started, or another (os_set_root), is the
 * guest's "/", as after a chroot: absolute paths and absolute symbolic links begin there, and ".."
 * leads no higher. A symbolic link that leads out by ".." answers ENOENT. Unless writing is allowed
 * the tree is a read-only file system: opening for writing, creating, truncating, removing and
 * renaming answer EROFS, and so does writing to files opened while writing was still allowed.
 * Pipes, sockets, devices and a /proc in the tree can be looked at but not opened (ENXIO).
 *
 * Folders of the host may be put into that tree (os_set_folders), under the same rules; each has
 * its own permission to be written.
 *
 * The sysroot, if there is one, is a second tree that can only be read: open() for reading, stat,
 * access and readlink of an absolute path look there if the guest's own tree has no such file,
 * under the same rules. Names of files opened there begin with "//".
 *
 * /dev/null, zero, random, urandom (from the seeded generator) and tty (which can't be opened:
 * there is no controlling terminal) are Cyclops's own, also where the tree has a "dev". Where it
 * has none, /dev may be passed through but not listed.
 *
 * Threads take turns (core/os/thread.h). When all wait for events that no thread can cause (a
 * futex, a signal, a pipe), the program is over, and os_state.waits has the reason. When all
 * threads that can go on sleep, time advances to the first wake-up, and no cycle is counted.
 *
 * Signals come from the guest itself: it sends them, its timers expire in simulated time, its
 * instructions fault. Handlers run, on frames as Linux makes them (core/os/signal_frame.c). */
#ifndef CYCLOPS_CORE_OS_OS_H
#define CYCLOPS_CORE_OS_OS_H

#include <assert.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/state_ranges.h"
#include "core/isa/exec.h"
#include "core/isa/regs.h"
#include "core/mem/mem.h"
#include "core/os/journal.h"
#include "core/os/thread_state.h"

struct config;

enum { OS_FDS = 64, OS_FILES = 64, OS_PATH = 256, OS_PIPES = 8, OS_MAPS = 32,
       OS_EPOLLS = 4, OS_MEMFDS = 8 };

/* Streams kept for views: descriptors 1 and 2, and as a third the typed input that the program has
 * read, as a terminal would have echoed it. */
enum { OUT_STREAMS = 3, OUT_TYPED = 3 };

enum { OS_FD_CLOSED, OS_FD_OPEN };

struct os_fd {
	uint8_t kind;  /* OS_FD_* */
	uint8_t flags; /* 1 = FD_CLOEXEC */
	uint16_t file; /* index of the open file description (shared by dup) */
};

enum os_file_kind {
	OS_FILE_FREE,
	OS_FILE_STDIN,
	OS_FILE_STDOUT,
	OS_FILE_STDERR,
	OS_FILE_REGULAR,
	OS_FILE_DIR,
	OS_FILE_NULL, /* /dev/null and so on: path names it */
	OS_FILE_ZERO,
	OS_FILE_RANDOM,
	OS_FILE_MEMORY,    /* memfd_create */
	OS_FILE_PIPE_READ, /* the ends of a pipe within the guest */
	OS_FILE_PIPE_WRITE,
	OS_FILE_SOCKET,    /* of a pair: it reads one pipe and writes another */
	OS_FILE_EVENT,     /* eventfd */
	OS_FILE_TIMER,     /* timerfd */
	OS_FILE_EPOLL,     /* offset: index in os_state.epoll */
	OS_FILE_LAST = OS_FILE_EPOLL
};

/* An open file description. */
struct os_file {
	uint64_t serial;    /* never reused: identifies the description's host descriptor */
	int64_t offset;     /* bytes; in a directory, into its listing */
	/* of a directory: 1 + journal entry of the last piece of its listing, 0 = read it anew; of
	 * an eventfd or timerfd: os_state.fd_changes when it last changed */
	uint64_t listing;
	uint32_t flags;     /* as given to openat, Linux generic bits */
	uint16_t refs;      /* descriptors that share it */
	uint8_t kind;       /* enum os_file_kind */
	/* of a pipe's end: number of the pipe; of a socket: the pipe that it reads; of a file in
	 * memory: index in os_state.memfd */
	uint8_t pipe;
	uint64_t count;     /* of an eventfd; of a timer, the tick in which it expires, 0: never */
	uint8_t out;        /* of a socket: the pipe that it writes */
	uint8_t mode;       /* eventfd: 1: a read takes 1; timer: 1: the wall clock's */
	uint8_t unused[6];
	/* from the confinement root, no symbolic links; "" = root; in the sysroot if it begins with
	 * "//"; zero-padded */
	char path[OS_PATH];
};

struct os_pipe {
	uint64_t at;    /* guest address of its bytes, mapped without permissions; 0 = never used */
	uint32_t first; /* place of the oldest byte */
	uint32_t count; /* bytes in it */
	uint64_t stamp; /* os_state.fd_changes when it last changed */
};

/* A file in memory (core/os/memfd.c). at = 0: free, or a file without bytes. */
struct os_memfd {
	uint64_t at;    /* guest address of its bytes, accessible if mapped shared */
	uint64_t room;  /* bytes mapped there, those beyond the file's end 0 */
	uint64_t size;  /* bytes */
	uint64_t seals; /* F_SEAL_* */
};

/* Files that an epoll descriptor watches, one per descriptor. */
struct os_watched {
	uint64_t serial; /* os_file.serial of the watched file; 0: none */
	uint64_t data, stamp; /* the guest's; file_stamp() when last reported */
	uint32_t events; /* as given; only flags left: reported once and disarmed */
	uint32_t unused;
};
struct os_epoll {
	struct os_watched of[OS_FDS]; /* by descriptor */
};

/* A file that is mapped from its beginning (core/os/maps.c). */
struct os_map {
	uint64_t start, length; /* bytes; range of the first mapping */
	char path[OS_PATH];     /* as of os_file; zero-padded */
};

/* The provider of ECALL's services: the kernel, a simulator used in courses (core/os/courses.def),
 * or none, as ECALL is an exception of a bare-metal program (core/os/bare.c). */
enum os_abi { OS_LINUX, OS_RARS, OS_RIPES, OS_VENUS, OS_HTIF, OS_ABIS };

static inline bool os_abi_is_course(enum os_abi abi)
{
	return abi == OS_RARS || abi == OS_RIPES || abi == OS_VENUS;
}

/* In the arena. No pointers. */
struct os_state {
	struct os_fd fd[OS_FDS];
	struct os_file file[OS_FILES];
	uint64_t next_serial;
	uint64_t brk_start, brk; /* bytes; set by the loader */
	uint64_t mmap_below;     /* mappings go to the highest free range below this */
	/* bytes written to stdout and stderr so far, and bytes typed and read */
	uint64_t out_bytes[OUT_STREAMS];
	uint64_t rng[4];         /* xoshiro256** state, seeded by sim.seed */
	struct signal_process signals;
	uint32_t umask;
	int32_t exit_status;
	uint8_t exited;
	uint8_t killed_by;  /* signal that ended the program, 0 if none */
	uint8_t waits;      /* enum os_wait; if not NONE, the program is over, waiting for ever */
	uint8_t switched; /* the last call, or turn, gave the hart to another thread */
	uint8_t yields;   /* only within a call: it asks for a switch */
	uint8_t barriers; /* membarrier() commands registered for, as bits */
	uint8_t silent;   /* the program has switched its terminal's echo off */
	uint8_t abi;      /* enum os_abi */
	uint8_t tohost_half; /* enum bare_half of core/os/bare.c */
	uint64_t fromhost; /* byte address; 0: none */
	uint64_t text_end; /* end of an assembled program's instructions; 0: not known */
	uint64_t wait_for[2];
	struct os_thread thread[OS_THREADS];
	uint32_t running, thread_count; /* thread with the hart; threads that have not ended */
	uint32_t next_tid;   /* the first never used; THREAD_TID_END: all have been */
	uint32_t reused_tid; /* once all have been used: the last given out */
	uint64_t turns;      /* given out: os_thread.turn */
	uint64_t fd_changes; /* times that a waiting descriptor call may have become ready */
	uint64_t returned;   /* value of the last call; if it waits: its first argument */
	uint64_t since;      /* guest cycle in which the running thread got the hart */
	uint64_t slice_end;  /* os_slice_end() */
	struct os_pipe pipe[OS_PIPES];
	struct os_epoll epoll[OS_EPOLLS];
	struct os_memfd memfd[OS_MEMFDS];
	uint64_t inodes;    /* numbers of files given out (core/os/inode.h) */
	uint64_t maps_digest; /* of map[]; 0 = no maps */
	uint32_t map_count, unused_maps;
	struct os_map map[OS_MAPS]; /* [map_count], in the order of mapping */
	char cwd[OS_PATH];  /* relative to the confinement root, "" = root; zero-padded */
};
static_assert(sizeof(struct os_state) < 160 * 1024, "compared with every snapshot");

struct os; /* the host side: host descriptors, output sink; owned by the machine */

/* Sink of the guest's output. Bytes reach it once, in order, when first produced (never on
 * re-execution). fd is 1 or 2. */
typedef void os_output_fn(void *ctx, int fd, const void *bytes, size_t n);

/* Whether `text` can be sim.hostname's value, a computer's name. */
bool os_check_hostname(const char *text, struct err *err);

/* NULL if memory is short. The confinement root is the present current directory. The journal is
 * borrowed, and placed in the arena by its owner. */
struct os *os_new(const struct config *cfg, struct journal *journal);
void os_free(struct os *os);
void os_place(struct os *os, struct arena *a);
/* fds 0-2 open, random state from sim.seed, everything else zero (brk too). The journal is
 * unchanged. */
void os_reset(struct os *os);
/* Before the first cycle; text_end: as in the state. */
void os_set_abi(struct os *os, enum os_abi abi, uint64_t text_end);
/* Makes the program a bare-metal one, in M-mode, before the first cycle. Addresses of variables,
 * multiples of 8; fromhost 0: there is none. */
void os_set_bare(struct os *os, struct hart *h, struct mem *mem, uint64_t tohost,
                 uint64_t fromhost);
/* "linux", "rars", ...; the ABI of a name, or -1. */
const char *os_abi_name(enum os_abi abi);
int os_abi_find(const char *name);
/* How a program of this ABI ends: "li a7,93; ecall". */
const char *os_abi_exit(enum os_abi abi);
struct os_state *os_state(struct os *os);
const struct os_state *os_state_const(const struct os *os);

/* default: write(2) to the host's fd */
void os_set_output(struct os *os, os_output_fn *fn, void *ctx);
/* A sink that discards everything. */
void os_no_output(void *ctx, int fd, const void *bytes, size_t n);
/* Quiet: output goes nowhere, because the execution will be undone. Returns the previous
 * setting. */
bool os_set_quiet(struct os *os, bool quiet);
/* errno of output that did not reach the host's descriptor; 0: all did, or another function is the
 * sink. The guest does not see it. */
int os_lost_output(const struct os *os);
/* Source of the guest's fd 0: a host descriptor (default 0), or -1 for an empty input. */
void os_set_stdin(struct os *os, int host_fd);
/* Alternative source of fd 0, called when the guest reads and no bytes are left. Returns the number
 * of bytes at *bytes, borrowed until the next call (the guest's next reads get the rest), 0 = end
 * of input (the guest may ask again), -EINTR = interrupted (asks again when the guest runs on).
 * Never called on re-execution. typed: a person types it. NULL (the default): the descriptor. */
typedef int64_t os_input_fn(void *ctx, const void **bytes);
void os_set_input(struct os *os, os_input_fn *fn, void *ctx, bool typed);
void os_allow_writing(struct os *os, bool allow);
/* Makes another folder the guest's "/". A folder that cannot be opened appears empty. */
void os_set_root(struct os *os, const char *folder);
/* A folder of the host's in the guest's tree. */
struct os_folder {
	/* place from its root, a canonical path: "usr/share/dict"; neither the root nor /dev */
	const char *at;
	const char *host; /* path on the host */
	bool writing;     /* may be changed; overrides os_allow_writing() */
};
enum { OS_FOLDERS = 16 };
/* Installs the shared folders (core/os/folders.c). A folder that cannot be opened appears empty. */
void os_set_folders(struct os *os, const struct os_folder *folders, unsigned n);
/* Sets the sysroot (core/os/sysroot.c): files of absolute paths that the guest's own tree lacks are
 * read there. NULL, or a folder that cannot be opened: no sysroot. */
void os_set_sysroot(struct os *os, const char *folder);
/* Sets the program that /proc/self/exe links to: this path of the host's, if it lies below the
 * guest's root (NULL: the current directory) or in one of its folders. Until then there is no such
 * link. */
void os_set_program(struct os *os, const char *root, const char *path);
/* The files mapped from their beginning; borrowed. */
const struct os_map *os_maps(const struct os *os, unsigned *count);
/* Called in the middle of a system call, also of a repeated one, when os_maps() has changed. It
 * must not change the machine. NULL: no call. */
typedef void os_mapped_fn(void *ctx);
void os_set_mapped(struct os *os, os_mapped_fn *fn, void *ctx);
/* Sets *watch to this os until it is freed, then to NULL. One watch at a time; NULL ends it. */
void os_watch(struct os *os, struct os **watch);
/* Places where a guest finds files. */
struct os_trees {
	const char *root;    /* NULL: the current directory */
	const char *sysroot; /* NULL: none */
	const struct os_folder *folders; /* [folder_count] */
	unsigned folder_count;
};
/* Opens a regular file that a guest with these trees would read as `path`: a descriptor that the
 * caller closes, or -errno, which is in errno, too. Not journaled. */
int os_open_library(const struct os_trees *t, const char *path);
/* The same for a machine's guest. */
int os_open_mapped(const struct os *os, const char *path);
/* Opens an empty file that an ended program would have written, under the rules of its own
 * openat(), from its current directory or its root. Not journaled. Returns a descriptor that the
 * caller closes, or -errno: -EROFS if the program may not write. */
int os_open_for_ended(const struct os *os, const char *path);
/* While *flag is not 0, a read that waits for input on the host's terminal or pipe gives up:
 * os_syscall returns false. Looked at about every 50 ms; NULL (the default) = never. Borrowed. */
void os_set_interrupt(struct os *os, const volatile sig_atomic_t *flag);
/* When the host has no memory for a call, `scarce` is notified, os_syscall returns false, and
 * nothing has happened: the guest sees no errno. NULL (the default): the guest gets ENOMEM.
 * Borrowed. */
struct host_memory;
void os_tell_host_memory(struct os *os, struct host_memory *scarce);
/* Receives one line of warning ("system call 425 (io_uring_setup) is not implemented: ENOSYS"),
 * each text once. Default: none. */
typedef void os_warn_fn(void *ctx, const char *line);
void os_set_warn(struct os *os, os_warn_fn *fn, void *ctx);
void os_warnf(struct os *os, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Output so far (for the output view) of fd 1, 2 or OUT_TYPED: bytes [0, out_bytes[fd-1]) of each
 * stream are kept, up to the last 1 MiB. Returns the kept bytes' start; *first receives the stream
 * position of its first byte. Bytes after the machine's present (out_bytes) are not included. */
const char *os_output(const struct os *os, int fd, uint64_t *first, size_t *n);
/* Pieces of output in the order in which they were written: piece k is the bytes [from[fd-1],
 * to[fd-1]) of stream fd. The first, fd = 0, mostly empty, has bytes of both in unknown order. */
struct os_output_piece {
	uint64_t from[OUT_STREAMS], to[OUT_STREAMS];
	int fd;
};
size_t os_output_pieces(const struct os *os);
struct os_output_piece os_output_piece(const struct os *os, size_t k, size_t pieces);

/* Serves the call at h->pc in h->r[17] with arguments in h->r[10..15] at simulated time h->cycle:
 * writes h->r[10], h->pc and guest memory; other registers if a signal's handler is entered or
 * left. exit, fatal signals and endless waits set exited, killed_by, waits. Returns false only when
 * the host was asked to interrupt a blocking read, or has no memory (nothing happened; call again
 * later). */
bool os_syscall(struct os *os, struct hart *h, struct mem *mem);

/* ---- signals, between two instructions ---- */
/* Guest cycle in which to call os_signals_wanted(), OS_NEVER: none. Only calls change it. */
uint64_t os_signals_due(const struct os *os);
/* Expires timers that are due; returns whether a pending signal acts now. */
bool os_signals_wanted(struct os *os, uint64_t cycle);
/* Lets that signal act: h is then at its handler, or the program has ended. */
void os_signals_deliver(struct os *os, struct hart *h, struct mem *mem);
/* Whether the program has a handler for this fault. */
bool os_catches(const struct os *os, const struct hart *h, uint64_t pc, enum trap trap,
                uint64_t at);
/* Enters that handler: h->pc is the faulting instruction, `at` the address where the fault was
 * found, of a load or store the address it accessed. */
void os_fault(struct os *os, struct hart *h, struct mem *mem, enum trap trap, uint64_t at);
/* A stream of the program's instructions to which the hart switches: a thread, a handler, or the
 * code that a handler returns to. */
enum os_stream_kind { OS_STREAM_THREAD, OS_STREAM_HANDLER, OS_STREAM_RETURN };
struct os_stream {
	enum os_stream_kind kind;
	unsigned thread;         /* as os_thread_number() */
	bool ended;              /* THREAD: the previous thread has ended */
	struct signal_info info; /* HANDLER: its signal */
	uint64_t from, from_sp;  /* HANDLER: pc and stack pointer before it */
	uint64_t back;           /* HANDLER: where it returns to */
	uint64_t pc, sp;         /* where the stream begins or continues */
};
/* Streams to which the last call of os_syscall(), os_take_turns(), os_signals_deliver() or
 * os_fault() has led, in order. */
enum { OS_STREAMS = 2 * OS_SIGNALS + 2 };
unsigned os_streams(const struct os *os, const struct os_stream **streams);
/* Signals of this set no longer reach the program. */
void os_hold_back(struct os *os, uint64_t set);
/* Defers signals at the end of a call and at a turn of threads, or ends that. */
void os_defer_signals(struct os *os, bool defers);
/* Registers of a thread: 1..63 as in regs.h, and these. */
enum parked_register { PARKED_PC = 64, PARKED_FCSR, PARKED_COUNT };
/* Whether the register of a thread can be set, which must not have the hart. False with *err. Pc
 * and a0 to a7 end a wait: the thread is before its system call, which begins anew, as on Linux. */
bool os_may_set_parked(const struct os *os, uint32_t tid, struct err *err);
void os_set_parked(struct os *os, uint32_t tid, unsigned reg, uint64_t value);
/* Takes a pending signal (0: none) away from the thread of this number (0: the running one), and
 * sends it another one (NULL: none). */
void os_exchange_signal(struct os *os, uint32_t tid, uint64_t taken,
                        const struct signal_info *sent);
/* "SIGUSR1"; signals above 31 are "SIG34"; NULL: no such signal. */
const char *os_signal_name(uint64_t signal);
/* Number of a signal by name or digits; 0: no such signal. */
unsigned os_signal_number(const char *name);

/* Cuts history here: drops the journal's entries after its position and the output after out_bytes.
 * Input read from the host's stdin since is kept and read again. Files that the guest changed stay
 * changed. */
void os_log_cut(struct os *os);
/* Whether an entry read back from a file is an answer that core/os could have written. */
bool os_answer_ok(const struct journal_entry *e, const void *payload);

/* The journal with all bytes it refers to, for journal_load(); ahead: also its entries after the
 * position. *bytes is malloc'd; NULL if memory is short, or if input has changed. */
void os_save_journal(const struct os *os, bool ahead, void **bytes, size_t *n);
/* Sets *err to why `what` could not be saved: "the program's input has changed: words.txt is not
 * ...", or out of memory. Returns false. */
bool os_save_failed(const struct os *os, const char *what, struct err *err);
/* Saves the output kept of each stream, for a checkpoint file. *bytes is malloc'd, NULL if memory
 * is short. Loading closes host descriptors and forgets pending input; false (nothing changed) if
 * the bytes are not valid. */
void os_save_output(const struct os *os, void **bytes, size_t *n);
bool os_load_output(struct os *os, const void *bytes, size_t n);

/* The same for the table of files (core/os/inode.h), whose names are looked up again when the guest
 * next asks for one. */
void os_save_files(const struct os *os, void **bytes, size_t *n);
bool os_load_files(struct os *os, const void *bytes, size_t n);

/* os_ranges() lists the valid values of core/os's part of the arena; os_state_error() returns the
 * error in the present values, or NULL. */
void os_ranges(const struct os *os, struct ranges *rs);
const char *os_state_error(const struct os *os);
/* Error in output or the table of files, or NULL; call only if the kept output ends at the
 * machine's cycle. */
const char *os_beside_state_error(const struct os *os);

const char *os_syscall_name(uint64_t number); /* "write", or NULL */
/* "it waits for a signal, and there is no sender". Returns buf. */
char *os_wait_text(const struct os *os, const struct mem *mem, char *buf, size_t n);
enum { OS_WAIT_TEXT = 1024 }; /* room for it */

#endif
