/* Checkpoint files: a machine in the middle of a program, to be resumed later.
 *
 * All little-endian; a header, sections, and a checksum over everything:
 *
 *   "cyclops checkpoint\n", format number u32, layout u64 (of this build's machine state),
 *   digests u64 of the program and its firmware (0: none), state hash u64, cycle u64,
 *   then each section as length u64 and bytes:
 *     program path, configuration ("name=value" lines), arena,
 *     digests of its sections (bytes u64, digest u64, name in 32 bytes each), regions,
 *     pages (address u64 and 4096 bytes each), journal (core/os/journal.h),
 *     output kept of each stream, files (core/os/inode.h),
 *     attachments' states, arguments and environment
 *   checksum u64
 *
 * Host files that the program has open are opened again by name when it next uses them: for writing
 * only if the present session allows writing, whatever the saved one allowed. */
#ifndef CYCLOPS_UI_CHECKPOINT_CHECKPOINT_H
#define CYCLOPS_UI_CHECKPOINT_CHECKPOINT_H

#include <stdbool.h>

#include "core/base/err.h"
#include "hwviews/session/session.h"

/* Writes the present state, completely or not at all (core/base/output_file.h). False with *err: no
 * partial file remains, an older one of that name stays. */
bool checkpoint_save(const struct session *s, const char *path, struct err *err);
/* Loads a saved machine, with the file's configuration, for session_adopt(). NULL with *err: the
 * file is damaged, of another program or another version. */
struct machine *checkpoint_load(const struct session *s, const char *path, struct err *err);

#endif
