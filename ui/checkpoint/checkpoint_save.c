/* Writes a checkpoint; if any part fails, no file is left. */
#include "core/base/output_file.h"
#include "ui/checkpoint/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/machine/params.h"
#include "core/mem/mem.h"
#include "core/os/journal.h"
#include "core/os/os.h"
#include "core/prof/common/attachment.h"
#include "ui/checkpoint/checkpoint_file.h"

struct writer {
	FILE *f;
	uint64_t sum;
	const char *missing; /* the first part for which memory was out; NULL: none */
};

static void checkpoint_save_write_bytes(struct writer *w, const void *bytes, size_t n)
{
	w->sum = hash_bytes(w->sum, bytes, n);
	if (n)
		fwrite(bytes, 1, n, w->f); /* errors are detected at the end */
}

static void put_section(struct writer *w, const void *bytes, size_t n)
{
	uint64_t length = n;
	checkpoint_save_write_bytes(w, &length, sizeof length);
	checkpoint_save_write_bytes(w, bytes, n);
}

/* Writes bytes and frees them; NULL: memory was out. */
static void put_made(struct writer *w, const char *what, void *bytes, size_t n)
{
	if (!bytes && !w->missing)
		w->missing = what;
	put_section(w, bytes, bytes ? n : 0);
	free(bytes);
}

static void put_regions(struct writer *w, const struct mem *mem)
{
	struct mem_region r = {0};
	const uint64_t length = mem_region_count(mem) * sizeof r;
	checkpoint_save_write_bytes(w, &length, sizeof length);
	while (mem_next_region(mem, r.end, &r))
		checkpoint_save_write_bytes(w, &r, sizeof r);
}

/* Formats the configuration: malloc'd; NULL if memory is out. */
static char *config_lines(const struct config *cfg, size_t *n)
{
	char *text = NULL;
	FILE *f = alloc_stream(&text, n);
	if (!f)
		return NULL;
	for (size_t i = 0; i < param_count; i++) {
		fprintf(f, "%s=", params[i].name);
		if (params[i].type == PARAM_TEXT)
			fprintf(f, "%s\n", config_text(cfg, &params[i]));
		else
			fprintf(f, "%" PRId64 "\n", config_get(cfg, &params[i]));
	}
	bool ok = !ferror(f);
	ok = fclose(f) == 0 && ok;
	if (ok)
		return text;
	free(text);
	return NULL;
}

static void put_digests(struct writer *w, const struct machine *m)
{
	unsigned count;
	const struct arena_section *sections = machine_sections(m, &count);
	size_t n;
	const uint8_t *arena = machine_arena(m, &n);
	uint64_t length = count * sizeof(struct digest);
	checkpoint_save_write_bytes(w, &length, sizeof length);
	for (unsigned i = 0; i < count; i++) {
		const struct digest d = checkpoint_digest(arena, &sections[i]);
		checkpoint_save_write_bytes(w, &d, sizeof d);
	}
}

static void checkpoint_save_write_pages(struct writer *w, const struct mem *mem)
{
	uint64_t pages = 0, length;
	uint8_t bytes[PAGE_BYTES];
	for (uint64_t a = mem_next_touched(mem, 0); a < MEM_END;
	     a = mem_next_touched(mem, a + PAGE_BYTES))
		pages++;
	length = pages * (sizeof(uint64_t) + PAGE_BYTES);
	checkpoint_save_write_bytes(w, &length, sizeof length);
	for (uint64_t a = mem_next_touched(mem, 0); a < MEM_END;
	     a = mem_next_touched(mem, a + PAGE_BYTES)) {
		mem_peek(mem, a, bytes, sizeof bytes);
		checkpoint_save_write_bytes(w, &a, sizeof a);
		checkpoint_save_write_bytes(w, bytes, sizeof bytes);
	}
}

static void checkpoint_save_write_sections(struct writer *w, const struct session *s)
{
	const struct machine *m = s->machine;
	const struct mem *mem = machine_mem_const(m);
	struct header h = {.magic = CHECKPOINT_MAGIC,
	                   .format = FORMAT,
	                   .layout = checkpoint_layout(),
	                   .program = program_digest(s->program),
	                   .firmware = checkpoint_firmware(s),
	                   .hash = machine_hash(m),
	                   .cycle = machine_cycle(m)};
	const char *path = program_path(s->program);
	void *bytes;
	size_t n = 0;
	checkpoint_save_write_bytes(w, &h, sizeof h);
	put_section(w, path, strlen(path));
	bytes = config_lines(machine_config(m), &n);
	put_made(w, "the configuration", bytes, n);
	const void *arena = machine_arena(m, &n);
	put_section(w, arena, n);
	put_digests(w, m);
	put_regions(w, mem);
	checkpoint_save_write_pages(w, mem);
	os_save_journal(machine_os_const(m), false, &bytes, &n);
	put_made(w, "the journal", bytes, n);
	os_save_output(machine_os_const(m), &bytes, &n);
	put_made(w, "the output", bytes, n);
	os_save_files(machine_os_const(m), &bytes, &n);
	put_made(w, "what is known of files", bytes, n);
	machine_pack_attachments(m, &bytes, &n);
	put_made(w, "the profiles", bytes, n);
	bytes = checkpoint_arguments(&s->launch, &n);
	put_made(w, "the arguments", bytes, n);
	struct saved_plugin plugins[PLUGIN_COUNT];
	checkpoint_plugins(s->launch.plugins, machine_config(m), plugins, &n);
	put_section(w, plugins, n * sizeof *plugins);
	const uint64_t sum = w->sum;
	checkpoint_save_write_bytes(w, &sum, sizeof sum);
}

bool checkpoint_save(const struct session *s, const char *path, struct err *err)
{
	struct output_file o;
	struct err why;
	if (!output_begin(&o, path, OUTPUT_FILE_REGULAR, err))
		return false;
	struct writer w = {.f = o.f, .sum = HASH_START};
	checkpoint_save_write_sections(&w, s);
	if (!w.missing)
		return output_end(&o, path, err);
	output_drop(&o);
	os_save_failed(machine_os_const(s->machine), w.missing, &why);
	return err_set(err, "%s: %s", path, why.msg);
}
