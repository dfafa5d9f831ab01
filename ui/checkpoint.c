#include "ui/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/companion.h"
#include "core/hash.h"
#include "core/journal.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "ui/version.h"

static const char magic[] = "cyclops checkpoint\n";
enum { MAGIC_BYTES = sizeof magic - 1, FORMAT = 6 };

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
	SECTION_COMPANIONS,
	SECTION_ARGUMENTS,
	SECTIONS
};

struct header {
	char magic[MAGIC_BYTES + 1];
	uint32_t format;
	uint64_t layout, program, firmware, hash, cycle;
};

struct span {
	const uint8_t *bytes; /* borrowed from the file's bytes */
	size_t n;
};

/* Changes when the arena's records or tables do. */
static uint64_t layout_id(void)
{
	const uint64_t sizes[] = {sizeof(struct uop),      sizeof(struct pipe_state), sizeof(struct stats),
	                          sizeof(struct os_state), sizeof(struct config),     OP_COUNT};
	uint64_t h = hash_bytes(HASH_START, sizes, sizeof sizes);
	h = hash_bytes(h, CYCLOPS_VERSION, sizeof CYCLOPS_VERSION);
	for (size_t i = 0; i < param_count; i++)
		h = hash_bytes(h, params[i].name, strlen(params[i].name) + 1);
	for (size_t i = 0; i < stat_row_count; i++)
		h = hash_bytes(h, stat_rows[i].name, strlen(stat_rows[i].name) + 1);
	return h;
}

/* 0 without firmware. */
static uint64_t firmware_digest(const struct session *s)
{
	const struct program *firmware = program_firmware(s->program);
	return firmware ? program_digest(firmware) : 0;
}

/* ---- writing ---- */
struct writer {
	FILE *f;
	uint64_t sum;
	bool no_memory; /* something could not be written */
	int error;      /* errno of the first write that failed, else 0 */
};

static void put(struct writer *w, const void *bytes, size_t n)
{
	w->sum = hash_bytes(w->sum, bytes, n);
	if (n && fwrite(bytes, 1, n, w->f) != n && !w->error)
		w->error = errno;
}

static void put_section(struct writer *w, const void *bytes, size_t n)
{
	uint64_t length = n;
	put(w, &length, sizeof length);
	put(w, bytes, n);
}

static void put_config(struct writer *w, const struct config *cfg)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	for (size_t i = 0; f && i < param_count; i++) {
		fprintf(f, "%s=", params[i].name);
		if (params[i].type == PARAM_TEXT)
			fprintf(f, "%s\n", config_text(cfg, &params[i]));
		else
			fprintf(f, "%" PRId64 "\n", config_get(cfg, &params[i]));
	}
	if (f)
		fclose(f);
	put_section(w, text, n);
	free(text);
}

/* Of each of the arena's sections. */
struct digest {
	uint64_t bytes, digest;
	char name[32]; /* zero-padded */
};

static struct digest digest_of(const struct machine *m, const struct arena_section *a)
{
	size_t n;
	const uint8_t *arena = machine_arena(m, &n);
	struct digest d = {.bytes = a->bytes, .digest = hash_bytes(HASH_START, arena + a->at, a->bytes)};
	strncpy(d.name, a->name, sizeof d.name - 1);
	return d;
}

static void put_digests(struct writer *w, const struct machine *m)
{
	unsigned count;
	const struct arena_section *sections = machine_sections(m, &count);
	uint64_t length = count * sizeof(struct digest);
	put(w, &length, sizeof length);
	for (unsigned i = 0; i < count; i++) {
		const struct digest d = digest_of(m, &sections[i]);
		put(w, &d, sizeof d);
	}
}

static void put_pages(struct writer *w, const struct mem *mem)
{
	uint64_t pages = 0, length;
	uint8_t bytes[PAGE_BYTES];
	for (uint64_t a = mem_next_touched(mem, 0); a < MEM_END; a = mem_next_touched(mem, a + PAGE_BYTES))
		pages++;
	length = pages * (sizeof(uint64_t) + PAGE_BYTES);
	put(w, &length, sizeof length);
	for (uint64_t a = mem_next_touched(mem, 0); a < MEM_END; a = mem_next_touched(mem, a + PAGE_BYTES)) {
		mem_peek(mem, a, bytes, sizeof bytes);
		put(w, &a, sizeof a);
		put(w, bytes, sizeof bytes);
	}
}

/* What the program was started with, behind its name: each argument, a newline, each line of the environment; all end in a zero byte but the newline. */
static void put_arguments(FILE *f, const struct launch *l)
{
	for (int i = 1; i < l->argc; i++)
		fprintf(f, "%s%c", l->argv[i], 0);
	fputc('\n', f);
	for (char **e = l->env; e && *e; e++)
		fprintf(f, "%s%c", *e, 0);
}

/* malloc'd; NULL if memory is out. */
static char *arguments(const struct launch *l, size_t *n)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, n);
	if (!f)
		return NULL;
	put_arguments(f, l);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

static void put_all(struct writer *w, const struct session *s)
{
	const struct machine *m = s->machine;
	const struct mem *mem = machine_mem_const(m);
	struct header h = {.format = FORMAT, .layout = layout_id(), .program = program_digest(s->program),
	                   .firmware = firmware_digest(s),
	                   .hash = machine_hash(m), .cycle = machine_cycle(m)};
	const char *path = program_path(s->program);
	void *bytes;
	size_t n;
	memcpy(h.magic, magic, sizeof magic);
	put(w, &h, sizeof h);
	put_section(w, path, strlen(path));
	put_config(w, machine_config(m));
	const void *arena = machine_arena(m, &n);
	put_section(w, arena, n);
	put_digests(w, m);
	const struct mem_region *regions = mem_regions(mem, &n);
	put_section(w, regions, n * sizeof *regions);
	put_pages(w, mem);
	journal_save(machine_journal(m), &bytes, &n);
	put_section(w, bytes, n);
	free(bytes);
	os_save_output(machine_os_const(m), &bytes, &n);
	put_section(w, bytes, n);
	free(bytes);
	machine_pack_companions(m, &bytes, &n);
	w->no_memory |= !bytes;
	put_section(w, bytes, n);
	free(bytes);
	bytes = arguments(&s->launch, &n);
	w->no_memory |= !bytes;
	put_section(w, bytes, bytes ? n : 0);
	free(bytes);
	const uint64_t sum = w->sum;
	put(w, &sum, sizeof sum);
}

/* Whoever finds a file of this name finds it whole, also after the power failed. */
static bool finish(struct writer *w, const char *temporary, const char *path)
{
	if (fflush(w->f) != 0 || fsync(fileno(w->f)) != 0)
		w->error = w->error ? w->error : errno;
	if (fclose(w->f) != 0)
		w->error = w->error ? w->error : errno;
	if (w->error || w->no_memory)
		return false;
	if (rename(temporary, path) != 0)
		w->error = errno;
	return !w->error;
}

bool checkpoint_save(const struct session *s, const char *path, struct err *err)
{
	struct writer w = {.sum = HASH_START};
	char *temporary;
	if (asprintf(&temporary, "%s.part", path) < 0)
		return err_set(err, "out of memory");
	w.f = fopen(temporary, "wb");
	if (!w.f) {
		err_set(err, "%s: %s", path, strerror(errno));
		free(temporary);
		return false;
	}
	put_all(&w, s);
	bool ok = finish(&w, temporary, path);
	if (!ok) {
		err_set(err, "%s: %s", path, w.no_memory ? "out of memory" : strerror(w.error));
		unlink(temporary);
	}
	free(temporary);
	return ok;
}

/* ---- reading ---- */
static uint8_t *read_file(const char *path, size_t *n, struct err *err)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	if (!f || fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode)) {
		err_set(err, "%s: %s", path, f ? "not a file" : strerror(errno));
		if (f)
			fclose(f);
		return NULL;
	}
	*n = (size_t)st.st_size;
	uint8_t *bytes = malloc(*n + 1);
	if (!bytes || fread(bytes, 1, *n, f) != *n) {
		err_set(err, "%s: %s", path, bytes ? "can't be read" : "out of memory");
		free(bytes);
		bytes = NULL;
	}
	fclose(f);
	return bytes;
}

/* The first word of what the file was started with is its program's name. False with *err unless s starts it alike, or
 * says nothing of arguments. */
static bool check_arguments(const struct session *s, const char *path, struct span saved, struct err *err)
{
	const struct launch *l = &s->launch;
	size_t n;
	if (l->argc <= 1 && (!l->env || !*l->env))
		return true;
	char *here = arguments(l, &n);
	bool same = here && n == saved.n && !memcmp(here, saved.bytes, n);
	free(here);
	if (same)
		return true;
	char words[200];
	size_t used = 0;
	for (size_t i = 0; i < saved.n && used < sizeof words - 1 && saved.bytes[i] != '\n'; i++)
		words[used++] = saved.bytes[i] ? (char)saved.bytes[i] : ' ';
	while (used && words[used - 1] == ' ')
		used--;
	words[used] = '\0';
	if (!used)
		return err_set(err, "%s was saved of a program started with no arguments: start it so", path);
	return err_set(err, "%s was saved of a program started with other arguments or environment: start it with the same, or with none; the arguments were: %s",
	               path, words);
}

/* Checks everything that can be wrong with the file itself and finds the sections. */
static bool check(const struct session *s, const char *path, const uint8_t *bytes, size_t n, struct header *h,
                  struct span *sections, struct err *err)
{
	uint64_t sum;
	if (n < sizeof *h + sizeof sum || memcmp(bytes, magic, MAGIC_BYTES) != 0)
		return err_set(err, "%s is no checkpoint: `save FILE` writes one", path);
	memcpy(h, bytes, sizeof *h);
	if (h->format != FORMAT)
		return err_set(err, "%s is a checkpoint of format %" PRIu32 ", this is format %d: save it again with this version",
		               path, h->format, FORMAT);
	n -= sizeof sum;
	memcpy(&sum, bytes + n, sizeof sum);
	if (sum != hash_bytes(HASH_START, bytes, n))
		return err_set(err, "%s is damaged: its checksum is wrong", path);
	size_t at = sizeof *h;
	for (int i = 0; i < SECTIONS; i++) {
		uint64_t length;
		if (n - at < sizeof length)
			return err_set(err, "%s is damaged: a section is missing", path);
		memcpy(&length, bytes + at, sizeof length);
		at += sizeof length;
		if (length > n - at)
			return err_set(err, "%s is damaged: a section is cut off", path);
		sections[i] = (struct span){bytes + at, (size_t)length};
		at += (size_t)length;
	}
	if (h->layout != layout_id())
		return err_set(err, "%s was saved by another version of cyclops: save it again with this one", path);
	if (h->program != program_digest(s->program))
		return err_set(err, "%s is of another program, %.*s: this is %s", path, (int)sections[SECTION_PATH].n,
		               (const char *)sections[SECTION_PATH].bytes, program_path(s->program));
	if (h->firmware && !s->launch.firmware)
		return err_set(err, "%s was saved with firmware: start with the same --firmware", path);
	if (h->firmware != firmware_digest(s))
		return err_set(err, h->firmware ? "%s was saved with other firmware than %s" : "%s was saved without firmware; here is %s",
		               path, s->launch.firmware);
	return check_arguments(s, path, sections[SECTION_ARGUMENTS], err);
}

/* "NAME=VALUE", where a choice is its number. */
static bool read_param(char *line, struct config *cfg, struct err *err)
{
	char *equals = strchr(line, '='), *end;
	if (!equals)
		return err_set(err, "its configuration can't be read");
	*equals = '\0';
	const struct param *p = param_find(line, err);
	if (!p)
		return false;
	if (p->type == PARAM_TEXT)
		return config_set(cfg, line, equals + 1, err);
	int64_t value = strtoll(equals + 1, &end, 10);
	if (end == equals + 1 || *end)
		return err_set(err, "its configuration can't be read: %s is no number", p->name);
	return config_set_int(cfg, p, value, err);
}

static bool read_config(struct span text, struct config *cfg, struct err *err)
{
	enum { LINE = PARAM_TEXT_MAX + 64 }; /* a name and a value */
	const char *line = (const char *)text.bytes, *end = line + text.n;
	config_default(cfg);
	while (line < end) {
		char copy[LINE];
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t n = newline ? (size_t)(newline - line) : 0;
		if (!newline || n >= sizeof copy || memchr(line, '\0', n))
			return err_set(err, "its configuration can't be read");
		memcpy(copy, line, n);
		copy[n] = '\0';
		if (!read_param(copy, cfg, err))
			return false;
		line = newline + 1;
	}
	return true;
}

static bool read_memory(struct mem *mem, struct span regions, struct span pages)
{
	enum { ENTRY = sizeof(uint64_t) + PAGE_BYTES };
	if (regions.n % sizeof(struct mem_region) || pages.n % ENTRY)
		return false;
	for (size_t at = 0; at < regions.n; at += sizeof(struct mem_region)) {
		struct mem_region r;
		memcpy(&r, regions.bytes + at, sizeof r);
		r.name[sizeof r.name - 1] = '\0';
		if (r.end <= r.start || !mem_map(mem, r.start, r.end - r.start, r.prot, r.name))
			return false;
	}
	for (size_t at = 0; at < pages.n; at += ENTRY) {
		uint64_t addr;
		memcpy(&addr, pages.bytes + at, sizeof addr);
		if (!mem_poke(mem, addr, pages.bytes + at + sizeof addr, PAGE_BYTES))
			return false;
	}
	return true;
}

/* Names what is not as it was saved; false. */
static bool tell_difference(const struct machine *m, struct span digests, struct err *err)
{
	unsigned count;
	const struct arena_section *sections = machine_sections(m, &count);
	if (digests.n != count * sizeof(struct digest))
		return err_set(err, "the machine saved in it has other parts than this version's");
	for (unsigned i = 0; i < count; i++) {
		const struct digest now = digest_of(m, &sections[i]);
		struct digest then;
		memcpy(&then, digests.bytes + i * sizeof then, sizeof then);
		then.name[sizeof then.name - 1] = '\0';
		if (strcmp(then.name, now.name) != 0 || then.bytes != now.bytes)
			return err_set(err, "the machine saved in it has \"%s\" (%" PRIu64 " bytes) where this version's has \"%s\" (%" PRIu64
			                    " bytes)", then.name, then.bytes, now.name, now.bytes);
		if (then.digest != now.digest)
			return err_set(err, "the machine rebuilt from it is not the one that was saved: \"%s\" differs", now.name);
	}
	return err_set(err, "the machine rebuilt from it is not the one that was saved: the guest's memory differs");
}

/* A machine like the one that was saved; NULL with *err. */
static struct machine *rebuild(const struct span *sections, const struct header *h, const struct plugins *plugins,
                               struct err *err)
{
	struct config cfg;
	if (!read_config(sections[SECTION_CONFIG], &cfg, err))
		return NULL;
	const struct plugins asked = plugins_asked(plugins, &cfg);
	struct machine *m = machine_new_with(&cfg, &asked, err);
	if (!m)
		return NULL;
	if (!machine_load_arena(m, sections[SECTION_ARENA].bytes, sections[SECTION_ARENA].n, err))
		goto failed;
	if (!read_memory(machine_mem(m), sections[SECTION_REGIONS], sections[SECTION_PAGES])) {
		err_set(err, "its memory can't be rebuilt");
		goto failed;
	}
	struct err why;
	if (!machine_load_journal(m, sections[SECTION_JOURNAL].bytes, sections[SECTION_JOURNAL].n, &why)) {
		err_set(err, "its journal is damaged: %s", why.msg);
		goto failed;
	}
	if (!os_load_output(machine_os(m), sections[SECTION_OUTPUT].bytes, sections[SECTION_OUTPUT].n)) {
		err_set(err, "its output can't be read");
		goto failed;
	}
	const struct span beside = sections[SECTION_COMPANIONS];
	if (!machine_unpack_companions(m, beside.bytes, beside.n, err))
		goto failed;
	if (machine_hash(m) == h->hash)
		return m;
	tell_difference(m, sections[SECTION_DIGESTS], err);
failed:
	machine_free(m);
	return NULL;
}

struct machine *checkpoint_load(const struct session *s, const char *path, struct err *err)
{
	struct span sections[SECTIONS];
	struct header h;
	struct err why;
	size_t n;
	struct machine *m = NULL;
	uint8_t *bytes = read_file(path, &n, err);
	if (!bytes)
		return NULL;
	if (check(s, path, bytes, n, &h, sections, err)) {
		m = rebuild(sections, &h, s->launch.plugins, &why);
		if (!m)
			err_set(err, "%s: %s", path, why.msg);
	}
	free(bytes);
	return m;
}
