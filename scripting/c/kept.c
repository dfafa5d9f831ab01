/* The history of values that `print` has shown ($1, $, $$), and the inspector's own variables ($i).
 * Values are copies, unaffected by the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "scripting/c/c.h"

/* Limits: values kept, and bytes of one. */
enum { VALUES_MAX = 10000, VARIABLES_MAX = 1000, BYTES_MAX = 1 << 20 };

struct copy {
	char *name;     /* owned; NULL: in the history */
	uint8_t *bytes; /* owned; NULL: the bytes are in the value */
	struct c_value value;
};

struct copies {
	struct copy *all; /* owned; [count] */
	size_t count, room;
};

struct c_kept {
	/* retired: old values of variables, whose bytes the evaluation under way may still use */
	struct copies history, variables, retired;
};

struct c_kept *c_kept_new(void)
{
	return alloc_zeroed(1, sizeof(struct c_kept));
}

static void c_kept_free_copies(struct copies *c)
{
	for (size_t i = 0; i < c->count; i++) {
		free(c->all[i].name);
		free(c->all[i].bytes);
	}
	free(c->all);
}

void c_kept_free(struct c_kept *k)
{
	if (!k)
		return;
	c_kept_free_copies(&k->history);
	c_kept_free_copies(&k->variables);
	c_kept_free_copies(&k->retired);
	free(k);
}

/* Copies bytes in memory; if they are too large, or can't be read, the value still refers to
 * them. */
static bool c_kept_copy_value(const struct c_calls *calls, const struct c_value *v,
                              struct copy *out)
{
	const bool lies = v->where == C_MEMORY || v->where == C_KEPT;
	out->value = *v;
	out->bytes = NULL;
	if (!lies || v->type.kind == CTYPE_FUNCTION || !v->type.size || v->type.size > BYTES_MAX)
		return true;
	const uint64_t n = v->bit_size ? (v->bit_offset + v->bit_size + 7) / 8 : v->type.size;
	out->bytes = alloc_bytes(n > v->type.size ? n : v->type.size);
	if (!out->bytes)
		return false;
	if (!c_read(calls, v, 0, out->bytes, n)) {
		free(out->bytes);
		out->bytes = NULL;
		return true;
	}
	out->value.where = C_KEPT;
	out->value.kept = out->bytes;
	return true;
}

static struct copy *c_kept_reserve_copy(struct copies *c, size_t most)
{
	if (c->count == most)
		return NULL;
	struct copy *grown = alloc_grow(c->all, c->count, &c->room, sizeof *grown, 16);
	if (!grown)
		return NULL;
	c->all = grown;
	return &c->all[c->count];
}

size_t c_keep(struct c_kept *k, const struct c_calls *calls, const struct c_value *v)
{
	struct copy *at = c_kept_reserve_copy(&k->history, VALUES_MAX);
	if (!at || !c_kept_copy_value(calls, v, at))
		return 0;
	at->name = NULL;
	return ++k->history.count;
}

size_t c_kept_count(const struct c_kept *k)
{
	return k->history.count;
}

static struct c_value c_kept_void_value(void)
{
	return (struct c_value){
		.type = ctype_made(CTYPE_VOID, 0, false), .where = C_BYTES, .reg = -1};
}

bool c_kept_value(const struct c_kept *k, size_t number, struct c_value *out, struct err *err)
{
	*out = c_kept_void_value();
	if (!number || number > k->history.count)
		return !number && !k->history.count
		               ? true
		               : err_set(err,
		                         k->history.count ? "the values that were printed are "
		                                            "$1 to $%zu"
		                                          : "no value has been printed yet",
		                         k->history.count);
	*out = k->history.all[number - 1].value;
	return true;
}

static struct copy *c_kept_find_variable(const struct c_kept *k, const char *name)
{
	for (size_t i = 0; i < k->variables.count; i++)
		if (!strcmp(k->variables.all[i].name, name))
			return &k->variables.all[i];
	return NULL;
}

void c_kept_variable(const struct c_kept *k, const char *name, struct c_value *out)
{
	const struct copy *at = c_kept_find_variable(k, name);
	*out = at ? at->value : c_kept_void_value();
}

/* Makes a small value its own copy. */
static bool inline_copy(const struct c_calls *calls, struct c_value *v)
{
	uint64_t bits;
	const struct c_value from = *v;
	v->reg = -1;
	if (from.where != C_MEMORY && from.where != C_KEPT)
		return true;
	if (from.type.kind == CTYPE_FUNCTION || !from.type.size || from.type.size > sizeof v->bytes)
		return false;
	if (from.bit_size) {
		if (!c_bits(calls, &from, &bits, &(struct err){{0}}))
			return false;
		memcpy(v->bytes, &bits, sizeof bits);
		v->bit_size = 0;
	} else if (!c_read(calls, &from, 0, v->bytes, from.type.size)) {
		return false;
	}
	v->where = C_BYTES;
	v->known = place_bytes(0, from.type.size);
	return true;
}

bool c_keep_variable(struct c_kept *k, const struct c_calls *calls, const char *name,
                     const struct c_value *v, struct err *err)
{
	struct copy *at = c_kept_find_variable(k, name), made = {.value = *v};
	if (!inline_copy(calls, &made.value) && !c_kept_copy_value(calls, v, &made))
		return err_set(err, "out of memory for $%s", name);
	if (at) {
		struct copy *old = at->bytes ? c_kept_reserve_copy(&k->retired, VALUES_MAX) : NULL;
		if (at->bytes && !old) {
			free(made.bytes);
			return err_set(err, "there is no room for so many values of $%s", name);
		}
		if (old) {
			*old = (struct copy){.bytes = at->bytes};
			k->retired.count++;
		}
		made.name = at->name;
		*at = made;
		return true;
	}
	made.name = alloc_text(name);
	at = made.name ? c_kept_reserve_copy(&k->variables, VARIABLES_MAX) : NULL;
	if (!at) {
		free(made.bytes);
		free(made.name);
		return err_set(err, "there is no room for another variable: at most %d",
		               VARIABLES_MAX);
	}
	*at = made;
	k->variables.count++;
	return true;
}

const char *c_kept_name(const struct c_kept *k, size_t i)
{
	return i < k->variables.count ? k->variables.all[i].name : NULL;
}
