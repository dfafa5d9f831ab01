/* The microassembler: reads a text's lines in two passes, the first one for labels; and images. */
#include "core/prof/cop/micro_asm.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/defs/events.h"
#include "core/prof/cop/micro_assembly.h"

bool micro_out_of_memory(struct assembly *a)
{
	a->r.out_of_memory = true;
	return err_set(a->r.err, "out of memory");
}

bool micro_grow(void **array, unsigned count, size_t size)
{
	if (count & (count - 1))
		return true;
	void *grown = alloc_resize(*array, (count ? 2 * (size_t)count : 1) * size);
	if (!grown)
		return false;
	*array = grown;
	return true;
}

/* ---- lines ---- */
/* Start of the comment, or end of the line; a # in quotes starts none. */
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

/* Goes to the next line; false after the last. */
static bool micro_asm_next_line(struct assembly *a)
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

/* Reads labels before the operations; add: defines them, else only skips them. */
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

static bool micro_asm_at_directive(struct reader *r)
{
	return read_peek(r) == '.';
}

/* ---- mistakes ---- */
/* Records r.err as a mistake, unless it only follows from another. True if assembly goes on with
 * the next line. */
static bool micro_asm_record_mistake(struct assembly *a, unsigned line)
{
	struct micro_mistakes *m = &a->mistakes;
	if (a->r.out_of_memory)
		return false;
	if (a->r.follows)
		return !(a->r.follows = false);
	if (!micro_grow((void **)&m->each, m->count, sizeof *m->each) ||
	    !micro_grow((void **)&a->mistake_line, m->count, sizeof *a->mistake_line))
		return micro_out_of_memory(a);
	a->mistake_line[m->count] = line;
	m->each[m->count++] = a->said;
	return m->count < MICRO_MISTAKES_MAX;
}

static void sort_mistakes(struct assembly *a)
{
	for (unsigned i = 1; i < a->mistakes.count; i++) {
		const struct err moved = a->mistakes.each[i];
		const unsigned line = a->mistake_line[i];
		unsigned at = i;
		for (; at && a->mistake_line[at - 1] > line; at--) {
			a->mistakes.each[at] = a->mistakes.each[at - 1];
			a->mistake_line[at] = a->mistake_line[at - 1];
		}
		a->mistakes.each[at] = moved;
		a->mistake_line[at] = line;
	}
}

/* Passes, and the checks after them, return false if assembly must end. */
static bool first_pass(struct assembly *a)
{
	unsigned at = 0;
	for (rewind_lines(a); micro_asm_next_line(a);) {
		while (!read_labels(a, at, true)) { /* and the labels after it */
			if (!micro_asm_record_mistake(a, a->r.number))
				return false;
			read_accept(&a->r, ':');
		}
		if (read_peek(&a->r) && !micro_asm_at_directive(&a->r))
			at++;
		if (at > MICRO_CODE_MAX) {
			read_fail(&a->r, a->r.at, "more than %d microinstructions", MICRO_CODE_MAX);
			micro_asm_record_mistake(a, a->r.number);
			return false;
		}
	}
	return true;
}

/* ---- the program ---- */
static bool micro_asm_append_inst(struct assembly *a, const struct micro_inst *in)
{
	struct micro_image *image = &a->image;
	if (!micro_grow((void **)&image->words, image->count, sizeof *image->words) ||
	    !micro_grow((void **)&image->line, image->count, sizeof *image->line))
		return micro_out_of_memory(a);
	image->words[image->count] = micro_pack(in);
	image->line[image->count++] = a->r.number;
	return true;
}

static bool second_pass(struct assembly *a)
{
	for (rewind_lines(a); micro_asm_next_line(a);) {
		struct micro_inst in;
		read_labels(a, a->image.count, false);
		if (!read_peek(&a->r))
			continue;
		const bool directive = micro_asm_at_directive(&a->r);
		const bool ok =
			directive ? read_directive(a) : read_operations(&a->r, a->image.count, &in);
		if (directive)
			a->directive_wrong = a->directive_wrong || !ok;
		else
			a->last_wrong = !ok;
		if (!ok && !micro_asm_record_mistake(a, a->r.number))
			return false;
		if (!ok)
			in = (struct micro_inst){0}; /* keeps the addresses of later ones */
		if (!directive && !micro_asm_append_inst(a, &in))
			return false;
	}
	return true;
}

static bool wrong_in_line(struct assembly *a, unsigned line, const char *what)
{
	err_format(a->r.err, "%s:%u:1: %s", a->r.file, line, what);
	return micro_asm_record_mistake(a, line);
}

/* Each class that is sampled must have a routine, and vice versa. */
static bool check_classes(struct assembly *a)
{
	char what[160];
	for (unsigned i = 0; i < INST_KIND_COUNT && !a->directive_wrong; i++) {
		const char *name = inst_kind_name[i];
		unsigned line = a->on_line[i];
		if (a->fields_line[i] && !a->on_line[i]) {
			snprintf(what, sizeof what,
			         "records of '%s' have no routine; expected .on %s: LABEL", name,
			         name);
			line = a->fields_line[i];
		} else if (a->on_line[i] && !a->fields_line[i]) {
			snprintf(what, sizeof what,
			         "'%s' is not sampled; expected .fields %s: FIELD, ...", name,
			         name);
		} else if (a->on_line[i] && a->image.start[i] >= a->image.count) {
			snprintf(what, sizeof what,
			         "the routine of '%s' is a label with no microinstruction after it",
			         name);
		} else {
			continue;
		}
		if (!wrong_in_line(a, line, what))
			return false;
	}
	return true;
}

/* ---- record fields that microinstructions read ---- */
static bool looks_at_class(const struct micro_inst *in)
{
	return ((micro_alu_uses(in) & U_A || micro_shares_a(in)) && in->alu_a == MS_CLASS) ||
	       (micro_alu_uses(in) & U_B && in->alu_b == MS_CLASS) ||
	       (micro_cam_uses(in) & U_S && in->cam_source == MS_CLASS) ||
	       (micro_data_uses(in) & U_S && in->data_source == MS_CLASS);
}

/* Marks the microinstructions that may be executed for a class's records: from `at` on, up to one
 * that reads the class, because the program may branch on it. */
static void micro_asm_mark_reachable(const struct assembly *a, unsigned at, uint8_t *seen,
                                     uint16_t *stack)
{
	const struct micro_image *image = &a->image;
	unsigned depth = 0;
	stack[depth++] = (uint16_t)at;
	while (depth) {
		at = stack[--depth];
		if (at >= image->count || seen[at])
			continue;
		seen[at] = 1;
		const struct micro_inst in = micro_unpack(image->words[at]);
		if (looks_at_class(&in))
			continue;
		if (in.branch_if != MB_ALWAYS)
			stack[depth++] = (uint16_t)(at + 1);
		if (in.branch_if == MB_NEVER)
			continue;
		if (in.branch_to == MTO_RELATIVE)
			stack[depth++] = (uint16_t)(at + (unsigned)micro_offset(&in));
		else if (in.branch_to == MTO_TARGET)
			stack[depth++] = image->t[in.branch_offset % MICRO_TARGETS];
	}
}

/* A field that is read must be in the records of the classes whose routine reaches the
 * microinstruction. A program that samples nothing may read any. */
static bool check_needs(struct assembly *a)
{
	const struct micro_image *image = &a->image;
	char what[200];
	if (!image->classes || !image->count || a->directive_wrong)
		return true;
	unsigned carried = 0;
	uint8_t *seen = alloc_zeroed(image->count, 1), *told = alloc_zeroed(image->count, 1);
	/* two for each microinstruction seen, and the first */
	uint16_t *stack = alloc_bytes((2 * (size_t)image->count + 2) * sizeof *stack);
	bool goes_on = seen && told && stack ? true : micro_out_of_memory(a);
	for (unsigned i = 0; goes_on && i < INST_KIND_COUNT; i++) {
		if (!(image->classes >> i & 1) || image->start[i] >= image->count)
			continue;
		carried |= image->fields[i];
		memset(seen, 0, image->count);
		micro_asm_mark_reachable(a, image->start[i], seen, stack);
		for (unsigned at = 0; goes_on && at < image->count; at++) {
			const struct micro_inst in = micro_unpack(image->words[at]);
			const unsigned missing = micro_needs(&in) & ~image->fields[i];
			if (!seen[at] || told[at] || !missing)
				continue;
			told[at] = 1;
			const char *field = record_field_name[__builtin_ctz(missing)];
			snprintf(what, sizeof what,
			         "this needs '%s', which records of '%s' don't carry; "
			         "expected .fields %s: %s, ...",
			         field, inst_kind_name[i], inst_kind_name[i], field);
			goes_on = wrong_in_line(a, image->line[at], what);
		}
	}
	for (unsigned at = 0; goes_on && at < image->count; at++) { /* whichever class it is for */
		const struct micro_inst in = micro_unpack(image->words[at]);
		const unsigned missing = micro_needs(&in) & ~carried;
		if (told[at] || !missing)
			continue;
		const char *field = record_field_name[__builtin_ctz(missing)];
		snprintf(what, sizeof what,
		         "this needs '%s', which no record carries; expected .fields "
		         "CLASS: %s, ...",
		         field, field);
		goes_on = wrong_in_line(a, image->line[at], what);
	}
	free(seen);
	free(told);
	free(stack);
	return goes_on;
}

static bool check_end(struct assembly *a)
{
	const unsigned last = a->image.count;
	if (!last) {
		err_format(a->r.err,
		           "%s: no microinstruction; expected one as in 'match x0, pc | if miss "
		           "goto new'",
		           a->r.file);
		return micro_asm_record_mistake(a, 0);
	}
	const struct micro_inst in = micro_unpack(a->image.words[last - 1]);
	return in.branch_if == MB_ALWAYS || a->last_wrong ||
	       wrong_in_line(a, a->image.line[last - 1],
	                     "the program runs past its last microinstruction; expected done, "
	                     "goto or interrupt there");
}

static int micro_asm_compare_by_address(const void *x, const void *y)
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
		sort_stable(image->labels, image->label_count, sizeof *image->labels,
		            micro_asm_compare_by_address);
	return true;
}

/* Defines numbers that every program has, bits of `events` and classes, then the given constants.
 */
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
		struct symbol given = {
			.kind = SYMBOL_NUMBER, .fixed = true, .value = a->defines[i].value};
		if (strlen(a->defines[i].name) >= MICRO_NAME_MAX ||
		    symbol_find(&a->symbols, a->defines[i].name))
			return err_set(a->r.err,
			               "'%s' can't be given: it is too long or has a value already",
			               a->defines[i].name);
		memcpy(given.name, a->defines[i].name, strlen(a->defines[i].name) + 1);
		if (!symbol_add(&a->r, a->text, &given))
			return false;
	}
	return true;
}

/* Given constants that the text does not define are mistakes. */
static bool check_defines(struct assembly *a)
{
	for (unsigned i = 0; i < a->symbols.count; i++) {
		const struct symbol *s = &a->symbols.at[i];
		if (!s->fixed || s->ours || s->line)
			continue;
		err_format(a->r.err, "%s: no .equ '%s', whose value was given", a->r.file, s->name);
		if (!micro_asm_record_mistake(a, 0))
			return false;
	}
	return true;
}

/* Runs all passes and checks. False with mistakes, or with r.err. */
static bool micro_asm_run_passes(struct assembly *a)
{
	const char *zero = memchr(a->text, '\0', (size_t)(a->text_end - a->text));
	const size_t n = (size_t)(a->text_end - a->text);
	if (!(a->image.source = alloc_bytes(n + 1)))
		return micro_out_of_memory(a);
	if (zero)
		return err_set(a->r.err, "%s: not a text: byte %zu is 0", a->r.file,
		               (size_t)(zero - a->text));
	memcpy(a->image.source, a->text, n);
	a->image.source[n] = '\0';
	return add_ours(a) && first_pass(a) && second_pass(a) && check_defines(a) && check_end(a) &&
	       check_classes(a) && check_needs(a) && !a->mistakes.count && keep_labels(a);
}

/* Writes the first mistake to *err, and how many others there are. */
static void say_first(const struct assembly *a, struct err *err)
{
	const unsigned more = a->mistakes.count - 1;
	if (!more)
		err_format(err, "%s", a->mistakes.each[0].msg);
	else
		err_format(err, "%.*s (and %s%u more mistake%s, the next in line %u)", 420,
		           a->mistakes.each[0].msg,
		           a->mistakes.count == MICRO_MISTAKES_MAX ? "at least " : "", more,
		           more > 1 ? "s" : "", a->mistake_line[1]);
}

bool micro_assemble_all(const char *text, size_t n, const char *file,
                        const struct micro_define *defines, unsigned define_count,
                        struct micro_image *out, struct micro_mistakes *all, struct err *err)
{
	struct assembly a = {.text = text,
	                     .text_end = text + n,
	                     .defines = defines,
	                     .define_count = define_count};
	a.r = (struct reader){.file = file, .symbols = &a.symbols, .err = &a.said, .line = text};
	for (unsigned i = 0; i < MICRO_CLASSES; i++)
		a.image.start[i] = MICRO_NO_ROUTINE;
	const bool ok = micro_asm_run_passes(&a);
	if (!ok && !a.r.out_of_memory && !a.mistakes.count)
		micro_asm_record_mistake(&a, 0); /* it is about the whole text */
	sort_mistakes(&a);
	if (!ok && a.mistakes.count && !a.r.out_of_memory)
		say_first(&a, err);
	else if (!ok)
		err_format(err, "%s", a.said.msg);
	if (all)
		*all = ok ? (struct micro_mistakes){0} : a.mistakes;
	else
		micro_mistakes_free(&a.mistakes);
	free(a.mistake_line);
	free(a.symbols.at);
	if (ok)
		*out = a.image;
	else
		micro_image_free(&a.image);
	return ok;
}

void micro_mistakes_free(struct micro_mistakes *all)
{
	free(all->each);
	*all = (struct micro_mistakes){0};
}

bool micro_assemble(const char *text, size_t n, const char *file,
                    const struct micro_define *defines, unsigned define_count,
                    struct micro_image *out, struct err *err)
{
	return micro_assemble_all(text, n, file, defines, define_count, out, NULL, err);
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
		return err_set(err,
		               "the program has %u microinstructions, the array room for %u; "
		               "use -o cop.microcode=%u",
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
