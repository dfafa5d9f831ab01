/* C values, read from one call frame by the program's debug information, without changing anything.
 * For scripting/ only. */
#ifndef CYCLOPS_SCRIPTING_C_VALUE_H
#define CYCLOPS_SCRIPTING_C_VALUE_H

#include "core/base/err.h"
#include "core/machine/machine.h"
#include "hwviews/program/frames.h"
#include "loader/dwarf/ctype.h"
#include "loader/dwarf/place.h"
#include "loader/dwarf/scope.h"
#include "scripting/c/limits.h"
#include "scripting/c/quad.h"

/* The calls of the present, without frames of inlined functions; unwound when a variable of a call
 * is read. */
struct c_calls {
	const struct program *program;
	const struct machine *machine;
	struct frame_memory mem;
	size_t count;  /* of those unwound; 0: not yet */
	size_t asked;  /* for so many: there may be more */
	size_t seen_count, seen_calls;  /* frames in seen, of the first seen_calls calls */
	/* [room], in near or deep */
	size_t room;
	struct frame *frames, *seen;    /* seen: with those of inlined functions */
	struct unwind_regs *regs;
	struct place_frame *places;     /* without function */
	struct {
		struct frame frames[FRAMES_MAX], seen[FRAMES_MAX];
		struct unwind_regs regs[FRAMES_MAX];
		struct place_frame places[FRAMES_MAX];
	} near;
	struct c_calls_deep *deep;      /* owned; NULL until a deeper call is needed */
};

enum c_where {
	C_OUT,    /* optimised out: nowhere */
	C_MEMORY,
	C_BYTES,  /* in registers, constants, or computed */
	C_KEPT,   /* in the history of values, or a variable of the inspector's */
	C_TEXT    /* text of a word of the inspector: for comparisons */
};

struct c_value {
	struct ctype type;
	enum c_where where;
	bool unmade;                     /* C_OUT: thread-local, and not created yet */
	bool truth;                      /* a comparison's result: a boolean for scripts */
	bool nil;                        /* C_TEXT: nil; as a condition false */
	uint64_t addr;                   /* C_MEMORY; C_KEPT: its old address, 0: none */
	/* C_KEPT: the value's bytes, borrowed from struct c_kept */
	const uint8_t *kept;
	uint8_t bytes[PLACE_BYTES_MAX];  /* C_BYTES */
	place_mask known;                /* valid bytes */
	unsigned bit_offset, bit_size;   /* a bit-field, bit_size 0: none */
	int reg;                         /* the register that holds it, -1: none */
	/* C_TEXT; with a number: the quoted character that it was written as, used in comparisons
	 * with texts */
	char text[128];
};

/* calls: all zero before the first time. */
void c_calls_init(struct c_calls *calls, const struct program *p, const struct machine *m);
void c_calls_deinit(struct c_calls *calls);
/* Unwinds far enough to find the call of a level, if it exists, and the calls that its values may
 * come from. */
void c_calls_unwind(struct c_calls *calls, size_t level);
/* The frame of a level as users count them, including frames of inlined functions; the innermost if
 * there is no such level. */
struct frame c_calls_seen(struct c_calls *calls, size_t level);
/* The frame of a call, for finding places. */
struct place_frame c_calls_frame(const struct c_calls *calls, size_t level);

/* The value of a name; frame NULL: of the whole program. Never fails: a value without a place is
 * C_OUT. */
void c_variable(const struct c_calls *calls, const struct place_frame *frame,
                const struct scope_name *name, struct c_value *out);

/* Text for C_OUT. */
static inline const char *c_out_text(const struct c_value *v)
{
	return v->unmade ? "not made yet" : "optimised out";
}

struct c_value c_integer(uint64_t bits, unsigned size, bool is_signed);
struct c_value c_double(double d);
/* A floating-point number of `size` bytes. */
struct c_value c_float(quad q, unsigned size);
struct c_value c_wide_integer(unsigned __int128 bits, unsigned size, bool is_signed);
/* A complex number of two parts of one type. */
struct c_value c_complex(const struct c_value part[2]);
/* A scalar's bits, extended to 64 by its sign (floating point: as a double); false with *err, also
 * if an integer needs more. Arrays and functions give their address. */
bool c_bits(const struct c_calls *calls, const struct c_value *v, uint64_t *bits, struct err *err);
bool c_number(const struct c_calls *calls, const struct c_value *v, double *d, struct err *err);
/* As c_bits() and c_number(), for scalars of up to 128 bits. */
bool c_wide(const struct c_calls *calls, const struct c_value *v, unsigned __int128 *bits,
            struct err *err);
bool c_quad(const struct c_calls *calls, const struct c_value *v, quad *q, struct err *err);
/* a.*p: the member of an object, or of the object pointed to, that a pointer to data selects. */
bool c_member_of(const struct c_calls *calls, const struct c_value *object,
                 const struct c_value *pointer, struct c_value *out, struct err *err);
/* The parts of a complex number. */
void c_complex_parts(const struct c_value *v, struct c_value part[2]);
/* Reads n bytes of the value from byte `at` on. False: not readable. */
bool c_read(const struct c_calls *calls, const struct c_value *v, uint64_t at, void *buf,
            uint64_t n);

/* Parts and related values. False on failure, with *err where passed; *out may be *v. */
bool c_part(const struct c_value *v, const struct cmember *m, struct c_value *out);
/* The virtual base of an object, found by its virtual table; and the member `name` of a virtual
 * base. False: not readable. */
bool c_virtual_base(const struct c_calls *calls, const struct c_value *v, const struct cmember *m,
                    struct c_value *out);
bool c_virtual_member(const struct c_calls *calls, const struct c_value *v, const char *name,
                      struct c_value *out);
/* The object's base class `name`, or the object itself if its class has that name; *out may be *v.
 */
bool c_base_named(const struct c_calls *calls, const struct c_value *v, const char *name,
                  struct c_value *out);
/* Converts a pointer to one class to a pointer to the other, if either is a base of the other. */
uint64_t c_base_pointer(const struct c_calls *calls, const struct ctype *from,
                        const struct ctype *to, uint64_t pointer);
bool c_element(const struct c_calls *calls, const struct c_value *v, int64_t i, struct c_value *out,
               struct err *err);
bool c_pointed(const struct c_calls *calls, const struct c_value *v, struct c_value *out,
               struct err *err);
bool c_address(const struct c_value *v, struct c_value *out, struct err *err);
/* The target of a C++ reference; *v itself if not a reference. False with *err. */
bool c_referent(const struct c_calls *calls, const struct c_value *v, struct c_value *out,
                struct err *err);
/* Value of a static member. Never fails: without a place it is C_OUT. */
void c_static(const struct c_calls *calls, const struct cmember *m, struct c_value *out);
bool c_cast(const struct c_calls *calls, const struct c_value *v, struct ctype type,
            struct c_value *out, struct err *err);

struct c_show {
	char letter; /* a format of print: x d u o t c f a s; 0: by type */
	struct c_limits limits;
};

/* True if all memory of the value can be read; else false with *err. */
bool c_is_readable(const struct c_calls *calls, const struct c_value *v, struct err *err);

/* True for a std::string. */
bool c_is_string(const struct c_value *v);
/* Prints the value as gdb does: "{value = 3, next = 0x0}". top: prints a pointer's type, too.
 * Returns buf. */
char *c_value_text(const struct c_calls *calls, const struct c_value *v, const struct c_show *show,
                   bool top, char *buf, size_t n);

/* Prints the text of characters of 1, 2 or 4 bytes at an address; returns the address after the
 * printed part. */
uint64_t c_text_at(const struct c_calls *calls, uint64_t addr, unsigned width,
                   const struct c_limits *limits, char *buf, size_t n);

#endif
