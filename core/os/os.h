/* Linux system calls for the guest: files, memory, time, and the journal of what came from outside.
 *
 * Deterministic: time comes from simulated cycles (sim.clock_hz, sim.epoch), random bytes from a
 * seeded generator, process and user numbers are constants, and the standard descriptors look like
 * pipes (or, with sim.terminal, like a terminal) whatever the host's are. What can only come from
 * the host (bytes read, stat results, directory entries, whether a file could be opened) is one
 * entry of the journal per question, holding the answer. When a machine is restored to an earlier
 * state and runs on, the same questions are answered from the journal until its end is reached: the
 * host is not touched, and output is not written twice. The position in the journal, file offsets
 * and the output byte counts are in the arena; the journal itself, the output already made and the
 * host's descriptors are not. Host descriptors hold no state: every access names its offset, and a
 * descriptor that is missing is opened again by path. What files say of themselves beside their
 * bytes is the machine's own: core/os/inode.h. Only how many bytes a read of a pipe or terminal
 * brings is as the host has it.
 *
 * Confinement: the directory in which the host process started, or another (os_set_root), is the
 * guest's "/", as after a chroot: absolute paths and absolute symbolic links begin there, and ".."
 * leads no higher. A symbolic link that leads out by ".." answers ENOENT. Unless writing is allowed
 * the tree is a read-only file system: opening for writing, creating, truncating, removing and
 * renaming answer EROFS, and so does writing to what was open already when writing was still
 * allowed. Pipes, sockets, devices and a /proc in the tree can be looked at but not opened (ENXIO).
 *
 * Folders of the host may be put into that tree (os_set_folders), under the same rules; each says
 * for itself whether it may be written.
 *
 * The sysroot, if there is one, is a second tree that can only be read: open() for reading, stat,
 * access and readlink of an absolute path that the guest's own tree has no file of look there,
 * under the same rules. What is opened there has a name that begins with "//".
 *
 * /dev/null, zero, random, urandom (from the seeded generator) and tty (which can't be opened:
 * there is no controlling terminal) are ours, also where the tree has a "dev". Where it has none,
 * /dev may be passed through but not listed.
 *
 * Threads take turns (core/os/thread.h). When all of them wait for what none of them will do (a
 * futex, a signal, a pipe), the program is over, and os_state.waits says what for. When all that
 * can go on sleep, time goes on to where the first wakes, and no cycle is counted.
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

/* What is kept for views: of descriptors 1 and 2, and in the place of a third what a person typed,
 * once the program has read it, as a terminal would have echoed it. */
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
	OS_FILE_NULL, /* /dev/null and so on: path says which */
	OS_FILE_ZERO,
	OS_FILE_RANDOM,
	OS_FILE_MEMORY,    /* memfd_create */
	OS_FILE_PIPE_READ, /* the ends of a pipe of the guest to itself */
	OS_FILE_PIPE_WRITE,
	OS_FILE_SOCKET,    /* of a pair: an end of a pipe each way */
	OS_FILE_EVENT,     /* eventfd */
	OS_FILE_TIMER,     /* timerfd */
	OS_FILE_EPOLL,     /* offset: which of os_state's */
	OS_FILE_LAST = OS_FILE_EPOLL
};

/* An open file description. */
struct os_file {
	uint64_t serial;    /* never used twice: names the host descriptor that belongs to it */
	int64_t offset;     /* bytes; in a directory, into its listing */
	/* of a directory: 1 + entry of the journal that holds its listing, 0 = not read yet; of an
	 * eventfd or timerfd: os_state.fd_changes when it last changed */
	uint64_t listing;
	uint32_t flags;     /* as given to openat, Linux generic bits */
	uint16_t refs;      /* descriptors that share it */
	uint8_t kind;       /* enum os_file_kind */
	/* of the ends of a pipe: which; of a socket, which it reads; of a file in memory: which of
	 * os_state's */
	uint8_t pipe;
	uint64_t count;     /* of an eventfd; of a timer, the tick in which it expires, 0: never */
	uint8_t out;        /* of a socket: the pipe that it writes */
	uint8_t mode;       /* eventfd: 1: a read takes one; timer: 1: of the wall clock */
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

/* A file in memory (core/os/memfd.c); at 0: it has no bytes yet, or there is none. */
struct os_memfd {
	uint64_t at;    /* guest address of its bytes, which a shared mapping makes accessible */
	uint64_t room;  /* bytes mapped there, those beyond the file's end 0 */
	uint64_t size;  /* bytes */
	uint64_t seals; /* F_SEAL_* */
};

/* What an epoll descriptor watches: of each descriptor one file. */
struct os_watched {
	uint64_t serial; /* of that file; 0: none */
	uint64_t data, stamp; /* the guest's; os_file's when it was told of last */
	uint32_t events; /* as given; 0 but for how: told once, and not set again */
	uint32_t unused;
};
struct os_epoll {
	struct os_watched of[OS_FDS]; /* by descriptor */
};

/* A file that is mapped from its beginning (core/os/maps.c). */
struct os_map {
	uint64_t start, length; /* bytes; what the first mapping took */
	char path[OS_PATH];     /* as of os_file; zero-padded */
};

/* In the arena. No pointers. */
struct os_state {
	struct os_fd fd[OS_FDS];
	struct os_file file[OS_FILES];
	uint64_t next_serial;
	uint64_t brk_start, brk; /* bytes; set by whoever loads a program */
	uint64_t mmap_below;     /* mappings go to the highest free range below this */
	/* written to stdout and stderr so far, and what was typed and read */
	uint64_t out_bytes[OUT_STREAMS];
	uint64_t rng[4];         /* xoshiro256** state, seeded by sim.seed */
	struct signal_process signals;
	uint32_t umask;
	int32_t exit_status;
	uint8_t exited;
	uint8_t killed_by;  /* signal that ended the program, 0 if none */
	uint8_t waits;      /* enum os_wait: not NONE = for good, the program is over */
	/* the last call put other code where some was, or gave or took the right to execute */
	uint8_t code_changed;
	uint8_t switched; /* the last call, or turn, gave the hart to another thread */
	uint8_t yields;   /* only within a call: it asks for that */
	uint8_t barriers; /* membarrier()'s, registered for: bits of its commands */
	uint8_t silent;   /* it has switched its terminal's echo off */
	uint64_t wait_for[2];
	struct os_thread thread[OS_THREADS];
	uint32_t running, thread_count; /* who has the hart; those that have not ended */
	uint32_t next_tid;   /* the first that no thread ever had; THREAD_TID_END: each has been */
	uint32_t reused_tid; /* then: given out last */
	uint64_t turns;      /* given out: os_thread.turn */
	uint64_t fd_changes; /* what calls on descriptors wait for may have come: times */
	uint64_t returned;   /* by the last call; its first argument, if it waits instead */
	uint64_t since;      /* guest cycle in which the thread that runs got the hart */
	uint64_t slice_end;  /* os_slice_end() */
	struct os_pipe pipe[OS_PIPES];
	struct os_epoll epoll[OS_EPOLLS];
	struct os_memfd memfd[OS_MEMFDS];
	uint64_t inodes;    /* numbers of files given out (core/os/inode.h) */
	uint64_t maps_digest; /* of the following; 0 = none */
	uint32_t map_count, unused_maps;
	struct os_map map[OS_MAPS]; /* [map_count], in the order of mapping */
	char cwd[OS_PATH];  /* relative to the confinement root, "" = root; zero-padded */
};
static_assert(sizeof(struct os_state) < 160 * 1024, "compared with every snapshot");

struct os; /* the host side: host descriptors, output sink; owned by the machine */

/* Where guest output goes. Bytes reach it once, in order, when first produced (never on
 * re-execution). fd is 1 or 2. */
typedef void os_output_fn(void *ctx, int fd, const void *bytes, size_t n);

/* sim.hostname's: what the name of a computer may be. */
bool os_check_hostname(const char *text, struct err *err);

/* NULL if memory is short. The confinement root is the current directory of this moment. The
 * journal is borrowed, and placed in the arena by its owner. */
struct os *os_new(const struct config *cfg, struct journal *journal);
void os_free(struct os *os);
void os_place(struct os *os, struct arena *a);
/* fds 0-2 open, random state from sim.seed, everything else zero (brk too). The journal stays as it
 * is. */
void os_reset(struct os *os);
struct os_state *os_state(struct os *os);
const struct os_state *os_state_const(const struct os *os);

/* default: write(2) to the host's fd */
void os_set_output(struct os *os, os_output_fn *fn, void *ctx);
/* One of these: nobody hears it. */
void os_no_output(void *ctx, int fd, const void *bytes, size_t n);
/* Quiet: output goes nowhere, for what is executed now will be undone. Returns what it was. */
bool os_set_quiet(struct os *os, bool quiet);
/* Why output did not reach the host's descriptor, as errno; 0: all did, or another function takes
 * it. The guest isn't told. */
int os_lost_output(const struct os *os);
/* Where the guest's fd 0 reads: a host descriptor (default 0), or -1 for an empty input. */
void os_set_stdin(struct os *os, int host_fd);
/* Or who is asked for it, when the guest reads and nothing is left: returns how many bytes there
 * are at *bytes, borrowed until the next call (the guest's next reads get what this one leaves), 0
 * = the end of the input (the guest may ask again), -EINTR = interrupted (it asks again when it
 * goes on). Never called on re-execution. typed: it is a person who types. NULL (the default): the
 * descriptor. */
typedef int64_t os_input_fn(void *ctx, const void **bytes);
void os_set_input(struct os *os, os_input_fn *fn, void *ctx, bool typed);
void os_allow_writing(struct os *os, bool allow);
/* Another folder is the guest's "/" from now on. One that can't be opened has no files. */
void os_set_root(struct os *os, const char *folder);
/* A folder of the host's that the guest has in its tree. */
struct os_folder {
	/* where, from its root, a canonical path: "usr/share/dict"; neither the root nor /dev */
	const char *at;
	const char *host; /* which */
	bool writing;     /* it may be changed; else not, whatever os_allow_writing() says */
};
enum { OS_FOLDERS = 16 };
/* It has these from now on (core/os/folders.c). One that can't be opened has no files. */
void os_set_folders(struct os *os, const struct os_folder *folders, unsigned n);
/* This folder is its sysroot from now on (core/os/sysroot.c): absolute paths that its own tree has
 * no file of are read there. NULL, and one that can't be opened: it has none. */
void os_set_sysroot(struct os *os, const char *folder);
/* The program at this path of the host's is what /proc/self/exe leads to, where it lies below the
 * guest's root (NULL: the current directory) or in one of its folders; before, there is no such
 * link. */
void os_set_program(struct os *os, const char *root, const char *path);
/* The files that are mapped from their beginning now; borrowed. */
const struct os_map *os_maps(const struct os *os, unsigned *count);
/* Hears, in the middle of a system call, also of a repeated one, that these have changed. NULL:
 * nobody. It changes nothing of the machine. */
typedef void os_mapped_fn(void *ctx);
void os_set_mapped(struct os *os, os_mapped_fn *fn, void *ctx);
/* *watch is this os until it is freed, when it becomes NULL; NULL: nobody looks any more. One at a
 * time. */
void os_watch(struct os *os, struct os **watch);
/* Where a guest finds files. */
struct os_trees {
	const char *root;    /* NULL: the current directory */
	const char *sysroot; /* NULL: none */
	const struct os_folder *folders; /* [folder_count] */
	unsigned folder_count;
};
/* A regular file that a guest with these would read as `path`: a descriptor that the caller closes,
 * or -errno, which is in errno, too. Outside of what is repeated. */
int os_open_library(const struct os_trees *t, const char *path);
/* The same of a machine's guest. */
int os_open_mapped(const struct os *os, const char *path);
/* A file that the program would have written if it had not ended: empty, under the rules of its own
 * openat(), from its folder or its root. Outside of what is repeated, and for programs that do
 * nothing any more. A descriptor that the caller closes; -errno: -EROFS if the program may not
 * write. */
int os_open_for_ended(const struct os *os, const char *path);
/* While *flag is not 0, a read that waits for input on the host's terminal or pipe gives up:
 * os_syscall returns false. Looked at about every 50 ms; NULL (the default) = never. Borrowed. */
void os_set_interrupt(struct os *os, const volatile sig_atomic_t *flag);
/* Where the host has no memory for what a call needs, `scarce` hears of it, os_syscall returns
 * false, and nothing happened: no errno tells the guest. NULL (the default): then it is told
 * ENOMEM. Borrowed. */
struct host_memory;
void os_tell_host_memory(struct os *os, struct host_memory *scarce);
/* Receives one line for people ("system call 425 (io_uring_setup) is not implemented: ENOSYS"),
 * each text once. Default: none. */
typedef void os_warn_fn(void *ctx, const char *line);
void os_set_warn(struct os *os, os_warn_fn *fn, void *ctx);
void os_warnf(struct os *os, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Everything output so far (for the output view), fd 1 and 2, and OUT_TYPED: bytes
 * [0, out_bytes[fd-1]) of each stream are
 * kept, up to the last 1 MiB. Returns the kept bytes' start; *first receives the stream position of
 * its first byte. limit = how far the machine now is (out_bytes); bytes beyond it are not shown. */
const char *os_output(const struct os *os, int fd, uint64_t *first, size_t *n);
/* Its pieces in the order in which they were written: of piece k the bytes [from[fd-1], to[fd-1])
 * of stream fd. Of the first, fd = 0, which is mostly empty, the order isn't known: bytes of both.
 */
struct os_output_piece {
	uint64_t from[OUT_STREAMS], to[OUT_STREAMS];
	int fd;
};
size_t os_output_pieces(const struct os *os);
struct os_output_piece os_output_piece(const struct os *os, size_t k, size_t pieces);

/* Serves the call at h->pc in h->r[17] with arguments in h->r[10..15] at simulated time h->cycle:
 * writes h->r[10], h->pc and guest memory; other registers where a signal's handler is entered or
 * left. exit, fatal signals and endless waits set exited, killed_by, waits. Returns false only when
 * the host was asked to interrupt a blocking read, or has no memory (nothing happened; call again
 * later). */
bool os_syscall(struct os *os, struct hart *h, struct mem *mem);

/* ---- signals, between two instructions ---- */
/* Guest cycle in which os_signals_wanted() is to be asked, OS_NEVER: calls alone change that. */
uint64_t os_signals_due(const struct os *os);
/* Lets timers expire; whether a signal waits that acts now. */
bool os_signals_wanted(struct os *os, uint64_t cycle);
/* It acts: h is at its handler, or the program has ended. */
void os_signals_deliver(struct os *os, struct hart *h, struct mem *mem);
/* Whether a handler would be entered for this fault of the program's. */
bool os_catches(const struct os *os, enum trap trap);
/* It is: h->pc is the faulting instruction. `at` is where the fault was found, of a load or store
 * the address that it accessed. */
void os_fault(struct os *os, struct hart *h, struct mem *mem, enum trap trap, uint64_t at);
/* The handlers that the last call of os_syscall(), os_signals_deliver() or os_fault() has entered,
 * in that order. */
struct os_entered {
	struct signal_info info;
	uint64_t from, handler; /* where the program was, and is */
};
unsigned os_entered(const struct os *os, const struct os_entered **entered);
/* Signals of this set don't reach the program from now on. */
void os_hold_back(struct os *os, uint64_t set);
/* "SIGUSR1"; signals above 31 are "SIG34"; NULL: there is none. */
const char *os_signal_name(uint64_t signal);
/* Of such a name, or of digits; 0: none. */
unsigned os_signal_number(const char *name);

/* Another future begins here: drops what the journal holds behind its position and what was output
 * behind out_bytes (output from here on is new). Input read from the host's stdin meanwhile is kept
 * and read again. Files the guest changed stay changed. */
void os_log_cut(struct os *os);
/* Whether an entry that was read back from a file is an answer that core/os could have written. */
bool os_answer_ok(const struct journal_entry *e, const void *payload);

/* The journal with all that it refers to, for journal_load(). *bytes is malloc'd; NULL if memory is
 * short, or if input has changed. */
void os_save_journal(const struct os *os, void **bytes, size_t *n);
/* Says why there is nothing of `what`, which takes the journal or other memory: "the program's
 * input has changed: words.txt is not ...", or that memory is out. Returns false. */
bool os_save_failed(const struct os *os, const char *what, struct err *err);
/* Saving the output kept of each stream with a checkpoint file. *bytes is malloc'd, NULL if memory
 * is short. Loading closes host descriptors and forgets pending input, too; false (nothing changed)
 * if the bytes are not what was saved. */
void os_save_output(const struct os *os, void **bytes, size_t *n);
bool os_load_output(struct os *os, const void *bytes, size_t n);

/* The same of what is known of files (core/os/inode.h), whose names are looked up again when the
 * guest next asks for one. */
void os_save_files(const struct os *os, void **bytes, size_t *n);
bool os_load_files(struct os *os, const void *bytes, size_t n);

/* What may stand in its part of the arena, and NULL, or what is impossible about that. */
void os_ranges(const struct os *os, struct ranges *rs);
const char *os_state_error(const struct os *os);
/* The same of what lies beside it, output and files, where that ends with the machine's cycle. */
const char *os_beside_state_error(const struct os *os);

const char *os_syscall_name(uint64_t number); /* "write", or NULL */
/* "it waits for a signal, and nobody is there to send one". Returns buf. */
char *os_wait_text(const struct os *os, const struct mem *mem, char *buf, size_t n);
enum { OS_WAIT_TEXT = 1024 }; /* room for it */
/* Whether instructions fetched before the call just served may not be what is to run after it:
 * riscv_flush_icache, or one that maps code. */
bool os_syscall_fences(const struct os *os, uint64_t number);

#endif
