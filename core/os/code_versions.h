/* Versions of the code at an address. Code is replaced where executable memory is unmapped, covered
 * or made not executable, and executable memory comes there again: a library in the place of one
 * that dlclose() unmapped, or a compiler's page that was writable in between. The first code at an
 * address has version 0, code that replaces it 1, and so on. Code that is written in place, without
 * a system call, keeps its version.
 *
 * A section of the arena, so it goes back with the machine. Ranges are disjoint and rise; each was
 * executable once and is not now (`gone`), or has a version above 0. Where there is no room for
 * another one, OS_CODE_RANGES, changes are only counted, in `missed`. */
#ifndef CYCLOPS_CORE_OS_CODE_VERSIONS_H
#define CYCLOPS_CORE_OS_CODE_VERSIONS_H

#include <stdbool.h>
#include <stdint.h>

struct os;

enum { OS_CODE_RANGES = 128, OS_CODE_VERSION_MAX = UINT8_MAX };

struct os_code_range {
	uint64_t start, end; /* bytes; multiples of PAGE_BYTES */
	uint64_t version;    /* OS_CODE_VERSION_MAX: that one, or a later one */
	uint64_t gone;       /* 1: no code is there now */
};

struct os_code_versions {
	uint64_t count;
	uint64_t missed; /* changes that there was no room for */
	uint64_t newest; /* highest version of any range */
	struct os_code_range range[OS_CODE_RANGES]; /* [count] */
};

/* Executable memory [start, end) goes, or has come. */
void code_versions_go(struct os *os, uint64_t start, uint64_t end);
void code_versions_come(struct os *os, uint64_t start, uint64_t end);
/* Version of the code at this address, or of the last that was there. */
unsigned os_code_version(const struct os *os, uint64_t pc);
const struct os_code_versions *os_code_versions(const struct os *os);

#endif
