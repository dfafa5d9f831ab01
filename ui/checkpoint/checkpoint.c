/* Reads a checkpoint; every byte of it is untrusted. */
#include "ui/checkpoint/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/arena.h"
#include "core/base/hash.h"
#include "core/machine/checkpoint_check.h"
#include "core/machine/params.h"
#include "core/machine/plugin_places.h"
#include "core/mem/mem.h"
#include "core/os/journal.h"
#include "core/os/os.h"
#include "core/pipe/plugin.h"
#include "core/prof/common/attachment.h"
#include "ui/checkpoint/checkpoint_file.h"

struct span {
	const uint8_t *bytes; /* borrowed from the file's bytes */
	size_t n;
};

/* Copies up to room - 1 characters for a message; control characters become question marks. */
static char *checkpoint_sanitize_text(char *out, size_t room, const void *text, size_t n)
{
	const unsigned char *from = text;
	size_t used = 0;
	for (; used < n && used < room - 1 && from[used]; used++)
		out[used] = from[used] < ' ' || from[used] > '~' ? '?' : (char)from[used];
	out[used] = '\0';
	return out;
}

/* True if the lengths of the file's sections add up to its size. Checked before memory for the rest
 * is allocated. */
static bool lengths_ok(int fd, size_t n)
{
	uint64_t at = sizeof(struct header), length;
	for (int i = 0; i < SECTIONS; i++) {
		if (n < at + 2 * sizeof length ||
		    pread(fd, &length, sizeof length, (off_t)at) != sizeof length)
			return false;
		at += sizeof length;
		if (length > n - at - sizeof length)
			return false;
		at += length;
	}
	return at + sizeof(uint64_t) == n;
}

/* Reads and checks the header. False with *err: no checkpoint of this format. */
static bool begins_well(int fd, const char *path, struct header *h, struct err *err)
{
	if (pread(fd, h, sizeof *h, 0) != sizeof *h ||
	    memcmp(h->magic, CHECKPOINT_MAGIC, MAGIC_BYTES) != 0)
		return err_set(err, "%s is no checkpoint: `save FILE` writes one", path);
	if (h->format != FORMAT)
		return err_set(err,
		               "%s is a checkpoint of format %" PRIu32
		               ", this is format %d: save it again with this version",
		               path, h->format, FORMAT);
	return true;
}

/* Reads n bytes: malloc'd; NULL with *err. */
static uint8_t *checkpoint_read_bytes(int fd, const char *path, size_t n, struct err *err)
{
	uint8_t *bytes = alloc_bytes(n);
	for (size_t done = 0; bytes && done < n;) {
		const ssize_t got = pread(fd, bytes + done, n - done, (off_t)done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got > 0) {
			done += (size_t)got;
			continue;
		}
		err_set(err, "%s: %s", path,
		        got < 0 ? strerror(errno) : "it shrank while it was read");
		free(bytes);
		return NULL;
	}
	if (!bytes)
		err_set(err, "%s: out of memory for its %zu bytes", path, n);
	return bytes;
}

/* Reads the whole file; refuses a file that is no checkpoint before allocating memory for it.
 * O_NONBLOCK: opening a pipe without a writer must not block. */
static uint8_t *checkpoint_read_file(const char *path, size_t *n, struct header *h, struct err *err)
{
	struct stat st;
	uint8_t *bytes = NULL;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) != 0) {
		err_set(err, "%s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		err_set(err, "%s: not a file", path);
	} else if (begins_well(fd, path, h, err)) {
		*n = (size_t)st.st_size;
		if (lengths_ok(fd, *n))
			bytes = checkpoint_read_bytes(fd, path, *n, err);
		else
			err_set(err, "%s is damaged: a section is cut off", path);
	}
	if (fd >= 0)
		close(fd);
	return bytes;
}

/* False with *err unless s has the saved arguments and environment, or none. The first saved word
 * is the program's name. */
static bool check_arguments(const struct session *s, const char *path, struct span saved,
                            struct err *err)
{
	const struct launch *l = &s->launch;
	size_t n;
	if (l->argc <= 1 && (!l->env || !*l->env))
		return true;
	char *here = checkpoint_arguments(l, &n);
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
	checkpoint_sanitize_text(words, sizeof words, words, used);
	if (!used)
		return err_set(
			err,
			"%s was saved from a program started without arguments: start it without",
			path);
	return err_set(err,
	               "%s was saved from a program started with other arguments or environment: "
	               "start it with the same, or with none; the arguments were: %s",
	               path, words);
}

/* Validates the file itself and finds its sections. */
static bool checkpoint_validate_sections(const struct session *s, const char *path,
                                         const uint8_t *bytes, size_t n, const struct header *h,
                                         struct span *sections, struct err *err)
{
	char name[200];
	uint64_t sum;
	if (n < sizeof *h + sizeof sum || memcmp(bytes, h, sizeof *h) != 0)
		return err_set(err, "%s changed while it was read", path);
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
	if (h->layout != checkpoint_layout())
		return err_set(
			err,
			"%s was saved by another version of cyclops: save it again with this one",
			path);
	if (h->program != program_digest(s->program))
		return err_set(err, "%s belongs to another program, %s: this is %s", path,
		               checkpoint_sanitize_text(name, sizeof name,
		                                        sections[SECTION_PATH].bytes,
		                                        sections[SECTION_PATH].n),
		               program_path(s->program));
	if (h->firmware && !s->launch.firmware)
		return err_set(err, "%s was saved with firmware: start with the same --firmware",
		               path);
	if (h->firmware != checkpoint_firmware(s))
		return err_set(err,
		               h->firmware ? "%s was saved with other firmware than %s"
		                           : "%s was saved without firmware; here is %s",
		               path, s->launch.firmware);
	return check_arguments(s, path, sections[SECTION_ARGUMENTS], err);
}

/* Parses "NAME=VALUE", in which a choice is its number. */
static bool read_param(char *line, struct config *cfg, struct err *err)
{
	char *equals = strchr(line, '='), *end;
	if (!equals)
		return err_set(err, "its configuration can't be read");
	*equals = '\0';
	char name[64];
	const struct param *p =
		param_find(checkpoint_sanitize_text(name, sizeof name, line, strlen(line)), err);
	if (!p)
		return false;
	if (p->type == PARAM_TEXT)
		return config_set(cfg, p->name, equals + 1, err);
	int64_t value = strtoll(equals + 1, &end, 10);
	if (end == equals + 1 || *end)
		return err_set(err, "its configuration can't be read: %s is no number", p->name);
	return config_set_int(cfg, p, value, err);
}

static bool checkpoint_parse_config(struct span text, struct config *cfg, struct err *err)
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

/* True if the region begins at or after `last`, and is entirely above the program's space if it is
 * M-mode's, else entirely in it. */
static bool region_is_valid(const struct mem_region *r, uint64_t last)
{
	const bool machine = r->start >= MEM_TOP;
	return r->start >= last && r->end > r->start && r->end <= (machine ? MEM_END : MEM_TOP) &&
	       !(r->prot & ~(unsigned)(PROT_R | PROT_W | PROT_X | PROT_M)) &&
	       machine == ((r->prot & PROT_M) != 0) && memchr(r->name, '\0', sizeof r->name);
}

static bool checkpoint_restore_memory(struct mem *mem, struct span regions, struct span pages)
{
	enum { ENTRY = sizeof(uint64_t) + PAGE_BYTES };
	uint64_t last = 0, addr;
	if (regions.n % sizeof(struct mem_region) || pages.n % ENTRY)
		return false;
	for (size_t at = 0; at < regions.n; at += sizeof(struct mem_region)) {
		struct mem_region r;
		memcpy(&r, regions.bytes + at, sizeof r);
		if (!region_is_valid(&r, last) ||
		    !mem_map(mem, r.start, r.end - r.start, r.prot, r.name))
			return false;
		last = r.end;
	}
	last = 0;
	for (size_t at = 0; at < pages.n; at += ENTRY) {
		memcpy(&addr, pages.bytes + at, sizeof addr);
		if (addr < last || addr % PAGE_BYTES ||
		    !mem_poke(mem, addr, pages.bytes + at + sizeof addr, PAGE_BYTES))
			return false;
		last = addr + PAGE_BYTES;
	}
	return true;
}

/* True if the arena's bytes match their digests and m's layout; else *err names the wrong section.
 */
static bool check_arena(const struct machine *m, struct span arena, struct span digests,
                        struct err *err)
{
	unsigned count;
	size_t n;
	const struct arena_section *sections = machine_sections(m, &count);
	machine_arena(m, &n);
	if (digests.n != count * sizeof(struct digest) || arena.n != n)
		return err_set(err, "the machine saved in it has other parts than this version's");
	for (unsigned i = 0; i < count; i++) {
		const struct digest now = checkpoint_digest(arena.bytes, &sections[i]);
		struct digest then;
		memcpy(&then, digests.bytes + i * sizeof then, sizeof then);
		checkpoint_sanitize_text(then.name, sizeof then.name, then.name, sizeof then.name);
		if (strcmp(then.name, now.name) != 0 || then.bytes != now.bytes)
			return err_set(err,
			               "the machine saved in it has \"%s\" (%" PRIu64
			               " bytes) where this version's has \"%s\" (%" PRIu64
			               " bytes)",
			               then.name, then.bytes, now.name, now.bytes);
		if (then.digest != now.digest)
			return err_set(err,
			               "the machine rebuilt from it is not the one that was saved: "
			               "\"%s\" differs",
			               now.name);
	}
	return true;
}

/* False with *err unless the configuration's plug-ins are those of the saved machine. */
static bool checkpoint_check_plugins(const struct plugins *plugins, const struct config *cfg,
                                     struct span saved, struct err *err)
{
	const struct plugins asked = plugins_asked(plugins, cfg);
	for (size_t at = 0; saved.n - at >= sizeof(struct saved_plugin);
	     at += sizeof(struct saved_plugin)) {
		struct saved_plugin was;
		memcpy(&was, saved.bytes + at, sizeof was);
		checkpoint_sanitize_text(was.name, sizeof was.name, was.name, sizeof was.name);
		if (was.place >= PLUGIN_COUNT)
			return err_set(err, "it has a plug-in at an unknown place");
		const struct plugin *now = asked.at[was.place];
		if (!now)
			return err_set(err,
			               "no plug-in was given for the %s, and it was saved with %s: "
			               "start with --plugin FILE.lua",
			               plugin_place_name(was.place), was.name);
		if (now->digest != was.digest)
			return err_set(err, "it was saved with another %s than %s: with %s",
			               plugin_place_name(was.place), now->name, was.name);
	}
	return true;
}

/* Creates a machine with the saved state; NULL with *err. */
static struct machine *checkpoint_rebuild_machine(const struct session *s,
                                                  const struct span *sections,
                                                  const struct header *h, struct err *err)
{
	struct config cfg;
	if (!checkpoint_parse_config(sections[SECTION_CONFIG], &cfg, err) ||
	    !checkpoint_check_plugins(s->launch.plugins, &cfg, sections[SECTION_PLUGINS], err))
		return NULL;
	const struct plugins asked = plugins_asked(s->launch.plugins, &cfg);
	struct machine *m = machine_new_like(&cfg, &asked, sections[SECTION_ARENA].n, err);
	if (!m)
		return NULL;
	if (!check_arena(m, sections[SECTION_ARENA], sections[SECTION_DIGESTS], err) ||
	    !machine_load_arena(m, sections[SECTION_ARENA].bytes, sections[SECTION_ARENA].n, err))
		goto failed;
	if (!checkpoint_restore_memory(machine_mem(m), sections[SECTION_REGIONS],
	                               sections[SECTION_PAGES])) {
		err_set(err, "its memory can't be rebuilt");
		goto failed;
	}
	if (machine_hash(m) != h->hash) {
		err_set(err, "the machine rebuilt from it is not the one that was saved: the "
		             "guest's memory differs");
		goto failed;
	}
	struct err why;
	if (!machine_load_journal(m, sections[SECTION_JOURNAL].bytes, sections[SECTION_JOURNAL].n,
	                          &why)) {
		err_set(err, "its journal is damaged: %s", why.msg);
		goto failed;
	}
	if (!os_load_output(machine_os(m), sections[SECTION_OUTPUT].bytes,
	                    sections[SECTION_OUTPUT].n)) {
		err_set(err, "its output can't be read");
		goto failed;
	}
	if (!os_load_files(machine_os(m), sections[SECTION_FILES].bytes,
	                   sections[SECTION_FILES].n)) {
		err_set(err, "its table of open files can't be read");
		goto failed;
	}
	const struct span beside = sections[SECTION_ATTACHMENTS];
	if (machine_unpack_attachments(m, beside.bytes, beside.n, err) &&
	    machine_state_is_valid(m, err) && launch_procedures(s->program, m, err))
		return m;
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
	uint8_t *bytes = checkpoint_read_file(path, &n, &h, err);
	if (!bytes)
		return NULL;
	if (checkpoint_validate_sections(s, path, bytes, n, &h, sections, err)) {
		m = checkpoint_rebuild_machine(s, sections, &h, &why);
		if (!m)
			err_set(err, "%s: %s", path, why.msg);
	}
	free(bytes);
	return m;
}
