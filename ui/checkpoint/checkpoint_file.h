/* Parts of a checkpoint file, shared by writing and reading; described in
 * ui/checkpoint/checkpoint.h. */
#ifndef CYCLOPS_UI_CHECKPOINT_CHECKPOINT_FILE_H
#define CYCLOPS_UI_CHECKPOINT_CHECKPOINT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/pipe/plugin.h"
#include "hwviews/session/session.h"

#define CHECKPOINT_MAGIC "cyclops checkpoint\n"
enum { MAGIC_BYTES = sizeof CHECKPOINT_MAGIC - 1, FORMAT = 10 };

/* In the file's order. */
enum section {
	SECTION_PATH,
	SECTION_CONFIG,
	SECTION_ARENA,
	SECTION_DIGESTS,
	SECTION_REGIONS,
	SECTION_PAGES,
	SECTION_JOURNAL,
	SECTION_OUTPUT,
	SECTION_FILES,
	SECTION_ATTACHMENTS,
	SECTION_ARGUMENTS,
	SECTION_PLUGINS,
	SECTIONS
};

struct header {
	char magic[MAGIC_BYTES + 1];
	uint32_t format;
	uint64_t layout, program, firmware, hash, cycle;
};

/* Digest of one of the arena's sections. */
struct digest {
	uint64_t bytes, digest;
	char name[32]; /* zero-padded */
};

/* A plug-in of the saved machine. */
struct saved_plugin {
	uint64_t digest;
	uint32_t place; /* enum plugin_place */
	char name[116]; /* of its file, zero-padded */
};

/* Digest of the arena's layout: changes with its records and tables. */
uint64_t checkpoint_layout(void);
/* Digest of the firmware; 0 without. */
uint64_t checkpoint_firmware(const struct session *s);
struct digest checkpoint_digest(const uint8_t *arena, const struct arena_section *a);
/* The program's arguments and environment: malloc'd, NULL if memory is out. */
char *checkpoint_arguments(const struct launch *l, size_t *n);
/* A configuration's plug-ins, of these, in the order of their places; *n: how many, at most
 * PLUGIN_COUNT. */
void checkpoint_plugins(const struct plugins *plugins, const struct config *cfg,
                        struct saved_plugin *out, size_t *n);

#endif
