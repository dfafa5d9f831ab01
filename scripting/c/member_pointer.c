/* Pointers to members of classes, by the C++ ABI of GNU and Clang. To data: the member's offset in
 * its object, -1: none. To a function: its address or, odd, its offset in the table of virtual
 * functions plus 1; and the offset of its object. */
#include <inttypes.h>

#include "scripting/c/value_show.h"

enum { WORD = 8, NESTED_MAX = 16 };

/* Writes "&A::x" for the member at this offset, of the class or of a base. */
static bool show_data(struct text *t, const struct ctype *class, uint64_t at, unsigned depth)
{
	struct cmembers members = ctype_members(class, &t->walk);
	struct cmember m;
	char name[256];
	while (depth < NESTED_MAX && cmember_next(&members, &m)) {
		if (m.is_base && at >= m.offset && at - m.offset < m.type.size &&
		    show_data(t, &m.type, at - m.offset, depth + 1))
			return true;
		if (!m.name || m.offset != at)
			continue;
		textbuf_add(&t->out, "&%s::%s", ctype_text(class, NULL, name, sizeof name), m.name);
		return true;
	}
	return false;
}

static void show_function(struct text *t, const struct ctype *type, const struct ctype *class,
                          const uint64_t w[2])
{
	char name[512];
	const unsigned entry = (unsigned)((w[0] - 1) / WORD);
	if (!w[0]) {
		textbuf_add(&t->out, "NULL");
		return;
	}
	if (!(w[0] & 1)) {
		textbuf_add(&t->out, "(%s) 0x%" PRIx64, ctype_text(type, NULL, name, sizeof name),
		            w[0]);
		program_addr_text(t->calls->program, w[0], name, sizeof name);
		if (*name != '0')
			textbuf_add(&t->out, " <%s>", name);
	} else if (w[0] / WORD < UINT32_MAX &&
	           ctype_virtual_name(class, t->calls->program, &t->walk, entry, name,
	                              sizeof name)) {
		textbuf_add(&t->out, "&virtual %s", name);
	} else {
		textbuf_add(&t->out, "&virtual table offset %" PRIu64, w[0] - 1);
	}
	if (w[1])
		textbuf_add(&t->out, ", this adjustment %" PRId64, (int64_t)w[1]);
}

bool show_member_pointer(struct text *t, const struct c_value *v)
{
	uint64_t w[2] = {0};
	const struct ctype class = ctype_containing(&v->type);
	if (!c_read(t->calls, v, 0, w, v->type.size))
		return false;
	struct ctype type = v->type;
	type.named = type.die; /* not the typedef's name */
	if (v->type.size > WORD)
		show_function(t, &type, &class, w);
	else if (w[0] == UINT64_MAX)
		textbuf_add(&t->out, "NULL");
	else if (!show_data(t, &class, w[0], 0))
		textbuf_add(&t->out, "%" PRId64, (int64_t)w[0]);
	return true;
}

/* a.*p: the member of an object, or of the object pointed to, that a pointer to data selects. */
bool c_member_of(const struct c_calls *calls, const struct c_value *object,
                 const struct c_value *pointer, struct c_value *out, struct err *err)
{
	struct c_value whole = *object;
	uint64_t at;
	if (pointer->where == C_TEXT || pointer->type.kind != CTYPE_MEMBER ||
	    pointer->type.size != WORD)
		return err_set(err, "after .* and ->* stands a pointer to a member that is data");
	if (object->where == C_TEXT)
		return err_set(err, "a text has no members");
	if (object->type.kind == CTYPE_POINTER && !c_pointed(calls, object, &whole, err))
		return false;
	if (whole.where != C_MEMORY || whole.type.kind != CTYPE_STRUCT)
		return err_set(err, "before .* stands an object in memory");
	if (!c_read(calls, pointer, 0, &at, sizeof at))
		return err_set(err, "it is %s here", c_out_text(pointer));
	if (at == UINT64_MAX)
		return err_set(err, "the pointer to a member is NULL");
	const struct ctype class = ctype_containing(&pointer->type),
			   from = ctype_pointer_to(whole.type), to = ctype_pointer_to(class);
	whole.addr = c_base_pointer(calls, &from, &to, whole.addr) + at;
	whole.type = ctype_target(&pointer->type);
	*out = whole;
	return true;
}
