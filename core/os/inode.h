/* The guest's view of a file's attributes: numbers of the machine's own. Nothing depends on the
 * host's file system, clock, users or umask.
 *
 *   device   one for the whole tree
 *   inode    1, 2, ... as files are first looked at (stat, a listing), in the order in which the
 *            guest asks. A file has one number under every name, hard link and descriptor. A file
 *            that the guest makes is a new one, and a file that it removes never returns, even if
 *            the host gives the same number out again. A file that another process puts in a
 *            file's place is the old one if its host number is the same, else a new one.
 *   mode     0644, or 0755 for directories and files that their owner may execute, as found; the
 *            guest's mode if the guest made the file or changed its mode
 *   times    sim.epoch as found; then the simulated time of the guest's changes, or the times that
 *            it set. Reading changes none.
 *   links    1, and one more for each that the guest made
 *   the rest user, group, block size and a directory's length are constants; blocks follow from
 *            the length
 *
 * os_state.inodes counts the numbers given out: it is machine state and goes back with it. Numbers
 * reach the guest in answers of the journal, so that they are right in the past. The table from the
 * host's files to numbers lives as long as the machine; like the files themselves it does not go
 * back with it. A cut takes back the numbers that only the dropped future used.
 *
 * The host's numbers mean nothing to another process: a checkpoint holds names, and each is looked
 * up again when the machine is restored. */
#ifndef CYCLOPS_CORE_OS_INODE_H
#define CYCLOPS_CORE_OS_INODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "core/os/linux.h"

struct os;
struct located;
struct host_stat;

/* Reserves room for `files` more files and `text` more bytes of names; false if memory is short.
 * Call it before any of the following, and before the host's files are changed. Resolves the names
 * of a checkpoint. */
bool inodes_reserve(struct os *os, size_t files, size_t text);

/* Fills the guest's view of a file, and gives the file a number if it has none. path: from the
 * root; NULL if the file was not found by one. */
void inode_fill(struct os *os, const struct stat *st, const char *path, struct host_stat *out);
/* Records that the file has this name. */
void inode_named(struct os *os, const struct stat *st, const char *path);
/* Records that a repeated answer gave this number. */
void inode_seen(struct os *os, uint64_t number);

/* ---- changes by the guest; st: as before a removal or renaming, else as after the change ---- */
void inode_created(struct os *os, const struct stat *st, const char *path, uint32_t mode);
void inode_written(struct os *os, const struct stat *st);
void inode_set_mode(struct os *os, const struct stat *st, uint32_t mode);
/* nsec may be LX_UTIME_OMIT */
void inode_set_times(struct os *os, const struct stat *st, const struct lx_timespec t[2]);
void inode_linked(struct os *os, const struct stat *st);
void inode_unlinked(struct os *os, const struct stat *st, const char *path);
/* to_st: the file at `to` before, or NULL. */
void inode_renamed(struct os *os, const struct stat *st, const char *from, const struct stat *to_st,
                   const char *to, bool exchange);
/* Updates the times of the directory that holds it: an entry has changed. */
void inode_touch_parent(struct os *os, const struct located *at);

/* Error in the state of a checkpoint, or NULL. */
const char *inodes_state_error(const struct os *os);

#endif
