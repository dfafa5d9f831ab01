#include "hwviews/cop/cop_names.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/pipe/pipe.h"
#include "hwviews/session/session.h"
#include "loader/microprogram.h"

const struct cop *session_cop(const struct session *s)
{
	return cop_of(machine_pipe(s->machine)->prof);
}

static bool cop_names_image_is_loaded(const struct cop *c, const struct micro_image *image)
{
	return image->count <= c->micro.code_n &&
	       !memcmp(c->micro.code, image->words, image->count * sizeof *image->words) &&
	       !memcmp(c->micro.st->start, image->start, sizeof image->start);
}

const struct microprogram *session_microprogram(const struct session *s)
{
	const struct cop *c = session_cop(s);
	const struct microprogram *own = program_microprogram(s->program);
	for (unsigned i = s->microprogram_count; c && i--;)
		if (cop_names_image_is_loaded(c, &s->microprograms[i]->image))
			return s->microprograms[i];
	return c && own && cop_names_image_is_loaded(c, &own->image) ? own : NULL;
}

const struct micro_image *session_micro_image(const struct session *s)
{
	const struct microprogram *p = session_microprogram(s);
	return p ? &p->image : NULL;
}

bool session_add_microprogram(struct session *s, struct microprogram *p, struct err *err)
{
	struct microprogram **more = alloc_resize(
		s->microprograms, (s->microprogram_count + 1) * sizeof(struct microprogram *));
	if (!more) {
		microprogram_free(p);
		return err_set(err, "out of memory for a microprogram");
	}
	s->microprograms = more;
	s->microprograms[s->microprogram_count++] = p;
	return true;
}

/* ---- places ---- */
char *format_micro_at(const struct session *s, unsigned at, char *buf, size_t n)
{
	const struct micro_image *image = session_micro_image(s);
	const struct micro_label *best = NULL;
	for (unsigned i = 0; image && at < image->count && i < image->label_count; i++)
		if (image->labels[i].at <= at && (!best || image->labels[i].at > best->at))
			best = &image->labels[i];
	if (!best)
		snprintf(buf, n, "%u", at);
	else if (best->at == at)
		snprintf(buf, n, "%s", best->name);
	else
		snprintf(buf, n, "%s+%u", best->name, at - best->at);
	return buf;
}

static bool fail_label(const struct micro_image *image, const char *name, struct err *err)
{
	struct nearest nearest;
	nearest_init(&nearest, name);
	for (unsigned i = 0; image && i < image->label_count; i++)
		nearest_offer(&nearest, image->labels[i].name);
	if (!image)
		return err_set(err,
		               "no label '%s': no program that the co-processor executes is known; "
		               "`cop load FILE`, or `cop names FILE` for what firmware loads",
		               name);
	return err_set(err, "%s has no label '%s'; %s",
	               *image->name ? image->name : "the program", name,
	               nearest_said(&nearest, "`cop list` shows it"));
}

static bool read_number(const char *text, unsigned *out)
{
	char *end;
	errno = 0;
	const unsigned long v = strtoul(text, &end, 0);
	*out = (unsigned)v;
	return isdigit((unsigned char)*text) && !*end && !errno && v <= UINT16_MAX;
}

bool micro_at_parse(const struct session *s, const char *text, unsigned *at, struct err *err)
{
	const struct micro_image *image = session_micro_image(s);
	const unsigned count = session_cop(s)->micro.code_n;
	char name[MICRO_NAME_MAX];
	unsigned offset = 0, base = 0;
	const size_t n = strcspn(text, "+");
	if (!read_number(text, at)) {
		snprintf(name, sizeof name, "%.*s", (int)n, text);
		unsigned i = 0;
		while (image && i < image->label_count && strcmp(image->labels[i].name, name) != 0)
			i++;
		if (!image || i == image->label_count || n >= sizeof name)
			return fail_label(image, name, err);
		base = image->labels[i].at;
		if (text[n] && !read_number(text + n + 1, &offset))
			return err_set(err, "'%s'; expected a number of microinstructions after +",
			               text);
		*at = base + offset;
	}
	return *at < count ||
	       err_set(err, "%s is beyond the microcode: its places are 0 to %u", text, count - 1);
}

char *format_micro(const struct session *s, struct micro_word w, unsigned at, char *buf, size_t n)
{
	return micro_text_of(session_micro_image(s), w, at, buf, n);
}

/* ---- registers ---- */
unsigned micro_register_count(char letter)
{
	switch (letter) {
	case 'v': case 'k': return MICRO_VALUES;
	case 'x': return MICRO_INDEXES;
	case 'b': return MICRO_BASES;
	case 't': return MICRO_TARGETS;
	default: return 0;
	}
}

uint64_t micro_register_value(const struct micro_state *st, char letter, unsigned number)
{
	switch (letter) {
	case 'v': return st->v[number];
	case 'k': return st->k[number];
	case 'x': return st->x[number];
	case 'b': return st->b[number];
	default: return st->t[number];
	}
}

const char *micro_register_name(const struct micro_image *image, char letter, unsigned number)
{
	char reg[8];
	snprintf(reg, sizeof reg, "%c%u", letter, number);
	for (unsigned i = 0; image && i < image->alias_count; i++)
		if (!strcmp(image->aliases[i].reg, reg))
			return image->aliases[i].name;
	return "";
}

bool micro_register_find(const struct micro_image *image, const char *name, char *letter,
                         unsigned *number)
{
	for (unsigned i = 0; image && i < image->alias_count; i++)
		if (!strcmp(image->aliases[i].name, name))
			name = image->aliases[i].reg;
	*letter = *name;
	return micro_register_count(*name) && read_number(name + 1, number) &&
	       *number < micro_register_count(*name) && (name[1] != '0' || !name[2]);
}
