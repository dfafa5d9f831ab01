/* Snapshots: the arena in chunks that equal ones share, an image of guest memory, companions' states. */
#include "core/machine_priv.h"
#include "core/trap/trap.h"

#include <stdlib.h>

#include "core/hash.h"

enum { CHUNK = 4096 };

struct chunk {
	uint32_t refs;
	uint8_t bytes[CHUNK];
};

struct snapshot {
	uint64_t cycle, insts, guest_cycle;
	size_t count;            /* chunks: arena bytes / CHUNK */
	struct mem_image *image; /* owned */
	struct companion_states companions;
	struct chunk *chunk[];   /* shared, counted */
};

static void drop(struct chunk *c)
{
	if (c && --c->refs == 0)
		free(c);
}

struct snapshot *machine_snapshot(struct machine *m, const struct snapshot *base)
{
	size_t count = m->arena.used / CHUNK;
	struct snapshot *s = calloc(1, sizeof *s + count * sizeof *s->chunk);
	if (!s)
		return NULL;
	s->cycle = machine_cycle(m);
	s->insts = machine_insts(m);
	s->guest_cycle = machine_guest_cycle(m);
	s->count = count;
	for (size_t i = 0; i < count; i++) {
		const uint8_t *bytes = m->arena.base + i * CHUNK;
		struct chunk *old = base && base->count == count ? base->chunk[i] : NULL;
		if (old && !memcmp(old->bytes, bytes, CHUNK)) {
			old->refs++;
			s->chunk[i] = old;
			continue;
		}
		struct chunk *c = malloc(sizeof *c);
		if (!c) {
			snapshot_free(s);
			return NULL;
		}
		c->refs = 1;
		memcpy(c->bytes, bytes, CHUNK);
		s->chunk[i] = c;
	}
	s->image = mem_snapshot(m->mem);
	if (!s->image || !companions_save(m, base ? &base->companions : NULL, &s->companions)) {
		snapshot_free(s);
		return NULL;
	}
	return s;
}

static void restore_arena(struct machine *m, const struct snapshot *s)
{
	assert(s->count == m->arena.used / CHUNK && !m->later.count);
	m->restored++;
	for (size_t i = 0; i < s->count; i++)
		memcpy(m->arena.base + i * CHUNK, s->chunk[i]->bytes, CHUNK);
}

static void restore_rest(struct machine *m, const struct snapshot *s)
{
	mem_restore(m->mem, s->image);
	trap_open(m->pipe.hart, m->mem);
	assert(m->journal.st->pos <= m->journal.entries);
	companions_restore(m, &s->companions);
	/* Listeners have heard what changes do when they were made. */
	m->hushed = true;
	if (changes_due(m))
		changes_repeat(m);
	m->hushed = false;
}

void machine_restore(struct machine *m, const struct snapshot *s)
{
	restore_arena(m, s);
	restore_rest(m, s);
}

bool machine_revive(struct machine *m, const struct snapshot *s, const void *journal, size_t n, struct err *err)
{
	struct snapshot *now = machine_snapshot(m, NULL);
	if (!now)
		return err_set(err, "out of memory to go back to a snapshot");
	restore_arena(m, s);
	bool loaded = machine_load_journal(m, journal, n, err);
	if (loaded)
		restore_rest(m, s);
	else
		machine_restore(m, now);
	snapshot_free(now);
	return loaded;
}

void snapshot_free(struct snapshot *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++)
		drop(s->chunk[i]);
	if (s->image)
		mem_image_free(s->image);
	companions_free(&s->companions);
	free(s);
}

uint64_t snapshot_cycle(const struct snapshot *s)
{
	return s->cycle;
}

uint64_t snapshot_insts(const struct snapshot *s)
{
	return s->insts;
}

size_t snapshot_bytes(const struct snapshot *s)
{
	size_t bytes = sizeof *s + s->count * sizeof *s->chunk + mem_image_bytes(s->image) +
	               companions_bytes(&s->companions);
	for (size_t i = 0; i < s->count; i++)
		if (s->chunk[i]->refs == 1)
			bytes += sizeof *s->chunk[i];
	return bytes;
}

size_t machine_fresh_bytes(const struct machine *m)
{
	return mem_owned_bytes(m->mem) + companions_fresh_bytes(m);
}

bool snapshot_serves(const struct snapshot *s, const struct machine *m)
{
	return companions_served(m, &s->companions, s->guest_cycle);
}

uint64_t machine_hash(const struct machine *m)
{
	return hash_words(HASH_WORDS_START, m->arena.base, m->arena.used) ^ mem_hash(m->mem) * UINT64_C(0xc4ceb9fe1a85ec53);
}

const void *machine_arena(const struct machine *m, size_t *n)
{
	*n = m->arena.used;
	return m->arena.base;
}

const struct arena_section *machine_sections(const struct machine *m, unsigned *count)
{
	*count = m->arena.count;
	return m->arena.section;
}

bool machine_load_arena(struct machine *m, const void *bytes, size_t n, struct err *err)
{
	if (n != m->arena.used)
		return err_set(err, "machine state is %zu bytes, this configuration has %zu", n, m->arena.used);
	memcpy(m->arena.base, bytes, n);
	trap_open(m->pipe.hart, m->mem);
	return plugins_same(&m->pipe.plugins, err);
}
