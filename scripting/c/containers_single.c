/* Containers of one value, or of several types: pairs, tuples, optional, smart pointers. */
#include <inttypes.h>
#include <string.h>

#include "scripting/c/containers.h"

enum { TUPLE_MAX = 32 };

/* Shows only first and second, without the pair's base class. */
bool container_pair(struct walker *w, unsigned depth)
{
	struct c_value part[2];
	if (!container_member(w->whole, "first", &part[0]) ||
	    !container_member(w->whole, "second", &part[1]))
		return false;
	textbuf_add(&w->t->out, "{");
	unsigned i = 0;
	for (; i < 2 && !container_full(w, i); i++) {
		container_open(w, i, depth, true);
		textbuf_add(&w->t->out, "%s = ", i ? "second" : "first");
		show_value(w->t, &part[i], depth + 1);
	}
	container_close(w, depth, container_full(w, i), true);
	return true;
}

/* Splits a tuple: one base holds its first element, and another base, a tuple again, the rest.
 * *head: the first; *rest: the others, if *has_rest. False: it is empty. */
static bool container_split_tuple(struct walker *w, const struct c_value *of, struct c_value *head,
                                  struct c_value *rest, bool *has_rest)
{
	struct cmembers all = ctype_members(&of->type, &w->t->walk);
	struct cmember m, inner;
	char name[SCOPED_MAX];
	bool found = false;
	*has_rest = false;
	while (cmember_next(&all, &m)) {
		Dwarf_Die die = m.type.die;
		if (!m.is_base || !die.addr)
			continue;
		scoped_name(&w->t->walk, &die, name, sizeof name);
		if (!strncmp(name, "std::_Tuple_impl<", 17)) {
			c_part(of, &m, rest);
			*has_rest = true;
		} else if (!strncmp(name, "std::_Head_base<", 16)) {
			c_part(of, &m, head);
			found = ctype_member_named(&m.type, "_M_head_impl", &inner);
			if (found)
				c_part(head, &inner, head);
		}
	}
	return found;
}

bool container_tuple(struct walker *w, unsigned depth)
{
	struct c_value here = *w->whole, head, rest;
	bool has_rest;
	unsigned i = 0;
	container_split_tuple(w, &here, &head, &rest, &has_rest);
	if (!has_rest) {
		textbuf_add(&w->t->out, "empty std::tuple");
		return true;
	}
	textbuf_add(&w->t->out, "std::tuple containing = {");
	while (has_rest && i < TUPLE_MAX && !container_full(w, i)) {
		here = rest;
		if (!container_split_tuple(w, &here, &head, &rest, &has_rest))
			break;
		container_open(w, i, depth, true);
		textbuf_add(&w->t->out, "[%u] = ", ++i);
		show_value(w->t, &head, depth + 1);
	}
	container_close(w, depth, has_rest || container_full(w, i), true);
	return true;
}

/* Writes "std::unique_ptr<int>", with the template's first argument. */
static bool with_argument(struct walker *w)
{
	struct ctype of;
	char text[SCOPED_MAX];
	if (!container_argument(w, &w->whole->type, 0, &of))
		return false;
	textbuf_add(&w->t->out, "%s<%s>", w->name, ctype_text(&of, NULL, text, sizeof text));
	return true;
}

static void container_show_single(struct walker *w, const char *name, const struct c_value *v,
                                  unsigned depth)
{
	textbuf_add(&w->t->out, " = {");
	container_open(w, 0, depth, true);
	textbuf_add(&w->t->out, "%s = ", name);
	show_value(w->t, v, depth + 1);
	container_close(w, depth, container_full(w, 1), true);
}

bool container_optional(struct walker *w, unsigned depth)
{
	uint64_t engaged;
	struct c_value value;
	if (!container_number(w, w->whole, "_M_payload._M_engaged", &engaged) ||
	    !container_member(w->whole, "_M_payload._M_payload._M_value", &value) ||
	    !with_argument(w))
		return false;
	if (engaged)
		container_show_single(w, "[contained value]", &value, depth);
	else
		textbuf_add(&w->t->out, " [no contained value]");
	return true;
}

bool container_unique(struct walker *w, unsigned depth)
{
	struct c_value here, head, rest;
	bool has_rest;
	if (!container_member(w->whole, "_M_t._M_t", &here))
		return false;
	container_split_tuple(w, &here, &head, &rest, &has_rest);
	if (!has_rest)
		return false;
	here = rest;
	if (!container_split_tuple(w, &here, &head, &rest, &has_rest) || !with_argument(w))
		return false;
	container_show_single(w, "get()", &head, depth);
	return true;
}

bool container_shared(struct walker *w, unsigned depth)
{
	struct c_value pointer, control, counts;
	struct err err;
	uint64_t at, uses, weak;
	if (!container_member(w->whole, "_M_ptr", &pointer) ||
	    !container_member(w->whole, "_M_refcount._M_pi", &control) ||
	    !c_bits(w->t->calls, &control, &at, &err) || !with_argument(w))
		return false;
	if (!at)
		textbuf_add(&w->t->out, " (empty)");
	else if (!c_pointed(w->t->calls, &control, &counts, &err) ||
	         !container_number(w, &counts, "_M_use_count", &uses) ||
	         !container_number(w, &counts, "_M_weak_count", &weak))
		textbuf_add(&w->t->out, " (<error: Cannot access memory at address 0x%" PRIx64 ">)",
		            at);
	else if (!(uint32_t)uses)
		textbuf_add(&w->t->out, " (expired, weak count %d)", (int)weak);
	else
		textbuf_add(&w->t->out, " (use count %d, weak count %d)", (int)uses, (int)weak - 1);
	container_show_single(w, "get()", &pointer, depth);
	return true;
}
