/* Which of the host's files is which of the guest's (inode.h), as long as a machine lives. */
#ifndef CYCLOPS_CORE_OS_INODE_TABLE_H
#define CYCLOPS_CORE_OS_INODE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inode;

struct inodes {
	struct inode *all; /* owned; [count] */
	size_t count, cap;
	/* owned; [1 << chain_log2], 1 + first of those with this hash, 0 = none */
	uint32_t *chain;
	unsigned chain_log2;
	uint32_t unused;   /* 1 + first that may be used again */
	char *text;        /* owned; names, each with its zero byte; some are nobody's any more */
	size_t text_used, text_cap;
	size_t removed;    /* that may still be open */
	bool unresolved;   /* some have a name only */
};

#endif
