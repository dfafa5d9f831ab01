/* Confines a child process to a list of the host's files and folders.
 *
 * Uses every means of the host, so that the child stays confined if one is missing or has a hole:
 * namespaces (a root folder with only the list; no network, no other processes' IPC), Landlock (the
 * kernel refuses files outside the list), seccomp (no sockets, no other processes, no new
 * namespaces). Resource limits always apply. The parent fills a `struct sandbox`; the child calls
 * sandbox_enter() between fork() and exec(), and both keep it until the child has executed. */
#ifndef CYCLOPS_CORE_HOST_SANDBOX_H
#define CYCLOPS_CORE_HOST_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

enum { SANDBOX_PATHS_MAX = 256 };

/* Means of confinement, a set of bits. */
enum sandbox_means {
	SANDBOX_NAMESPACES = 1, /* user, mount, network and IPC namespaces, and a root of its own */
	SANDBOX_LANDLOCK = 2,
	SANDBOX_SECCOMP = 4,
	SANDBOX_ALL = 7,
};

/* Rights to a path. A folder's rights hold for everything below it. */
enum sandbox_right {
	SANDBOX_READ = 0,
	SANDBOX_EXECUTE = 1, /* and read */
	SANDBOX_WRITE = 2,   /* and read; make, rename and remove entries of folders */
};

struct sandbox_path {
	char *path;   /* absolute, owned */
	char *target; /* owned; target of `path` if that is a symbolic link, else NULL */
	unsigned rights;
};

struct sandbox {
	struct sandbox_path paths[SANDBOX_PATHS_MAX]; /* outer folders before inner ones */
	unsigned count;
	char *folder;          /* owned: the child's current folder, absolute; NULL: / */
	bool own_process;      /* its own folder of /proc is readable, and no other */
	unsigned means;        /* means to use, SANDBOX_ALL at first */
	uint64_t memory_bytes; /* RLIMIT_DATA; in these three 0: the parent's limit */
	uint64_t file_bytes;   /* of a written file, RLIMIT_FSIZE */
	uint64_t cpu_seconds;  /* of processor time, RLIMIT_CPU */
};

/* Makes an empty list: nothing is accessible. */
void sandbox_init(struct sandbox *s);
void sandbox_deinit(struct sandbox *s);

/* Adds the resolved path; of a link, also its target. Ignores a path that does not exist. False
 * with *err when memory or the list is full. */
bool sandbox_allow(struct sandbox *s, const char *path, unsigned rights, struct err *err);
/* Adds the running program, its shared libraries and files that the dynamic linker reads. */
bool sandbox_allow_own_program(struct sandbox *s, struct err *err);
/* Adds the folders in which Debian and its derivatives install programs, libraries and headers, for
 * this host and for RISC-V, and /dev/null. */
bool sandbox_allow_system_programs(struct sandbox *s, struct err *err);
/* Adds the programs, libraries and headers of gcc and binutils for `target` ("riscv64-linux-gnu")
 * where Debian and its derivatives install them, the folder of the host's shared libraries, and
 * /dev/null: no other program, and no list of what is installed. */
bool sandbox_allow_gcc(struct sandbox *s, const char *target, struct err *err);
/* Sets the folder in which the child begins; it must be below an allowed path. */
bool sandbox_begin_in(struct sandbox *s, const char *folder, struct err *err);

/* Confines this process to the list. Call in a child with one thread. Returns the means of s->means
 * that took effect; 0 if the host has none. Limits apply in any case. */
unsigned sandbox_enter(const struct sandbox *s);

/* Returns those of `means` that would take effect in a child: tries them in one. */
unsigned sandbox_probe(unsigned means);
/* Writes "namespaces, Landlock and seccomp"; for 0 "resource limits only". Returns buf. */
const char *sandbox_means_text(unsigned means, char *buf, size_t n);

#endif
