#include "ui/checkpoint/checkpoint_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/machine/params.h"
#include "core/machine/plugin_places.h"
#include "core/os/os.h"
#include "core/pipe/pipe.h"
#include "ui/cli/version.h"

uint64_t checkpoint_layout(void)
{
	const uint64_t sizes[] = {sizeof(struct uop), sizeof(struct pipe_state),
	                          stat_row_count,     sizeof(struct os_state),
	                          config_bytes(),     offsetof(struct uop, trap)};
	uint64_t h = hash_bytes(HASH_START, sizes, sizeof sizes);
	h = hash_bytes(h, CYCLOPS_VERSION, sizeof CYCLOPS_VERSION);
	for (unsigned op = 0; op < op_count; op++)
		h = hash_bytes(h, op_info[op].mnemonic, strlen(op_info[op].mnemonic) + 1);
	for (size_t i = 0; i < param_count; i++)
		h = hash_bytes(h, params[i].name, strlen(params[i].name) + 1);
	for (size_t i = 0; i < stat_row_count; i++)
		h = hash_bytes(h, stat_rows[i].name, strlen(stat_rows[i].name) + 1);
	return h;
}

uint64_t checkpoint_firmware(const struct session *s)
{
	const struct program *firmware = program_firmware(s->program);
	return firmware ? program_digest(firmware) : 0;
}

struct digest checkpoint_digest(const uint8_t *arena, const struct arena_section *a)
{
	struct digest d = {.bytes = a->bytes,
	                   .digest = hash_bytes(HASH_START, arena + a->at, a->bytes)};
	strncpy(d.name, a->name, sizeof d.name - 1);
	return d;
}

/* Writes the arguments after the program's name, a newline, and the environment; each text ends in
 * a zero byte, the newline does not. */
static void put_arguments(FILE *f, const struct launch *l)
{
	for (int i = 1; i < l->argc; i++)
		fprintf(f, "%s%c", l->argv[i], 0);
	fputc('\n', f);
	for (char **e = l->env; e && *e; e++)
		fprintf(f, "%s%c", *e, 0);
}

char *checkpoint_arguments(const struct launch *l, size_t *n)
{
	char *text = NULL;
	FILE *f = alloc_stream(&text, n);
	if (!f)
		return NULL;
	put_arguments(f, l);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

void checkpoint_plugins(const struct plugins *plugins, const struct config *cfg,
                        struct saved_plugin *out, size_t *n)
{
	const struct plugins asked = plugins_asked(plugins, cfg);
	*n = 0;
	for (unsigned i = 0; i < PLUGIN_COUNT; i++) {
		if (!asked.at[i])
			continue;
		const char *name = strrchr(asked.at[i]->name, '/');
		struct saved_plugin *p = &out[(*n)++];
		memset(p, 0, sizeof *p);
		p->digest = asked.at[i]->digest;
		p->place = i;
		snprintf(p->name, sizeof p->name, "%s", name ? name + 1 : asked.at[i]->name);
	}
}
