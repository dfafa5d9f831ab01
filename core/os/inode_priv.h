/* Shared by inode.c and inode_save.c. */
#ifndef CYCLOPS_CORE_OS_INODE_PRIV_H
#define CYCLOPS_CORE_OS_INODE_PRIV_H

#include "core/os/os_priv.h"

enum { MODE_BY_RULE = 0xffff, NO_NAME = 0 };

enum inode_state {
	INODE_UNUSED,
	INODE_UNRESOLVED, /* from a checkpoint: name is set, dev and ino are not yet */
	INODE_LIVE,
	INODE_REMOVED     /* no name; a descriptor may be open */
};

struct inode {
	uint64_t dev, ino; /* the host's */
	uint64_t number;   /* the guest's; 0 = not given yet */
	struct lx_timespec atime, mtime, ctime;
	struct listing *listing; /* owned; of a directory, as last read; NULL: read it again */
	uint32_t name;     /* in inodes.names: by which it was last found; or NO_NAME */
	uint32_t next;     /* 1 + next of its chain, or of the unused; 0 = none */
	uint32_t links;
	uint16_t mode;     /* permission bits that the guest gave it, or MODE_BY_RULE */
	uint8_t state;     /* enum inode_state */
};

/* The place of the directory's listing in the table, valid until the next file is added. Reserve
 * room for a file first. */
struct listing **inode_listing(struct os *os, const struct stat *st);
/* host_list.c: gives up a reference; NULL: none. */
void listing_drop(struct listing *l);

/* Whether the table finds it by the host's numbers. */
static inline bool inode_is_found(const struct inode *n)
{
	return n->state == INODE_LIVE || n->state == INODE_REMOVED;
}

#endif
