/* Table from the host's files to the guest's (inode.h), for a machine's life. */
#ifndef CYCLOPS_CORE_OS_INODE_TABLE_H
#define CYCLOPS_CORE_OS_INODE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/chains.h"
#include "core/os/file_names.h"

struct inode;

struct inodes {
	struct inode *all; /* owned; [count] */
	size_t count, cap;
	struct chains chains; /* by the host's numbers */
	uint32_t unused;   /* 1 + first that may be used again */
	struct file_names names;
	size_t removed;    /* removed files, which may still be open */
	bool unresolved;   /* some files have only a name */
};

#endif
