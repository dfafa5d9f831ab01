/* Writes the new file. The old image keeps its place in the file and in memory; after it come the
 * new code and its unwind table, in a segment of their own, whose program header replaces one not
 * needed at run time. Memory from edit_memory() lies between: it extends the last data segment. */
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/memory_file.h"
#include "loader/edit/edit_priv.h"
#include "loader/edit/moved_code.h"

enum { PAGE = 4096, PHDRS_MAX = 64, NAMES_EXTRA = 4096 };

struct writer {
	struct edit *e;
	Elf *elf;
	struct err *err;
	uint8_t *code;          /* [code_size], owned: of the new segment */
	size_t code_size;
	uint64_t code_offset;   /* in the file */
	uint64_t end;           /* of the file laid out so far */
	uint32_t *index;        /* [section_count], owned: new numbers; 0: left out */
	char *names;            /* owned */
	size_t names_size;
	uint32_t *map;          /* [2 * map_count], owned */
	size_t map_count;
};

static bool edit_write_report_elf_error(struct writer *w, const char *what)
{
	return err_set(w->err, "%s: can't write the new file: %s: %s", w->e->p->path, what,
	               elf_errmsg(-1));
}

static bool edit_write_report_no_memory(struct writer *w)
{
	return err_set(w->err, "out of memory for the new file of %s", w->e->p->path);
}

/* ---- the new segment ---- */
/* The heap begins where the segment ends: at the same offset in a page as before, so that malloc
 * behaves as in the original program. */
static bool edit_write_build_segment(struct writer *w)
{
	struct edit *e = w->e;
	const uint64_t end = e->frames ? e->frames + e->frame_size[0] : e->text_end;
	w->code_size = end - e->text + ((e->image_end - end) & (PAGE - 1));
	w->code = alloc_zeroed(1, w->code_size + 8);
	if (!w->code)
		return edit_write_report_no_memory(w);
	for (uint32_t i = 0; i < e->item_count; i++)
		if (!edit_encode(e, &e->items[i], w->code + (e->items[i].addr - e->text), w->err))
			return false;
	if (e->frames)
		memcpy(w->code + (e->frames - e->text), e->frame_bytes[0], e->frame_size[0]);
	return true;
}

/* ---- program headers ---- */
/* Whether neither the kernel nor the C library needs a header. */
static bool edit_write_phdr_is_spare(const GElf_Phdr *ph)
{
	return ph->p_type == 0x70000003 /* PT_RISCV_ATTRIBUTES */ || ph->p_type == PT_NOTE ||
	       ph->p_type == PT_NULL || ph->p_type == PT_GNU_PROPERTY;
}

static bool write_phdrs(struct writer *w)
{
	struct edit *e = w->e;
	GElf_Phdr all[PHDRS_MAX];
	size_t n = 0, count, last = 0;
	bool dropped = false;
	if (elf_getphdrnum(e->p->elf, &count) || count > PHDRS_MAX)
		return edit_write_report_elf_error(w, "program headers");
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(e->p->elf, (int)i, &all[n]))
			return edit_write_report_elf_error(w, "program headers");
		if (!dropped && edit_write_phdr_is_spare(&all[n])) {
			dropped = true;
			continue;
		}
		if (all[n].p_type == PT_LOAD)
			last = n;
		n++;
	}
	if (!dropped)
		return err_set(w->err, "%s: no program header to spare for the new code",
		               e->p->path);
	if (e->memory_used) {
		all[last].p_memsz = e->memory + e->memory_used - all[last].p_vaddr;
		/* the program may have had no writable data */
		all[last].p_flags |= PF_W;
	}
	memmove(&all[last + 2], &all[last + 1], (n - last - 1) * sizeof *all);
	all[last + 1] = (GElf_Phdr){.p_type = PT_LOAD,
	                            .p_flags = PF_R | PF_X,
	                            .p_offset = w->code_offset,
	                            .p_vaddr = e->text,
	                            .p_paddr = e->text,
	                            .p_filesz = w->code_size,
	                            .p_memsz = w->code_size,
	                            .p_align = PAGE};
	for (size_t i = 0; i < count; i++)
		if (!gelf_update_phdr(w->elf, (int)i, &all[i]))
			return edit_write_report_elf_error(w, "program headers");
	return true;
}

/* ---- sections ---- */
static uint32_t edit_write_append_section_name(struct writer *w, const char *name,
                                               const char *suffix)
{
	const size_t at = w->names_size;
	w->names_size += (size_t)sprintf(w->names + at, "%s%s", name, suffix) + 1;
	return (uint32_t)at;
}

static bool add_section(struct writer *w, GElf_Shdr head, void *bytes, size_t size)
{
	Elf_Scn *scn = elf_newscn(w->elf);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	if (!data)
		return edit_write_report_elf_error(w, "a section");
	if (!(head.sh_flags & SHF_ALLOC)) {
		/* Not mapped: a larger alignment would only waste space. */
		const uint64_t line = head.sh_addralign > PAGE ? PAGE
		                      : head.sh_addralign      ? head.sh_addralign
		                                               : 1;
		w->end = (w->end + line - 1) / line * line;
		head.sh_offset = w->end;
		w->end += head.sh_type == SHT_NOBITS ? 0 : size;
	}
	head.sh_size = size;
	data->d_buf = bytes;
	data->d_size = size;
	data->d_type = ELF_T_BYTE;
	data->d_align = 1;
	data->d_version = EV_CURRENT;
	return gelf_update_shdr(scn, &head) || edit_write_report_elf_error(w, "a section");
}

static bool is_left_out(const struct edit *e, const struct edit_section *s)
{
	return s->head.sh_type == SHT_RELA && s->head.sh_link == e->symtab &&
	       !(s->head.sh_flags & SHF_ALLOC);
}

/* Symbols of code move, and get new section numbers. */
static void follow_symbols(struct writer *w)
{
	struct edit *e = w->e;
	Elf64_Sym *all = (Elf64_Sym *)(void *)e->sections[e->symtab].bytes;
	for (uint32_t i = 0; i < e->symbol_count; i++) {
		Elf64_Sym s = e->symbols[i];
		if (s.st_shndx != SHN_UNDEF && s.st_shndx < e->section_count) {
			if (e->sections[s.st_shndx].code ||
			    &e->sections[s.st_shndx] == e->frame_section) {
				const uint64_t to = edit_new_end(e, s.st_value);
				s.st_size = s.st_size ? edit_new_end(e, s.st_value + s.st_size) - to
				                      : 0;
				s.st_value = to;
			}
			s.st_shndx = (uint16_t)w->index[s.st_shndx];
		}
		memcpy(&all[i], &s, sizeof s);
	}
}

static bool edit_write_section_moves(const struct edit *e, const struct edit_section *s)
{
	return s->code || s == e->frame_section;
}

static bool copy_section(struct writer *w, uint32_t i)
{
	struct edit *e = w->e;
	struct edit_section *s = &e->sections[i];
	GElf_Shdr head = s->head;
	void *bytes = s->bytes;
	size_t size = s->head.sh_size;
	head.sh_name = edit_write_append_section_name(w, s->name, "");
	if (head.sh_link < e->section_count)
		head.sh_link = w->index[head.sh_link];
	if ((head.sh_type == SHT_RELA || (head.sh_flags & SHF_INFO_LINK)) &&
	    head.sh_info < e->section_count)
		head.sh_info = w->index[head.sh_info];
	if (s->code) {
		const uint64_t end =
			s->count ? e->items[e->start[s->first + s->count] - 1].addr +
					   e->items[e->start[s->first + s->count] - 1].size
				 : s->new_addr;
		head.sh_addr = s->new_addr;
		size = end - s->new_addr;
	} else if (s == e->frame_section) {
		head.sh_addr = e->frames;
		size = e->frame_size[0];
	} else if (!strcmp(s->name, ".debug_frame") && e->frame_bytes[1]) {
		bytes = e->frame_bytes[1];
		size = e->frame_size[1];
	}
	if (edit_write_section_moves(e, s)) {
		bytes = w->code + (head.sh_addr - e->text);
		head.sh_offset = w->code_offset + (head.sh_addr - e->text);
	}
	return add_section(w, head, bytes, size);
}

/* Keeps the original of a section that moved, for readers of old addresses. */
static bool keep_original(struct writer *w, uint32_t i)
{
	struct edit_section *s = &w->e->sections[i];
	GElf_Shdr head = s->head;
	head.sh_name = edit_write_append_section_name(w, s->name, ".original");
	return add_section(w, head, s->bytes, s->head.sh_size);
}

/* Adds section .cyclops.text, the inserted routines. */
static bool add_routines(struct writer *w)
{
	const struct edit *e = w->e;
	GElf_Shdr head = {
		.sh_name = edit_write_append_section_name(w, ".cyclops.text", ""),
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = e->routines_at,
		.sh_offset = w->code_offset + (e->routines_at - e->text),
		.sh_addralign = 8,
	};
	return !e->routine_count || add_section(w, head, w->code + (e->routines_at - e->text),
	                                        e->text_end - e->routines_at);
}

/* Adds section .cyclops.map: the new code's address, then each instruction's distance from it and
 * original address; program_moved_code() reads it. */
static bool add_map(struct writer *w)
{
	const struct edit *e = w->e;
	w->map = alloc_bytes(((size_t)e->item_count + 1) * 2 * sizeof *w->map);
	if (!w->map)
		return edit_write_report_no_memory(w);
	memcpy(w->map, &e->text, sizeof e->text);
	w->map_count = 1;
	for (uint32_t i = 0; i < e->item_count; i++) {
		if (e->items[i].origin == EDIT_NONE)
			continue;
		w->map[2 * w->map_count] = (uint32_t)(e->items[i].addr - e->text);
		w->map[2 * w->map_count++ + 1] = (uint32_t)e->insts[e->items[i].origin].addr;
	}
	GElf_Shdr head = {.sh_name = edit_write_append_section_name(w, MOVED_SECTION, ""),
	                  .sh_type = SHT_PROGBITS,
	                  .sh_addralign = 8,
	                  .sh_entsize = 8};
	return add_section(w, head, w->map, w->map_count * 8);
}

static bool write_sections(struct writer *w)
{
	struct edit *e = w->e;
	size_t names = 0;
	uint32_t n = 1;
	for (uint32_t i = 1; i < e->section_count; i++) {
		w->index[i] = is_left_out(e, &e->sections[i]) ? 0 : n++;
		names += 2 * strlen(e->sections[i].name) + 16;
	}
	for (uint32_t i = 0; i < e->extra_count; i++)
		names += strlen(e->extras[i].name) + 1;
	w->names = alloc_zeroed(1, names + NAMES_EXTRA);
	if (!w->names)
		return edit_write_report_no_memory(w);
	w->names_size = 1;
	follow_symbols(w);
	size_t names_index;
	if (elf_getshdrstrndx(e->p->elf, &names_index))
		return edit_write_report_elf_error(w, "names of sections");
	for (uint32_t i = 1; i < e->section_count; i++)
		if (w->index[i] && i != names_index && !copy_section(w, i))
			return false;
		else if (i == names_index && !elf_newscn(w->elf))
			return edit_write_report_elf_error(w, "names of sections");
	for (uint32_t i = 1; i < e->section_count; i++)
		if (edit_write_section_moves(e, &e->sections[i]) && !keep_original(w, i))
			return false;
	if (!add_routines(w) || !add_map(w))
		return false;
	for (uint32_t i = 0; i < e->extra_count; i++) {
		GElf_Shdr extra = {.sh_name =
		                           edit_write_append_section_name(w, e->extras[i].name, ""),
		                   .sh_type = SHT_PROGBITS,
		                   .sh_addralign = 8};
		if (!add_section(w, extra, e->extras[i].bytes, e->extras[i].n))
			return false;
	}
	/* All names are complete now. */
	Elf_Scn *scn = elf_getscn(w->elf, w->index[names_index]);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	GElf_Shdr head = {.sh_name = edit_write_append_section_name(w, ".shstrtab", ""),
	                  .sh_type = SHT_STRTAB,
	                  .sh_addralign = 1,
	                  .sh_offset = w->end};
	if (!data)
		return edit_write_report_elf_error(w, "names of sections");
	head.sh_size = w->names_size;
	data->d_buf = w->names;
	data->d_size = w->names_size;
	data->d_type = ELF_T_BYTE;
	data->d_align = 1;
	data->d_version = EV_CURRENT;
	w->end += w->names_size;
	return gelf_update_shdr(scn, &head) || edit_write_report_elf_error(w, "names of sections");
}

static bool write_headers(struct writer *w)
{
	struct edit *e = w->e;
	GElf_Ehdr eh;
	size_t count, names_index;
	if (!gelf_getehdr(e->p->elf, &eh) || elf_getphdrnum(e->p->elf, &count) ||
	    elf_getshdrstrndx(e->p->elf, &names_index) || !gelf_newehdr(w->elf, ELFCLASS64) ||
	    !gelf_newphdr(w->elf, count))
		return edit_write_report_elf_error(w, "headers");
	if (!write_phdrs(w) || !write_sections(w))
		return false;
	GElf_Ehdr out;
	if (!gelf_getehdr(w->elf, &out))
		return edit_write_report_elf_error(w, "headers");
	memcpy(out.e_ident, eh.e_ident, EI_NIDENT);
	out.e_type = eh.e_type;
	out.e_machine = eh.e_machine;
	out.e_version = eh.e_version;
	out.e_flags = eh.e_flags;
	out.e_entry = edit_new_address(e, eh.e_entry);
	out.e_phoff = eh.e_phoff;
	out.e_shoff = (w->end + 7) & ~UINT64_C(7);
	out.e_shstrndx = (uint16_t)w->index[names_index];
	return gelf_update_ehdr(w->elf, &out) || edit_write_report_elf_error(w, "headers");
}

/* ---- the file ---- */
static uint64_t end_of_image(const struct edit *e)
{
	uint64_t end = 0;
	for (size_t i = 0; i < e->p->segment_count; i++)
		if (e->p->segments[i].offset + e->p->segments[i].filesz > end)
			end = e->p->segments[i].offset + e->p->segments[i].filesz;
	return end;
}

static bool read_back(struct writer *w, int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	struct edit *e = w->e;
	e->file = size > 0 ? alloc_bytes((size_t)size) : NULL;
	if (!e->file)
		return edit_write_report_no_memory(w);
	e->file_size = (size_t)size;
	return pread(fd, e->file, e->file_size, 0) == (ssize_t)size ||
	       err_set(w->err, "%s: the new file can't be read back", e->p->path);
}

static bool edit_write_elf_file(struct writer *w)
{
	struct edit *e = w->e;
	int fd = memory_file("edited");
	if (fd < 0)
		return edit_write_report_no_memory(w);
	w->code_offset = (end_of_image(e) + PAGE - 1) / PAGE * PAGE + (e->text & (PAGE - 1));
	w->end = w->code_offset + w->code_size;
	w->elf = elf_begin(fd, ELF_C_WRITE, NULL);
	bool ok = w->elf || edit_write_report_elf_error(w, "the file");
	if (ok) {
		elf_flagelf(w->elf, ELF_C_SET, ELF_F_LAYOUT | ELF_F_PERMISSIVE);
		ok = write_headers(w);
		if (ok && elf_update(w->elf, ELF_C_WRITE) < 0)
			ok = edit_write_report_elf_error(w, "the file");
	}
	elf_end(w->elf);
	ok = ok && read_back(w, fd);
	close(fd);
	return ok;
}

bool edit_write(struct edit *e, struct err *err)
{
	struct writer w = {
		.e = e, .err = err, .index = alloc_zeroed(e->section_count, sizeof *w.index)};
	bool ok = (w.index || edit_write_report_no_memory(&w)) && edit_write_build_segment(&w) &&
	          edit_write_elf_file(&w);
	free(w.code);
	free(w.index);
	free(w.names);
	free(w.map);
	return ok;
}
