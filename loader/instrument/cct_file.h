/* The file into which an instrumented program writes its calling context tree. It does so when it
 * exits, executes another program or a signal ends it (cct_signals.h); a forked process writes one
 * with its number behind the name. Not when SIGKILL ends it, nor a fault while that signal is
 * blocked. Where a guest dies no handler runs: then Cyclops writes it in its place
 * (ui/cli/cct_rescue.h).
 *
 * The program writes it itself, through system calls, as in the paper: so it does so wherever it
 * runs. It holds the memory that the tree lies in: what cct_tree() reads.
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
	struct cct cct;  /* of the program */
	uint64_t heap_used;
};

/* False with *err: there is no such file, or it is not one of p's, or not all of it. */
bool cct_file_open(const struct program *p, const char *path, struct cct_file *out,
                   struct err *err);
void cct_file_close(struct cct_file *f);
/* The file's name, as the program has it, borrowed; NULL: it writes none, or what is said of it or
 * of the tree is damaged. */
const char *cct_file_name(const struct program *p);
/* What the program would write now, with its memory read from there: to fd, which stays open. deep:
 * its stack has been deeper than there are places. False with *err, and a file that is cut off. */
bool cct_file_write(const struct program *p, const struct cct_source *from, bool deep, int fd,
                    struct err *err);

/* To read the tree from: valid as long as the file is open and stays where it is. */
struct cct_source cct_file_source(const struct cct_file *f);

/* What tells sections apart. */
uint64_t cct_digest(const void *section, uint64_t n);

/* For instrumentation: a routine that writes the file, called through t0; all other registers are
 * as before. Its name for struct edit_code; 0 with *err. */
uint64_t cct_put_save(struct edit *e, const struct cct_head *head, uint64_t digest,
                      const char *path, struct err *err);

#endif
