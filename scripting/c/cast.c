/* Casts: values converted to another type by C's rules. */
#include "scripting/c/value.h"

#include <inttypes.h>

static bool to_complex(const struct c_calls *calls, const struct c_value *v, struct ctype type,
                       struct c_value *out, struct err *err)
{
	const unsigned size = (unsigned)type.size / 2;
	struct c_value part[2] = {*v, c_integer(0, 4, true)};
	quad q = 0;
	if (v->where != C_TEXT && v->type.kind == CTYPE_COMPLEX)
		c_complex_parts(v, part);
	for (unsigned i = 0; i < 2; i++) {
		if (!c_quad(calls, &part[i], &q, err))
			return false;
		part[i] = c_float(q, size);
	}
	*out = c_complex(part);
	out->type = type;
	return true;
}

/* The bytes of a value as elements: as many as it has room for if the type has none. */
static bool c_cast_to_array(const struct c_value *v, struct ctype type, struct c_value *out,
                            struct err *err)
{
	const struct ctype element = ctype_target(&type);
	if (v->where == C_TEXT || !element.size || v->type.size < element.size)
		return err_set(err, "the value has no bytes for such elements");
	if (!type.count_known)
		type = ctype_array_of(element, v->type.size / element.size);
	if (type.size > v->type.size)
		return err_set(err, "the value has %" PRIu64 " bytes, the array %" PRIu64,
		               v->type.size, type.size);
	*out = *v;
	out->type = type;
	return true;
}

bool c_cast(const struct c_calls *calls, const struct c_value *v, struct ctype type,
            struct c_value *out, struct err *err)
{
	struct c_value part[2];
	unsigned __int128 bits = 0;
	quad q = 0;
	char name[128];
	if (type.kind == CTYPE_VOID) {
		*out = (struct c_value){.type = type, .where = C_BYTES, .reg = -1};
		return true;
	}
	/* no conversion: the same type */
	if ((type.kind == CTYPE_STRUCT || type.kind == CTYPE_UNION) && type.die.addr &&
	    type.die.addr == v->type.die.addr && v->where != C_TEXT) {
		*out = *v;
		return true;
	}
	if (type.kind == CTYPE_ARRAY)
		return c_cast_to_array(v, type, out, err);
	if (type.kind == CTYPE_COMPLEX)
		return to_complex(calls, v, type, out, err);
	if (!ctype_is_scalar(&type))
		return err_set(err, "can't cast to %s; expected a number or a pointer",
		               ctype_text(&type, NULL, name, sizeof name));
	/* a complex number is converted by its real part */
	if (v->where != C_TEXT && v->type.kind == CTYPE_COMPLEX) {
		c_complex_parts(v, part);
		v = part;
	}
	if (type.kind == CTYPE_FLOAT) {
		if (!c_quad(calls, v, &q, err))
			return false;
		*out = c_float(q, (unsigned)type.size);
	} else {
		const bool is_float = v->type.kind == CTYPE_FLOAT && v->where != C_TEXT;
		if (is_float ? !c_quad(calls, v, &q, err) : !c_wide(calls, v, &bits, err))
			return false;
		if (is_float && type.size > 8)
			bits = (unsigned __int128)quad_integer(q);
		else if (is_float)
			bits = q >= 9223372036854775808.0
			               ? (q < 18446744073709551616.0 ? (uint64_t)q : UINT64_MAX)
			       : q >= -9223372036854775808.0 ? (uint64_t)(int64_t)q
			                                     : UINT64_C(1) << 63;
		if (type.kind == CTYPE_POINTER && v->type.kind == CTYPE_POINTER)
			bits = c_base_pointer(calls, &v->type, &type, (uint64_t)bits);
		if (type.kind == CTYPE_BOOL)
			bits = bits != 0;
		*out = c_wide_integer(bits, 8, false);
	}
	out->type = type;
	return true;
}
