/* What a child process may reach: the files and folders of a list, and nothing else of the host.
 *
 * Each means that the host offers is used, so that one that is missing or has a hole is no hole:
 * namespaces (a root folder that holds only the list; no network, no other processes' IPC),
 * Landlock (the kernel refuses every other file), seccomp (no sockets, no other processes, no new
 * namespaces). Resource limits hold everywhere. The parent fills a `struct sandbox`; the child
 * calls sandbox_enter() between fork() and exec(), and both keep it until the child has executed.
 */
#ifndef CYCLOPS_UI_CHILD_SANDBOX_H
#define CYCLOPS_UI_CHILD_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

enum { SANDBOX_PATHS_MAX = 96 };

/* Means of confinement, a set of bits. */
enum sandbox_means {
	SANDBOX_NAMESPACES = 1, /* user, mount, network and IPC namespaces, and a root of its own */
	SANDBOX_LANDLOCK = 2,
	SANDBOX_SECCOMP = 4,
	SANDBOX_ALL = 7,
};

/* What a path allows. Folders allow it for everything below them. */
enum sandbox_right {
	SANDBOX_READ = 0,
	SANDBOX_EXECUTE = 1, /* and read */
	SANDBOX_WRITE = 2,   /* and read; make, rename and remove entries of folders */
};

struct sandbox_path {
	char *path;   /* absolute, owned */
	char *target; /* owned; NULL, or `path` is a symbolic link that leads there */
	unsigned rights;
};

struct sandbox {
	struct sandbox_path paths[SANDBOX_PATHS_MAX]; /* outer folders before inner ones */
	unsigned count;
	char *folder;          /* owned: where the child begins, absolute; NULL: / */
	unsigned means;        /* those to use, SANDBOX_ALL at first */
	uint64_t memory_bytes; /* of data, RLIMIT_DATA; these three: 0: as the parent has it */
	uint64_t file_bytes;   /* of a file that it writes, RLIMIT_FSIZE */
	uint64_t cpu_seconds;  /* of processor time, RLIMIT_CPU */
};

/* An empty list: nothing is reached. */
void sandbox_init(struct sandbox *s);
void sandbox_deinit(struct sandbox *s);

/* Adds a path, resolved; a link keeps its name beside what it leads to. A path that does not exist
 * adds nothing. False with *err when memory or the list is full. */
bool sandbox_allow(struct sandbox *s, const char *path, unsigned rights, struct err *err);
/* Adds the running program, its shared libraries and what the dynamic linker reads. */
bool sandbox_allow_own_program(struct sandbox *s, struct err *err);
/* Adds the folders in which Debian and its kin install programs, libraries and headers, for this
 * host and for RISC-V, and /dev/null. */
bool sandbox_allow_system_programs(struct sandbox *s, struct err *err);
/* Sets the folder in which the child begins; it must be below an allowed path. */
bool sandbox_begin_in(struct sandbox *s, const char *folder, struct err *err);

/* In a child that has one thread: gives up everything that is not listed. Returns the means that
 * hold, of s->means; limits hold in any case. 0 also where the host has none of them. */
unsigned sandbox_enter(const struct sandbox *s);

/* The means that a child of this process would have, of `means`: found by trying in a child. */
unsigned sandbox_probe(unsigned means);
/* "namespaces, Landlock and seccomp"; "resource limits only" of 0. Returns buf. */
const char *sandbox_means_text(unsigned means, char *buf, size_t n);

#endif
