/* The guest's descriptors, and the files of the guest's own that they are open on. */
#ifndef CYCLOPS_CORE_OS_DESCRIPTORS_H
#define CYCLOPS_CORE_OS_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call;
struct host_stat;
struct lx_iovec;
struct os;
struct os_file;
struct os_state;

/* fd.c: descriptors and descriptions, all in the arena */
/* The open description of a guest descriptor, or NULL (EBADF): none is open, or (fd_file()) it
 * was opened with O_PATH, which names a file without access to it. */
struct os_file *fd_file(struct os_state *st, int fd);
struct os_file *fd_named_file(struct os_state *st, int fd);
unsigned file_index(const struct os_state *st, const struct os_file *f);
/* Lowest free descriptor >= from, or -1. */
int fd_lowest(const struct os_state *st, int from);
/* A fresh description, refs 0, or NULL if none is free (ENFILE). */
struct os_file *file_take(struct os_state *st);
void fd_drop(struct os_state *st, int fd);
void fd_install(struct os_state *st, int fd, struct os_file *f, bool cloexec);
/* Opens a new file of this kind for reading and writing, and returns its descriptor. Takes
 * LX_O_CLOEXEC and LX_O_NONBLOCK of flags. */
int64_t file_new(struct call *c, uint8_t kind, uint32_t flags);
void fd_reset(struct os_state *st);

/* stat.c: attributes of what is open; with LX_AT_FDCWD, of the current directory. 0 or -errno */
int64_t stat_fd(struct call *c, int fd, struct host_stat *h);
/* Whether AT_EMPTY_PATH is among the flags and the name is "": the call means the descriptor. */
bool path_is_empty(const struct call *c, uint64_t name, uint64_t flags);

/* stream.c: files without an offset, internal to the guest */
bool file_is_stream(const struct os_file *f);
/* True for a standard descriptor that looks like a terminal (sim.terminal). */
bool file_is_terminal(const struct os *os, const struct os_file *f);
/* Returns poll's bits. If a timer would set one later, lowers c->wakes to that tick. */
int file_ready(struct call *c, const struct os_file *f);
/* A number that changes whenever the file has, or may have, become ready again. */
uint64_t file_stamp(struct call *c, const struct os_file *f);
int64_t stream_read(struct call *c, struct os_file *f, const struct lx_iovec *v, unsigned count,
                    uint64_t total);
int64_t stream_write(struct call *c, struct os_file *f, const struct lx_iovec *v, unsigned count,
                     uint64_t total);
void stream_stat(const struct os *os, const struct os_file *f, struct host_stat *out);

/* event_files.c */
int event_ready(struct call *c, const struct os_file *f);
uint64_t event_stamp(struct call *c, const struct os_file *f); /* file_stamp() */
int64_t event_read(struct call *c, struct os_file *f, const struct lx_iovec *v, unsigned count);
int64_t event_write(struct call *c, struct os_file *f, const struct lx_iovec *v, unsigned count);

/* epoll.c */
int epoll_ready(struct call *c, const struct os_file *f);

/* pipe.c */
/* Number of a fresh pipe that no descriptor is open on; -1: none is free. */
int pipe_take(struct call *c);
int pipe_readable(const struct os_state *st, unsigned pipe); /* poll's bits */
int pipe_writable(const struct os_state *st, unsigned pipe);
int64_t pipe_read(struct call *c, unsigned pipe, bool waits, const struct lx_iovec *v,
                  unsigned count);
/* total: bytes of all the buffers */
int64_t pipe_write(struct call *c, unsigned pipe, bool waits, const struct lx_iovec *v,
                   unsigned count, uint64_t total);

#endif
