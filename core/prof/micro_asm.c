/* The microassembler: a text's lines in two passes, first for its labels, then for everything; and images. */
#include "core/prof/micro_asm.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/events.h"
#include "core/prof/micro_assembly.h"

bool micro_out_of_memory(struct assembly *a)
{
	return err_set(a->r.err, "out of memory");
}

bool micro_grow(void **array, unsigned count, size_t size)
{
	if (count & (count - 1))
		return true;
	void *grown = realloc(*array, (count ? 2 * (size_t)count : 1) * size);
	if (!grown)
		return false;
	*array = grown;
	return true;
}

/* ---- lines ---- */
/* Where the comment begins, or the line ends: # in quotes is none. */
static const char *without_comment(const char *at, const char *end)
{
	for (bool quoted = false; at < end; at++) {
		if (*at == '"')
			quoted = !quoted;
		else if (*at == '#' && !quoted)
			break;
	}
	return at;
}

/* The next line; false behind the last. */
static bool next_line(struct assembly *a)
{
	struct reader *r = &a->r;
	const char *from = r->line ? r->line : a->text;
	if (r->line) {
		const char *newline = memchr(from, '\n', (size_t)(a->text_end - from));
		if (!newline)
			return false;
		from = newline + 1;
	}
	const char *end = memchr(from, '\n', (size_t)(a->text_end - from));
	r->line = r->at = from;
	r->end = without_comment(from, end ? end : a->text_end);
	r->number++;
	return true;
}

static void rewind_lines(struct assembly *a)
{
	a->r.line = NULL;
	a->r.number = 0;
}

/* Labels before the operations; add: they are made, else only passed over. */
static bool read_labels(struct assembly *a, unsigned at, bool add)
{
	struct reader *r = &a->r;
	for (;;) {
		struct symbol s = {.kind = SYMBOL_LABEL, .value = at, .line = r->number};
		char word[80];
		const char *before = read_word(r, word, sizeof word);
		if (!*word || !read_accept(r, ':')) {
			r->at = before;
			return true;
		}
		if (!add)
			continue;
		r->at = before;
		if (!read_name(r, s.name, "a label") || !symbol_add(r, before, &s))
			return false;
		read_accept(r, ':');
	}
}

static bool is_directive(struct reader *r)
{
	return read_peek(r) == '.';
}

static bool first_pass(struct assembly *a)
{
	unsigned at = 0;
	for (rewind_lines(a); next_line(a);) {
		if (!read_labels(a, at, true))
			return false;
		if (read_peek(&a->r) && !is_directive(&a->r))
			at++;
		if (at > MICRO_CODE_MAX)
			return READ_FAIL(&a->r, a->r.at, "more than %d microinstructions", MICRO_CODE_MAX);
	}
	return true;
}

/* ---- the program ---- */
static bool append(struct assembly *a, const struct micro_inst *in)
{
	struct micro_image *image = &a->image;
	if (!micro_grow((void **)&image->words, image->count, sizeof *image->words) || !micro_grow((void **)&image->line,
	                                                                                           image->count, sizeof *image->line))
		return micro_out_of_memory(a);
	image->words[image->count] = micro_pack(in);
	image->line[image->count++] = a->r.number;
	return true;
}

static bool second_pass(struct assembly *a)
{
	for (rewind_lines(a); next_line(a);) {
		struct micro_inst in;
		if (!read_labels(a, a->image.count, false))
			return false;
		if (!read_peek(&a->r))
			continue;
		if (is_directive(&a->r) ? !read_directive(a) : !read_operations(&a->r, a->image.count, &in) || !append(a, &in))
			return false;
	}
	return true;
}

static bool fail_in_line(struct assembly *a, unsigned line, const char *what)
{
	return err_set(a->r.err, "%s:%u:1: %s", a->r.file, line, what);
}

/* Each class that is sampled has a routine, and the other way round. */
static bool check_classes(struct assembly *a)
{
	char what[160];
	for (unsigned i = 0; i < INST_KIND_COUNT; i++) {
		if (a->fields_line[i] && !a->on_line[i]) {
			snprintf(what, sizeof what, "records of '%s' have no routine; right: .on %s: LABEL", inst_kind_name[i],
			         inst_kind_name[i]);
			return fail_in_line(a, a->fields_line[i], what);
		}
		if (a->on_line[i] && !a->fields_line[i]) {
			snprintf(what, sizeof what, "'%s' is not sampled; right: .fields %s: what its records carry",
			         inst_kind_name[i], inst_kind_name[i]);
			return fail_in_line(a, a->on_line[i], what);
		}
		if (a->on_line[i] && a->image.start[i] >= a->image.count) {
			snprintf(what, sizeof what, "the routine of '%s' is a label with no microinstruction behind it", inst_kind_name[i]);
			return fail_in_line(a, a->on_line[i], what);
		}
	}
	return true;
}

/* What microinstructions read of records is in some class's. Words alone, of a program that samples nothing, may read anything. */
static bool check_needs(struct assembly *a)
{
	unsigned carried = 0;
	char what[200];
	if (!a->image.classes)
		return true;
	for (unsigned i = 0; i < MICRO_CLASSES; i++)
		carried |= a->image.fields[i];
	for (unsigned i = 0; i < a->image.count; i++) {
		const struct micro_inst in = micro_unpack(a->image.words[i]);
		const unsigned missing = micro_needs(&in) & ~carried;
		if (!missing)
			continue;
		const char *field = record_field_name[__builtin_ctz(missing)];
		snprintf(what, sizeof what, "this reads what needs '%s', which no record carries; right: .fields CLASS: %s, ...",
		         field, field);
		return fail_in_line(a, a->image.line[i], what);
	}
	return true;
}

static bool check_end(struct assembly *a)
{
	const unsigned last = a->image.count;
	if (!last)
		return err_set(a->r.err, "%s: no microinstruction; right: as in 'match x0, pc | if miss goto new'", a->r.file);
	const struct micro_inst in = micro_unpack(a->image.words[last - 1]);
	return in.branch_if == MB_ALWAYS ||
	       fail_in_line(a, a->image.line[last - 1],
	                    "the program runs on behind its last microinstruction; right: done, goto or interrupt there");
}

static int by_address(const void *x, const void *y)
{
	const struct micro_label *a = x, *b = y;
	return a->at != b->at ? a->at - b->at : strcmp(a->name, b->name);
}

static bool keep_labels(struct assembly *a)
{
	struct micro_image *image = &a->image;
	for (unsigned i = 0; i < a->symbols.count; i++) {
		const struct symbol *s = &a->symbols.at[i];
		if (s->kind != SYMBOL_LABEL)
			continue;
		if (!micro_grow((void **)&image->labels, image->label_count, sizeof *image->labels))
			return micro_out_of_memory(a);
		struct micro_label *l = &image->labels[image->label_count++];
		*l = (struct micro_label){.at = (uint16_t)s->value};
		memcpy(l->name, s->name, sizeof l->name);
	}
	if (image->label_count)
		qsort(image->labels, image->label_count, sizeof *image->labels, by_address);
	return true;
}

/* Numbers that every program knows: bits of `events`, and classes. */
static bool add_ours(struct assembly *a)
{
	struct symbol s = {.kind = SYMBOL_NUMBER, .fixed = true, .ours = true};
	for (unsigned i = 0; i < RECORD_EVENT_COUNT; i++) {
		snprintf(s.name, sizeof s.name, "%s", record_event_name[i]);
		s.value = UINT64_C(1) << i;
		if (!symbol_add(&a->r, a->text, &s))
			return false;
	}
	for (unsigned i = 0; i < INST_KIND_COUNT; i++) {
		snprintf(s.name, sizeof s.name, "CLASS_%s", inst_kind_name[i]);
		for (char *c = s.name; *c; c++)
			*c = (char)toupper((unsigned char)*c);
		s.value = i;
		if (!symbol_add(&a->r, a->text, &s))
			return false;
	}
	for (unsigned i = 0; i < a->define_count; i++) {
		struct symbol given = {.kind = SYMBOL_NUMBER, .fixed = true, .value = a->defines[i].value};
		if (strlen(a->defines[i].name) >= MICRO_NAME_MAX || symbol_find(&a->symbols, a->defines[i].name))
			return err_set(a->r.err, "'%s' can't be given: it is too long or has a value already", a->defines[i].name);
		memcpy(given.name, a->defines[i].name, strlen(a->defines[i].name) + 1);
		if (!symbol_add(&a->r, a->text, &given))
			return false;
	}
	return true;
}

/* Constants that were given and that the text says nothing about are mistakes. */
static bool check_defines(struct assembly *a)
{
	for (unsigned i = 0; i < a->symbols.count; i++) {
		const struct symbol *s = &a->symbols.at[i];
		if (s->fixed && !s->ours && !s->line)
			return err_set(a->r.err, "%s: no .equ '%s', whose value was given", a->r.file, s->name);
	}
	return true;
}

bool micro_assemble(const char *text, size_t n, const char *file, const struct micro_define *defines, unsigned define_count,
                    struct micro_image *out, struct err *err)
{
	struct assembly a = {.text = text, .text_end = text + n, .defines = defines, .define_count = define_count};
	a.r = (struct reader){.file = file, .symbols = &a.symbols, .err = err, .line = text};
	for (unsigned i = 0; i < MICRO_CLASSES; i++)
		a.image.start[i] = MICRO_NO_ROUTINE;
	const char *zero = memchr(text, '\0', n);
	a.image.source = malloc(n + 1);
	bool ok = a.image.source ? true : micro_out_of_memory(&a);
	if (ok && zero)
		ok = err_set(err, "%s: this is no text: byte %zu is 0", file, (size_t)(zero - text));
	if (ok) {
		memcpy(a.image.source, text, n);
		a.image.source[n] = '\0';
	}
	ok = ok && add_ours(&a) && first_pass(&a) && second_pass(&a) && check_defines(&a) && check_end(&a) && check_classes(&a) && check_needs(&a) &&
	     keep_labels(&a);
	free(a.symbols.at);
	if (!ok) {
		micro_image_free(&a.image);
		return false;
	}
	*out = a.image;
	return true;
}

void micro_image_free(struct micro_image *image)
{
	free(image->words);
	free(image->line);
	free(image->source);
	free(image->labels);
	free(image->constants);
	free(image->aliases);
	free(image->columns);
	*image = (struct micro_image){0};
}

bool micro_load(struct micro *m, const struct micro_image *image, struct err *err)
{
	struct micro_state *st = m->st;
	if (image->count > m->code_n)
		return err_set(err, "the program has %u microinstructions, the array room for %u; right: -o cop.microcode=%u",
		               image->count, m->code_n, image->count);
	memset(m->code, 0, m->code_n * sizeof *m->code);
	memcpy(m->code, image->words, image->count * sizeof *m->code);
	memcpy(st->start, image->start, sizeof st->start);
	memcpy(st->v, image->v, sizeof st->v);
	memcpy(st->k, image->k, sizeof st->k);
	memcpy(st->x, image->x, sizeof st->x);
	memcpy(st->b, image->b, sizeof st->b);
	memcpy(st->t, image->t, sizeof st->t);
	micro_restart(m);
	return true;
}
