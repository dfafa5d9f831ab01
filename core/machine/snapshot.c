/* Snapshots: the arena in shared chunks, an image of guest memory, attachments' states. */
#include "core/machine/checkpoint_check.h"
#include "core/machine/machine_priv.h"
#include "core/trap/trap.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"

struct snapshot {
	uint64_t guest_cycle;
	struct cow_image *arena; /* owned; of the machine's shadow */
	struct mem_image *image; /* owned */
	struct attachment_states attachments;
	size_t bytes;            /* of this struct and of unshared attachment states */
};

/* ---- the arena and its shadow ---- */
static size_t snapshot_arena_chunks(const struct machine *m)
{
	return m->arena.used / ARENA_CHUNK;
}

void arena_stale_all(struct machine *m)
{
	for (size_t i = 0; i < snapshot_arena_chunks(m); i++)
		m->arena.stale[i] |= STALE_MARKED;
}

void arena_watch(struct machine *m)
{
	memset(m->arena.stale, STALE_ALWAYS | STALE_MARKED, snapshot_arena_chunks(m));
	for (unsigned i = 0; i < m->arena.count; i++) {
		const struct arena_section *s = &m->arena.section[i];
		if (!s->marked)
			continue;
		size_t end = (s->at + s->bytes) / ARENA_CHUNK;
		for (size_t k = (s->at + ARENA_CHUNK - 1) / ARENA_CHUNK; k < end; k++)
			m->arena.stale[k] = STALE_MARKED;
	}
}

/* Updates the shadow from the arena; false if memory is out: then it is only partly updated. */
static bool snapshot_update_shadow(struct machine *m)
{
	if (!m->shadow && !(m->shadow = cow_new(ARENA_CHUNK, (uint32_t)snapshot_arena_chunks(m))))
		return false;
	for (uint32_t i = 0; i < snapshot_arena_chunks(m); i++) {
		const uint8_t *bytes = m->arena.base + (size_t)i * ARENA_CHUNK;
#ifdef CYCLOPS_CHECK
		assert(m->arena.stale[i] || !memcmp(cow_read(m->shadow, i), bytes, ARENA_CHUNK));
#endif
		if (!m->arena.stale[i])
			continue;
		if (memcmp(cow_read(m->shadow, i), bytes, ARENA_CHUNK) != 0) {
			void *to = cow_write(m->shadow, i);
			if (!to)
				return false;
			memcpy(to, bytes, ARENA_CHUNK);
		}
		m->arena.stale[i] &= STALE_ALWAYS;
	}
	return true;
}

static void mark_chunk(void *ctx, uint32_t i)
{
	uint8_t *stale = ctx;
	stale[i] |= STALE_MARKED;
}

static void restore_arena(struct machine *m, const struct snapshot *s)
{
	assert(m->shadow && !m->later.count);
	m->restored++;
	cow_differences(m->shadow, s->arena, mark_chunk, m->arena.stale);
	for (uint32_t i = 0; i < snapshot_arena_chunks(m); i++) {
		if (!m->arena.stale[i])
			continue;
		const void *from = cow_image_read(s->arena, i);
		uint8_t *to = m->arena.base + (size_t)i * ARENA_CHUNK;
		if (from)
			memcpy(to, from, ARENA_CHUNK);
		else
			memset(to, 0, ARENA_CHUNK);
		m->arena.stale[i] &= STALE_ALWAYS;
	}
	cow_restore(m->shadow, s->arena);
}

/* ---- taking one, and going back to it ---- */
struct snapshot *machine_snapshot(struct machine *m)
{
	/* on failure history is thinned */
	struct snapshot *s = alloc_try_zeroed(1, sizeof *s);
	if (!s)
		return NULL;
	s->guest_cycle = machine_guest_cycle(m);
	s->arena = snapshot_update_shadow(m) ? cow_keep(m->shadow) : NULL;
	s->image = mem_snapshot(m->mem);
	if (!s->arena || !s->image || !attachments_save(m, &s->attachments)) {
		snapshot_free(s);
		return NULL;
	}
	s->bytes = sizeof *s + attachments_bytes(&s->attachments);
	return s;
}

static void restore_rest(struct machine *m, const struct snapshot *s)
{
	mem_restore(m->mem, s->image);
	trap_open(m->pipe.hart, m->mem);
	assert(m->journal.st->pos <= m->journal.entries);
	attachments_restore(m, &s->attachments);
	/* Listeners received the events of changes when these were first made. */
	m->hushed = true;
	if (changes_due(m))
		changes_repeat(m); /* those without memory follow before the next cycle */
	m->hushed = false;
}

void machine_restore(struct machine *m, const struct snapshot *s)
{
	restore_arena(m, s);
	restore_rest(m, s);
}

void machine_undo(struct machine *m, const struct snapshot *s)
{
	restore_arena(m, s);
	os_log_cut(m->os);
	restore_rest(m, s);
}

bool machine_revive(struct machine *m, const struct snapshot *s, const void *journal, size_t n,
                    struct err *err)
{
	struct snapshot *now = machine_snapshot(m);
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
	cow_image_free(s->arena);
	if (s->image)
		mem_image_free(s->image);
	attachments_free(&s->attachments);
	free(s);
}

bool snapshot_same_memory(const struct snapshot *a, const struct snapshot *b, uint64_t addr,
                          uint64_t n)
{
	return mem_image_same(a->image, b->image, addr, n);
}

size_t snapshot_bytes(const struct snapshot *s)
{
	return s->bytes;
}

size_t machine_held_bytes(const struct machine *m)
{
	return mem_held_bytes(m->mem) + (m->shadow ? m->shadow->ledger->bytes : 0) +
	       attachments_shared_bytes(m);
}

uint64_t machine_taken_bytes(const struct machine *m)
{
	return mem_taken_bytes(m->mem) + (m->shadow ? m->shadow->ledger->taken : 0);
}

void snapshot_walk(const struct machine *m, const struct snapshot *s, const struct ledger_walk *w)
{
	if (s) {
		mem_image_walk(s->image, w);
		cow_image_walk(s->arena, w);
		cow_walk(m->shadow, w);
		attachments_walk(m, &s->attachments, w);
		return;
	}
	mem_walk(m->mem, w);
	attachments_walk(m, NULL, w);
}

bool snapshot_serves(const struct snapshot *s, const struct machine *m)
{
	return attachments_served(m, &s->attachments, s->guest_cycle);
}

uint64_t machine_hash(const struct machine *m)
{
	return hash_words(HASH_WORDS_START, m->arena.base, m->arena.used) ^
	       mem_hash(m->mem) * UINT64_C(0xc4ceb9fe1a85ec53);
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
		return err_set(
			err,
			"the saved state has %zu bytes, and a machine of this configuration %zu", n,
			m->arena.used);
	memcpy(m->arena.base, bytes, n);
	arena_stale_all(m);
	if (!machine_is_within_ranges(m, err) || !plugins_same(&m->pipe.plugins, err))
		return false;
	trap_open(m->pipe.hart, m->mem);
	return true;
}
