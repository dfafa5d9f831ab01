/* Shared by inode.c and inode_save.c. */
#ifndef CYCLOPS_CORE_OS_INODE_PRIV_H
#define CYCLOPS_CORE_OS_INODE_PRIV_H

#include "core/os/os_priv.h"

enum { MODE_BY_RULE = 0xffff };
#define NO_NAME SIZE_MAX

enum inode_state {
	INODE_UNUSED,
	INODE_UNRESOLVED, /* of a checkpoint: dev and ino mean nothing yet, name is set */
	INODE_LIVE,
	INODE_REMOVED     /* no name leads there; a descriptor may */
};

struct inode {
	uint64_t dev, ino; /* the host's */
	uint64_t number;   /* the guest's; 0 = not given yet */
	struct lx_timespec atime, mtime, ctime;
	/* where in inodes.text: the last by which it was found, from the root; or NO_NAME */
	size_t name;
	uint32_t next;     /* 1 + the next of its chain, or of those that are unused; 0 = none */
	uint32_t links;
	uint16_t mode;     /* permission bits that the guest gave it, or MODE_BY_RULE */
	uint8_t state;     /* enum inode_state */
};

/* Whether it can be found by the host's numbers. */
static inline bool inode_is_found(const struct inode *n)
{
	return n->state == INODE_LIVE || n->state == INODE_REMOVED;
}

#endif
