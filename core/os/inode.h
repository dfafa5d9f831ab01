/* The guest's view of a file's attributes: numbers of the machine's own. Nothing depends on the
 * host's file system, clock, users or umask.
 *
 *   device   one for the whole tree
 *   inode    1, 2, ... as files are first looked at (stat, a listing), in the order in which the
 *            guest asks. The same file has one number, by whatever name, hard link or descriptor.
 *            What the guest makes is a new file, and what it removes is over, even if the host
 *            gives the same number out again. A file that somebody else puts in another's place is
 *            the old one or a new one as the host's number is.
 *   mode     0644, or 0755 for directories and what its owner may execute, as found; as the guest
 *            made it, where the guest made or changed it
 *   times    sim.epoch as found; the simulated time of what the guest did to it, or what the guest
 *            set. Reading leaves no trace.
 *   links    1, and one more for each that the guest made
 *   the rest user, group, block size and a directory's length are constants; blocks follow from the
 *     length
 *
 * os_state.inodes says how many numbers were given out: it is machine state and goes back with it.
 * Numbers reach the guest in answers of the journal, so that they are right in the past. Here
 * stands, as long as the machine lives, which of the host's files is which; like the files
 * themselves it stays as it is where the machine goes back. A cut takes back the numbers that only
 * the dropped future knew.
 *
 * The host's numbers mean nothing to another process: a checkpoint has the names, and each is
 * looked up again where the machine is restored. */
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

/* Before any of the following, and before the host's files are changed: room for so many more files
 * and bytes of names; false if memory is short. What a checkpoint knew by name is looked up here.
 */
bool inodes_reserve(struct os *os, size_t files, size_t text);

/* What the guest is told of a file, which has its number from then on. path: from the root; NULL
 * where the file was not found by it. */
void inode_fill(struct os *os, const struct stat *st, const char *path, struct host_stat *out);
/* The file is known by this name. */
void inode_named(struct os *os, const struct stat *st, const char *path);
/* An answer that gives this number was repeated. */
void inode_seen(struct os *os, uint64_t number);

/* ---- what the guest did; st as it was before, where something goes, else as it is ---- */
void inode_created(struct os *os, const struct stat *st, const char *path, uint32_t mode);
void inode_written(struct os *os, const struct stat *st);
void inode_set_mode(struct os *os, const struct stat *st, uint32_t mode);
/* nsec may be LX_UTIME_OMIT */
void inode_set_times(struct os *os, const struct stat *st, const struct lx_timespec t[2]);
void inode_linked(struct os *os, const struct stat *st);
void inode_unlinked(struct os *os, const struct stat *st, const char *path);
/* to_st: what was at `to` before, or NULL. What inodes_reserve() is to have for it first:
 * inodes_rename_text(). */
void inode_renamed(struct os *os, const struct stat *st, const char *from, const struct stat *to_st,
                   const char *to, bool exchange);
size_t inodes_rename_text(const struct os *os, const char *from, const char *to);
/* The directory that holds it has another entry now. */
void inode_touch_parent(struct os *os, const struct located *at);

/* What is wrong with what a checkpoint said, or NULL. */
const char *inodes_state_error(const struct os *os);

#endif
