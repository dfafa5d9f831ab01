/* Places of the bases of a C++ class; the object's table gives those of virtual bases. */
#include <string.h>

#include "scripting/c/value.h"

enum { NESTED_MAX = 16 };

bool c_virtual_base(const struct c_calls *calls, const struct c_value *v, const struct cmember *m,
                    struct c_value *out)
{
	const struct unwind_regs none = {.known = 0};
	const struct place_frame no_frame = {
		.image = scope_image(calls->program, 0), .mem = &calls->mem, .regs = &none};
	Dwarf_Attribute attr;
	uint64_t at;
	/* The tables of a kept value are no longer known. */
	if (v->where != C_MEMORY || !cmember_location(m, &attr) ||
	    !place_number(&no_frame, &attr, &v->addr, &at))
		return false;
	*out = (struct c_value){.type = m->type, .where = C_MEMORY, .addr = at, .reg = -1};
	return true;
}

static bool virtual_member(const struct c_calls *calls, const struct c_value *v, const char *name,
                           struct dwarf_walk *walk, unsigned depth, struct c_value *out)
{
	struct cmembers members = ctype_members(&v->type, walk);
	struct cmember m, found;
	struct c_value base;
	members.virtuals = true;
	while (depth < NESTED_MAX && cmember_next(&members, &m)) {
		if (!m.is_base || (m.is_virtual ? !c_virtual_base(calls, v, &m, &base)
		                                : !c_part(v, &m, &base)))
			continue;
		if (ctype_member_named(&base.type, name, &found) && !found.is_virtual) {
			if (found.is_static)
				c_static(calls, &found, out);
			else
				c_part(&base, &found, out);
			return true;
		}
		if (virtual_member(calls, &base, name, walk, depth + 1, out))
			return true;
	}
	return false;
}

bool c_virtual_member(const struct c_calls *calls, const struct c_value *v, const char *name,
                      struct c_value *out)
{
	struct dwarf_walk walk = walk_of_type();
	return virtual_member(calls, v, name, &walk, 0, out);
}

/* Whether `name` names the class: "Box" also names "geo::Box" and "Box<int>". */
static bool c_base_name_matches(const struct ctype *t, const char *name)
{
	char text[256];
	const size_t n = strlen(name), all = strcspn(ctype_text(t, NULL, text, sizeof text), "<");
	return all >= n && !strncmp(text + all - n, name, n) &&
	       (all == n || text[all - n - 1] == ':');
}

static bool base_named(const struct c_calls *calls, const struct c_value *v, const char *name,
                       struct dwarf_walk *walk, unsigned depth, struct c_value *out)
{
	struct cmembers members = ctype_members(&v->type, walk);
	struct cmember m;
	struct c_value base;
	if (c_base_name_matches(&v->type, name)) {
		*out = *v;
		return true;
	}
	members.virtuals = true;
	while (depth < NESTED_MAX && cmember_next(&members, &m))
		if (m.is_base &&
		    (m.is_virtual ? c_virtual_base(calls, v, &m, &base) : c_part(v, &m, &base)) &&
		    base_named(calls, &base, name, walk, depth + 1, out))
			return true;
	return false;
}

bool c_base_named(const struct c_calls *calls, const struct c_value *v, const char *name,
                  struct c_value *out)
{
	struct dwarf_walk walk = walk_of_type();
	const struct c_value of = *v;
	return base_named(calls, &of, name, &walk, 0, out);
}

/* Finds the base of this type in an object; *fixed: no virtual base is on the way. */
static bool find_base(const struct c_calls *calls, const struct c_value *v, const void *type,
                      struct dwarf_walk *walk, unsigned depth, uint64_t *addr, bool *fixed)
{
	struct cmembers members = ctype_members(&v->type, walk);
	struct cmember m;
	struct c_value base;
	members.virtuals = true;
	while (depth < NESTED_MAX && cmember_next(&members, &m)) {
		if (!m.is_base || (m.is_virtual ? !c_virtual_base(calls, v, &m, &base)
		                                : !c_part(v, &m, &base)))
			continue;
		*addr = base.addr;
		if (m.type.die.addr == type ||
		    find_base(calls, &base, type, walk, depth + 1, addr, fixed)) {
			*fixed &= !m.is_virtual;
			return true;
		}
	}
	return false;
}

uint64_t c_base_pointer(const struct c_calls *calls, const struct ctype *from,
                        const struct ctype *to, uint64_t pointer)
{
	struct dwarf_walk walk = walk_of_type();
	const struct ctype a = ctype_target(from), b = ctype_target(to);
	struct c_value object = {.type = a, .where = C_MEMORY, .addr = pointer, .reg = -1};
	uint64_t at;
	bool fixed = true;
	if (!pointer || a.kind != CTYPE_STRUCT || b.kind != CTYPE_STRUCT || !a.die.addr ||
	    !b.die.addr || a.die.addr == b.die.addr)
		return pointer;
	if (find_base(calls, &object, b.die.addr, &walk, 0, &at, &fixed))
		return at;
	object.type = b;
	fixed = true;
	return find_base(calls, &object, a.die.addr, &walk, 0, &at, &fixed) && fixed
	               ? pointer - (at - pointer)
	               : pointer;
}
