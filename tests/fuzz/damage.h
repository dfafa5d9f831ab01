/* A checkpoint file in memory, to be damaged and given correct sums afterwards: it looks as if a
 * machine like this had been saved. For the fuzzer and the tests of checkpoints. */
#ifndef CYCLOPS_TESTS_FUZZ_DAMAGE_H
#define CYCLOPS_TESTS_FUZZ_DAMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/machine/machine.h"
#include "core/mem/mem.h"
#include "ui/checkpoint/checkpoint_file.h"

struct damaged {
	struct header head;
	struct {
		uint8_t *bytes; /* owned */
		size_t n;
	} section[SECTIONS];
	uint64_t memory; /* what the saved memory adds to the state's hash */
};

static inline void damage_free(struct damaged *f)
{
	for (int i = 0; i < SECTIONS; i++)
		free(f->section[i].bytes);
}

/* Replaces a section by n bytes, copied. */
static inline void damage_put(struct damaged *f, enum section which, const void *bytes, size_t n)
{
	uint8_t *copy = malloc(n + 1);
	if (!copy)
		abort();
	if (n)
		memcpy(copy, bytes, n);
	free(f->section[which].bytes);
	f->section[which].bytes = copy;
	f->section[which].n = n;
}

/* Reads the file of this name, written by checkpoint_save(). */
static inline void damage_read(struct damaged *f, const char *path)
{
	uint64_t length;
	*f = (struct damaged){0};
	FILE *in = fopen(path, "rb");
	if (!in || fread(&f->head, sizeof f->head, 1, in) != 1)
		abort();
	for (int i = 0; i < SECTIONS; i++) {
		if (fread(&length, sizeof length, 1, in) != 1)
			abort();
		uint8_t *bytes = malloc(length + 1);
		if (!bytes || fread(bytes, 1, length, in) != length)
			abort();
		f->section[i].bytes = bytes;
		f->section[i].n = length;
	}
	fclose(in);
	f->memory = f->head.hash ^ hash_words(HASH_WORDS_START, f->section[SECTION_ARENA].bytes,
	                                      f->section[SECTION_ARENA].n);
}

static inline void damage_copy(struct damaged *to, const struct damaged *from)
{
	*to = (struct damaged){.head = from->head, .memory = from->memory};
	for (int i = 0; i < SECTIONS; i++)
		damage_put(to, (enum section)i, from->section[i].bytes, from->section[i].n);
}

/* Hashes regions and pages, if the file has any. */
static inline void damage_hash_memory(struct damaged *f)
{
	enum { ENTRY = sizeof(uint64_t) + PAGE_BYTES };
	struct mem *mem = mem_new();
	for (size_t at = 0; at + sizeof(struct mem_region) <= f->section[SECTION_REGIONS].n;
	     at += sizeof(struct mem_region)) {
		struct mem_region r;
		memcpy(&r, f->section[SECTION_REGIONS].bytes + at, sizeof r);
		r.name[sizeof r.name - 1] = '\0';
		mem_map(mem, r.start, r.end - r.start, r.prot, r.name);
	}
	for (size_t at = 0; at + ENTRY <= f->section[SECTION_PAGES].n; at += ENTRY) {
		uint64_t addr;
		memcpy(&addr, f->section[SECTION_PAGES].bytes + at, sizeof addr);
		mem_poke(mem, addr, f->section[SECTION_PAGES].bytes + at + sizeof addr, PAGE_BYTES);
	}
	f->memory = mem_hash(mem) * UINT64_C(0xc4ceb9fe1a85ec53);
	mem_free(mem);
}

/* The digests of the arena's sections, which are those of m, and the state's hash. */
static inline void damage_repair(struct damaged *f, const struct machine *m)
{
	unsigned count;
	const struct arena_section *sections = machine_sections(m, &count);
	for (unsigned i = 0;
	     i < count && (i + 1) * sizeof(struct digest) <= f->section[SECTION_DIGESTS].n; i++) {
		if (sections[i].at + sections[i].bytes > f->section[SECTION_ARENA].n)
			continue;
		const struct digest d =
			checkpoint_digest(f->section[SECTION_ARENA].bytes, &sections[i]);
		memcpy(f->section[SECTION_DIGESTS].bytes + i * sizeof d, &d, sizeof d);
	}
	f->head.hash = f->memory ^ hash_words(HASH_WORDS_START, f->section[SECTION_ARENA].bytes,
	                                      f->section[SECTION_ARENA].n);
}

/* Writes it with its checksum. */
static inline void damage_write(const struct damaged *f, FILE *out)
{
	uint64_t sum = hash_bytes(HASH_START, &f->head, sizeof f->head);
	bool ok = fwrite(&f->head, sizeof f->head, 1, out) == 1;
	for (int i = 0; i < SECTIONS; i++) {
		const uint64_t length = f->section[i].n;
		sum = hash_bytes(hash_bytes(sum, &length, sizeof length), f->section[i].bytes,
		                 f->section[i].n);
		ok = ok && fwrite(&length, sizeof length, 1, out) == 1 &&
		     fwrite(f->section[i].bytes, 1, length, out) == length;
	}
	if (!ok || fwrite(&sum, sizeof sum, 1, out) != 1 || fflush(out) != 0)
		abort();
}

#endif
