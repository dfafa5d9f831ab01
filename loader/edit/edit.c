#include "loader/edit/edit.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/edit/edit_priv.h"

enum { PAGE = 4096, MEMORY_LINE = 16 };

/* The first address after the image; includes empty segments, which emulators map as well. */
static uint64_t image_end(const struct program *p)
{
	uint64_t end = 0;
	size_t count;
	GElf_Phdr ph;
	if (elf_getphdrnum(p->elf, &count))
		count = 0;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(p->elf, (int)i, &ph) && ph.p_type == PT_LOAD &&
		    ph.p_vaddr + ph.p_memsz > end)
			end = ph.p_vaddr + ph.p_memsz;
	return end;
}

struct edit *edit_open(const struct program *p, struct err *err)
{
	if (program_is_32bit(p))
		return err_set(err, "%s: a 32-bit program; code is put into 64-bit ones", p->path),
		       NULL;
	struct edit *e = alloc_zeroed(1, sizeof *e);
	if (!e) {
		err_format(err, "out of memory for the editor");
		return NULL;
	}
	e->p = p;
	e->image_end = image_end(p);
	e->memory = (e->image_end + MEMORY_LINE - 1) / MEMORY_LINE * MEMORY_LINE;
	if (!edit_read_image(e, err) || !edit_read_code(e, err)) {
		edit_free(e);
		return NULL;
	}
	e->places = alloc_zeroed(e->inst_count + 1, sizeof *e->places);
	if (!e->places) {
		err_format(err, "out of memory for the editor");
		edit_free(e);
		return NULL;
	}
	return e;
}

void edit_free(struct edit *e)
{
	if (!e)
		return;
	for (uint32_t i = 0; i < e->section_count; i++) {
		free(e->sections[i].bytes);
		free(e->sections[i].inst);
	}
	free(e->sections);
	free(e->symbols);
	free(e->relocs);
	free(e->insts);
	free(e->sequence);
	free(e->functions);
	free(e->places);
	free(e->inserts);
	free(e->routines);
	free(e->code);
	free(e->items);
	free(e->islands);
	free(e->start);
	free(e->entries);
	for (uint32_t i = 0; i < e->extra_count; i++)
		free(e->extras[i].bytes);
	free(e->extras);
	free(e->frame_bytes[0]);
	free(e->frame_bytes[1]);
	free(e->file);
	free(e);
}

const struct edit_inst *edit_insts(const struct edit *e, uint32_t *count)
{
	*count = e->inst_count;
	return e->insts;
}

uint64_t edit_entry(const struct edit *e)
{
	return e->p->entry;
}

const struct edit_function *edit_functions(const struct edit *e, uint32_t *count)
{
	*count = e->function_count;
	return e->functions;
}

uint64_t edit_memory(struct edit *e, size_t bytes)
{
	uint64_t at = e->memory + e->memory_used;
	e->memory_used += (bytes + MEMORY_LINE - 1) / MEMORY_LINE * MEMORY_LINE;
	return at;
}

uint64_t edit_memory_here(const struct edit *e)
{
	return e->memory + e->memory_used;
}

bool edit_section(struct edit *e, const char *name, const void *bytes, size_t n, struct err *err)
{
	struct edit_extra *more = alloc_resize(e->extras, (e->extra_count + 1) * sizeof *more);
	void *copy = alloc_bytes(n);
	if (more)
		e->extras = more;
	if (!more || !copy) {
		free(copy);
		return err_set(err, "out of memory for section %s", name);
	}
	if (n)
		memcpy(copy, bytes, n);
	e->extras[e->extra_count++] = (struct edit_extra){name, copy, n};
	return true;
}

/* ---- inserting ---- */
/* Makes room for n more elements of an array. */
static bool edit_reserve_elements(void **array, uint32_t count, uint32_t *room, uint32_t n,
                                  size_t size, struct err *err)
{
	if (n <= *room - count)
		return true;
	if (count > EDIT_NONE / 4)
		return err_set(err, "too much code to put in");
	uint32_t more = 2 * (count + n);
	void *grown = alloc_resize(*array, more * size);
	if (!grown)
		return err_set(err, "out of memory for code to put in");
	*array = grown;
	*room = more;
	return true;
}

static bool edit_insert_code(struct edit *e, uint32_t *place, const struct edit_code *code,
                             unsigned n, struct err *err)
{
	void *all = e->code, *inserts = e->inserts;
	bool ok =
		edit_reserve_elements(&all, e->code_count, &e->code_room, n, sizeof *e->code, err);
	e->code = all;
	ok = ok && edit_reserve_elements(&inserts, e->insert_count, &e->insert_room, 1,
	                                 sizeof *e->inserts, err);
	e->inserts = inserts;
	if (!ok)
		return false;
	memcpy(&e->code[e->code_count], code, n * sizeof *code);
	e->inserts[e->insert_count] = (struct edit_insert){.first = e->code_count, .count = n};
	e->code_count += n;
	while (*place)
		place = &e->inserts[*place - 1].next;
	*place = ++e->insert_count;
	return true;
}

static bool edit_refuse_insert(const struct edit *e, uint32_t i, struct err *err)
{
	return err_set(err, "%s: code can't be put into the atomic sequence at 0x%" PRIx64,
	               e->p->path, e->insts[e->sequence[i] - 1].addr);
}

bool edit_enter(struct edit *e, uint32_t i, const struct edit_code *code, unsigned n,
                struct err *err)
{
	if (!edit_may_insert_before(e, i))
		return edit_refuse_insert(e, i, err);
	return edit_insert_code(e, &e->places[i].enter, code, n, err);
}

bool edit_before(struct edit *e, uint32_t i, const struct edit_code *code, unsigned n,
                 struct err *err)
{
	return edit_may_insert_before(e, i)
	               ? edit_insert_code(e, &e->places[i].before, code, n, err)
	               : edit_refuse_insert(e, i, err);
}

bool edit_behind(struct edit *e, uint32_t i, const struct edit_code *code, unsigned n,
                 struct err *err)
{
	return edit_may_insert_behind(e, i)
	               ? edit_insert_code(e, &e->places[i].behind, code, n, err)
	               : edit_refuse_insert(e, i, err);
}

bool edit_taken(struct edit *e, uint32_t i, const struct edit_code *code, unsigned n,
                struct err *err)
{
	return edit_may_insert_taken(e, i)
	               ? edit_insert_code(e, &e->places[i].taken, code, n, err)
	               : edit_refuse_insert(e, i, err);
}

uint64_t edit_routine(struct edit *e, const struct edit_code *code, unsigned n, struct err *err)
{
	struct edit_routine *more =
		alloc_resize(e->routines, (e->routine_count + 1) * sizeof *more);
	if (!more) {
		err_format(err, "out of memory for code to put in");
		return 0;
	}
	e->routines = more;
	more[e->routine_count] = (struct edit_routine){0};
	if (!edit_insert_code(e, &more[e->routine_count].insert, code, n, err))
		return 0;
	return EDIT_ROUTINES + e->routine_count++;
}

/* ---- the new program ---- */
struct program *edit_finish(struct edit *e, struct err *err)
{
	e->text = (e->memory + e->memory_used + PAGE - 1) / PAGE * PAGE;
	if (!edit_lay_out(e, err) || !edit_frames(e, err) || !edit_follow(e, err) ||
	    !edit_lines(e, err) || !edit_write(e, err))
		return NULL;
	return program_from_bytes(e->file, e->file_size, e->p->path, err);
}

uint64_t edit_code_bytes(const struct edit *e)
{
	return e->text_end - e->text;
}

const void *edit_file(const struct edit *e, size_t *n)
{
	*n = e->file_size;
	return e->file;
}
