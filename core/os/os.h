/* The Linux user-mode environment around the guest: system calls, file descriptors, break, mappings,
 * time, and the log of everything that came from outside.
 *
 * Deterministic: time comes from simulated cycles (sim.clock_hz, sim.epoch), random bytes from a
 * seeded generator; what can only come from the host (bytes read, stat results, directory
 * entries) is appended to a log together with the guest memory it wrote. When a machine is restored to an
 * earlier state and runs on, calls are answered from the log until its end is reached, so that
 * re-execution sees the same and output is not written twice: the position in the log and the output byte
 * counts are in the arena, the log itself and the host's descriptors are not.
 *
 * Confinement: files below the directory in which the host process started, reading only unless
 * writing is allowed; a path that leaves the tree (.., absolute, symbolic link) answers ENOENT. */
#ifndef CYCLOPS_CORE_OS_OS_H
#define CYCLOPS_CORE_OS_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/config.h"
#include "core/isa/regs.h"
#include "core/mem/mem.h"

enum { OS_FDS = 64, OS_SIGNALS = 65, OS_PATH = 256 };

struct os_fd {
	uint8_t kind;        /* OS_FD_* */
	uint8_t flags;       /* FD_CLOEXEC */
	uint16_t file;       /* index of the open file description (shared by dup) */
};

enum { OS_FD_CLOSED, OS_FD_OPEN };

/* In the arena. The implementer may extend it; no pointers. */
struct os_state {
	struct os_fd fd[OS_FDS];
	uint64_t brk_start, brk;     /* bytes */
	uint64_t mmap_below;         /* next anonymous mapping goes below this */
	uint64_t log_pos;            /* entries of the log consumed so far */
	uint64_t out_bytes[2];       /* written to stdout and stderr so far */
	uint64_t rng[4];             /* xoshiro256** state, seeded by sim.seed */
	uint64_t clear_tid, robust_list;
	uint64_t sigaction[OS_SIGNALS][4]; /* handler, flags, restorer, mask, as given */
	uint64_t sigmask;
	int32_t exit_status;
	uint8_t exited;
	uint8_t killed_by;           /* signal the guest sent to itself (abort), 0 if none */
	char cwd[OS_PATH];           /* relative to the confinement root, "" = root */
};

struct os; /* the host side: log, host descriptors, output sink; owned by the machine */

/* Where guest output goes. Bytes reach it once, in order, when first produced (never on
 * re-execution). fd is 1 or 2. */
typedef void os_output_fn(void *ctx, int fd, const void *bytes, size_t n);

struct os *os_new(const struct config *cfg);
void os_free(struct os *os);
void os_place(struct os *os, struct arena *a);
void os_reset(struct os *os); /* fds 0-2 open, log_pos 0, random state from sim.seed */
struct os_state *os_state(struct os *os);
const struct os_state *os_state_const(const struct os *os);

void os_set_output(struct os *os, os_output_fn *fn, void *ctx); /* default: write(2) to the host's fd */
/* Where the guest's fd 0 reads: a host descriptor (default 0), or -1 for an empty input. */
void os_set_stdin(struct os *os, int host_fd);
void os_allow_writing(struct os *os, bool allow);
/* Receives one line for people ("system call 425 (io_uring_setup) is not implemented: ENOSYS"), each
 * text once. Default: none. */
typedef void os_warn_fn(void *ctx, const char *line);
void os_set_warn(struct os *os, os_warn_fn *fn, void *ctx);

/* Everything output so far (for the output view): bytes [0, out_bytes[fd-1]) of each stream are kept,
 * up to the last 1 MiB. Returns the kept bytes' start; *first receives the stream position of its first byte.
 * limit = how far the machine now is (out_bytes); bytes beyond it are not shown. */
const char *os_output(const struct os *os, int fd, uint64_t *first, size_t *n);

/* Serves the call in h->r[17] with arguments in h->r[10..15] at simulated time h->cycle: writes h->r[10] and
 * guest memory. exit and fatal self-signals set exited/killed_by. Returns false only
 * when the host was asked to interrupt a blocking read (nothing happened; call again later). */
bool os_syscall(struct os *os, struct hart *h, struct mem *mem);

/* A person changed guest state at a past position: what was logged after now can no longer be trusted to
 * repeat. Drops the log behind log_pos. */
void os_log_cut(struct os *os);
uint64_t os_log_entries(const struct os *os);
size_t os_log_bytes(const struct os *os);

/* Saving and loading the consumed part of the log with a checkpoint file. Writes or reads a byte
 * buffer; os_log_load returns false (nothing changed) if the bytes are not a log. *bytes is malloc'd. */
void os_log_save(const struct os *os, void **bytes, size_t *n);
bool os_log_load(struct os *os, const void *bytes, size_t n);

const char *os_syscall_name(uint64_t number); /* "write", or NULL */

#endif
