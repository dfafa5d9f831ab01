#include "loader/dwarf/line_header.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"

enum { FORMATS_MAX = 16 };

/* A field of the entries of version 5's tables. */
struct line_format {
	uint64_t content, form;
};

static const char *line_header_text(struct debug_reader *r)
{
	const uint8_t *from = r->at,
		      *end = r->bad ? NULL : memchr(from, 0, (size_t)(r->end - from));
	debug_skip(r, end ? (uint64_t)(end - from) + 1 : UINT64_MAX);
	return end ? (const char *)from : NULL;
}

static const char *line_header_text_at(const Elf_Data *d, uint64_t at)
{
	struct debug_reader r = debug_reader_of(d);
	debug_skip(&r, at);
	return line_header_text(&r);
}

static bool line_header_add_folder(struct line_header *h, const char *name)
{
	const char **folders =
		alloc_grow(h->folders, h->folder_count, &h->folder_room, sizeof *folders, 16);
	if (!folders)
		return false;
	h->folders = folders;
	h->folders[h->folder_count++] = name;
	return true;
}

bool line_header_add_file(struct line_header *h, const char *name, uint64_t folder)
{
	struct line_file *files =
		alloc_grow(h->files, h->file_count, &h->file_room, sizeof *files, 32);
	if (!files)
		return false;
	h->files = files;
	h->files[h->file_count++] = (struct line_file){name, folder};
	return true;
}

/* Folders and files as versions 2 to 4 have them. File 0 has no name. */
static bool line_header_read_names(struct debug_reader *r, struct line_header *h,
                                   const char *folder)
{
	const char *name;
	if (!line_header_add_folder(h, folder) || !line_header_add_file(h, NULL, 0))
		return false;
	while ((name = line_header_text(r)) && *name)
		if (!line_header_add_folder(h, name))
			return false;
	while ((name = line_header_text(r)) && *name) {
		const uint64_t in = debug_leb(r);
		debug_leb(r);
		debug_leb(r);
		if (!line_header_add_file(h, name, in))
			return false;
	}
	return !r->bad;
}

/* A value of version 5's tables: as a text, if it is one, or a number. */
static const char *line_header_value(struct debug_reader *r, const struct line_sections *s,
                                     uint64_t form, unsigned word, uint64_t *number)
{
	*number = 0;
	switch (form) {
	case DW_FORM_string:
		return line_header_text(r);
	case DW_FORM_line_strp:
		return line_header_text_at(s->line_text, debug_fixed(r, word));
	case DW_FORM_strp:
		return line_header_text_at(s->text, debug_fixed(r, word));
	case DW_FORM_udata:
		*number = debug_leb(r);
		break;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
		*number = debug_fixed(r, form == DW_FORM_data1   ? 1
		                         : form == DW_FORM_data2 ? 2
		                         : form == DW_FORM_data4 ? 4
		                                                 : 8);
		break;
	case DW_FORM_data16:
		debug_skip(r, 16);
		break;
	case DW_FORM_block:
		debug_skip(r, debug_leb(r));
		break;
	default:
		r->bad = true;
	}
	return NULL;
}

/* One of version 5's two tables. */
static bool line_header_read_table(struct debug_reader *r, const struct line_sections *s,
                                   unsigned word, struct line_header *h, bool of_files)
{
	struct line_format format[FORMATS_MAX];
	const unsigned formats = (unsigned)debug_fixed(r, 1);
	if (formats > FORMATS_MAX)
		return false;
	for (unsigned i = 0; i < formats; i++) {
		format[i].content = debug_leb(r);
		format[i].form = debug_leb(r);
	}
	const uint64_t count = debug_leb(r);
	for (uint64_t i = 0; i < count; i++) {
		const char *name = NULL;
		uint64_t in = 0, number;
		for (unsigned k = 0; k < formats; k++) {
			const char *text = line_header_value(r, s, format[k].form, word, &number);
			if (format[k].content == DW_LNCT_path)
				name = text;
			else if (format[k].content == DW_LNCT_directory_index)
				in = number;
		}
		if (r->bad || !formats ||
		    !(of_files ? line_header_add_file(h, name, in)
		               : line_header_add_folder(h, name)))
			return false;
	}
	return !r->bad;
}

bool line_header_read(const struct line_sections *s, uint64_t at, const char *folder,
                      struct line_header *out)
{
	struct debug_reader r = debug_reader_of(s->line);
	unsigned word = 4;
	*out = (struct line_header){.address_bytes = 8};
	debug_skip(&r, at);
	uint64_t length = debug_fixed(&r, 4);
	if (length == UINT32_MAX) {
		word = 8;
		length = debug_fixed(&r, 8);
	}
	if (r.bad || length > (uint64_t)(r.end - r.at))
		return false;
	r.end = r.at + length;
	out->version = (unsigned)debug_fixed(&r, 2);
	if (out->version < 2 || out->version > 5)
		return false;
	if (out->version == 5) {
		out->address_bytes = (unsigned)debug_fixed(&r, 1);
		debug_skip(&r, 1); /* of segments */
	}
	const uint64_t header = debug_fixed(&r, word);
	out->rows = r;
	debug_skip(&out->rows, header);
	out->least_bytes = (unsigned)debug_fixed(&r, 1);
	if (out->version >= 4)
		debug_skip(&r, 1); /* operations of an instruction */
	out->is_stmt = debug_fixed(&r, 1);
	const int base = (int)debug_fixed(&r, 1);
	out->line_base = base < 128 ? base : base - 256;
	out->line_range = (unsigned)debug_fixed(&r, 1);
	out->opcode_base = (unsigned)debug_fixed(&r, 1);
	out->lengths = r.at;
	debug_skip(&r, out->opcode_base ? out->opcode_base - 1 : UINT64_MAX);
	if (r.bad || out->rows.bad || !out->line_range)
		return false;
	return out->version < 5 ? line_header_read_names(&r, out, folder)
	                        : line_header_read_table(&r, s, word, out, false) &&
	                                  line_header_read_table(&r, s, word, out, true);
}

bool line_header_path(const struct line_header *h, uint64_t number, char *out, size_t n)
{
	const struct line_file *f = number < h->file_count ? &h->files[number] : NULL;
	if (!f || !f->name)
		return false;
	const char *folder =
		*f->name != '/' && f->folder < h->folder_count ? h->folders[f->folder] : NULL;
	const int length =
		snprintf(out, n, "%s%s%s", folder ? folder : "", folder ? "/" : "", f->name);
	return length >= 0 && (size_t)length < n;
}

void line_header_deinit(struct line_header *h)
{
	free(h->folders);
	free(h->files);
	*h = (struct line_header){0};
}
