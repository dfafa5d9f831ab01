/* The file into which an instrumented program writes its calling context tree: when it exits,
 * executes another program or is ended by a signal (cct_signals.h); a forked process appends its
 * number to the name. Not when SIGKILL ends it, nor on a fault while that signal is blocked. When
 * Cyclops ends a guest no handler runs: Cyclops then writes the file itself (ui/cli/cct_rescue.h).
 *
 * The program writes it by system calls, as in the paper, so this works on any RISC-V system. It
 * holds the memory of the tree: the input of cct_tree().
 *
 *   magic, digest of the program's section .cyclops.cct   16 bytes
 *   the program's words (cct.h)                           CCT_PLACES bytes
 *   the heap, as far as it is used
 *   the records for a full heap, if it is full */
#ifndef CYCLOPS_LOADER_INSTRUMENT_CCT_FILE_H
#define CYCLOPS_LOADER_INSTRUMENT_CCT_FILE_H

#include "loader/edit/edit.h"
#include "loader/instrument/cct.h"

#define CCT_FILE_MAGIC UINT64_C(0x314c494654434343) /* "CCCTFIL1" */

struct cct_file {
	uint8_t *bytes;  /* [size], owned */
	uint64_t size;
	struct cct cct;  /* the program's */
	uint64_t heap_used;
};

/* Opens and checks the file. False with *err: it does not exist, belongs to another program, or is
 * truncated. */
bool cct_file_open(const struct program *p, const char *path, struct cct_file *out,
                   struct err *err);
void cct_file_close(struct cct_file *f);
/* The file's name as stored in the program, borrowed; NULL if it writes none, or a section is
 * damaged. */
const char *cct_file_name(const struct program *p);
/* Writes to fd, which stays open, what the program would write now; its memory is read from `from`.
 * deep: its stack was deeper than there are places. False with *err, and a truncated file. */
bool cct_file_write(const struct program *p, const struct cct_source *from, bool deep, int fd,
                    struct err *err);

/* The file as a source of the tree; valid while f is open and does not move. */
struct cct_source cct_file_source(const struct cct_file *f);

/* A digest of a section, to compare programs. */
uint64_t cct_digest(const void *section, uint64_t n);

/* Adds a routine that writes the file, called through t0; it preserves all other registers. Returns
 * its name for struct edit_code; 0 with *err. */
uint64_t cct_put_save(struct edit *e, const struct cct_head *head, uint64_t digest,
                      const char *path, struct err *err);

#endif
