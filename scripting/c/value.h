/* Values of C, as a program's debug information lets them be read from one call frame: nothing is
 * changed. For scripting/ only. */
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

/* The calls of one moment, without frames of inlined functions; unwound when a variable of one is
 * read. */
struct c_calls {
	const struct program *program;
	const struct machine *machine;
	struct frame_memory mem;
	size_t count;                           /* 0: not unwound yet */
	struct frame frames[FRAMES_MAX];
	struct unwind_regs regs[FRAMES_MAX];
	struct place_frame places[FRAMES_MAX];  /* their functions are not looked up */
};

enum c_where {
	C_OUT,    /* optimised out: nowhere */
	C_MEMORY,
	C_BYTES,  /* in registers, constants, or computed */
	C_KEPT,   /* in the history of values, or a variable of the inspector's */
	C_TEXT    /* a text that a word of the inspector is: to be compared */
};

struct c_value {
	struct ctype type;
	enum c_where where;
	bool unmade;                     /* C_OUT: it is the thread's, which has none yet */
	bool truth;                      /* a comparison's result: to scripts, a boolean */
	bool nil;                        /* C_TEXT: nothing, which never holds */
	uint64_t addr;                   /* C_MEMORY; C_KEPT: where it was, 0: nowhere */
	/* C_KEPT: the value's bytes, as long as who keeps it lives */
	const uint8_t *kept;
	uint8_t bytes[PLACE_BYTES_MAX];  /* C_BYTES */
	place_mask known;                /* of them */
	unsigned bit_offset, bit_size;   /* a bit-field, bit_size 0: none */
	int reg;                         /* the register that holds it, -1: none */
	/* C_TEXT; beside a number: it was written as a character in quotes, and is a text where
	 * it is compared with one */
	char text[128];
};

void c_calls_init(struct c_calls *calls, const struct program *p, const struct machine *m);
void c_calls_unwind(struct c_calls *calls);
/* The frame of a level that people see, with those of inlined functions among them; of one that is
 * not there, the innermost. */
struct frame c_calls_seen(const struct c_calls *calls, size_t level);
/* The frame of a call, for places. */
struct place_frame c_calls_frame(const struct c_calls *calls, size_t level);

/* What a name stands for; frame NULL: one of the whole program. Never fails: what is nowhere is
 * C_OUT. */
void c_variable(const struct c_calls *calls, const struct place_frame *frame,
                const struct scope_name *name, struct c_value *out);

/* What C_OUT is called. */
static inline const char *c_out_text(const struct c_value *v)
{
	return v->unmade ? "not made yet" : "optimised out";
}

struct c_value c_integer(uint64_t bits, unsigned size, bool is_signed);
struct c_value c_double(double d);
/* A floating-point number of so many bytes. */
struct c_value c_float(quad q, unsigned size);
struct c_value c_wide_integer(unsigned __int128 bits, unsigned size, bool is_signed);
/* Of two numbers of one type. */
struct c_value c_complex(const struct c_value part[2]);
/* A scalar's bits, extended to 64 as its sign says (floating point: a double's); false also if an
 * integer needs more. An array's and a function's is its address. */
bool c_bits(const struct c_calls *calls, const struct c_value *v, uint64_t *bits, struct err *err);
bool c_number(const struct c_calls *calls, const struct c_value *v, double *d, struct err *err);
/* The same of a scalar that may have 128 bits: of an integer, and as a floating-point number. */
bool c_wide(const struct c_calls *calls, const struct c_value *v, unsigned __int128 *bits,
            struct err *err);
bool c_quad(const struct c_calls *calls, const struct c_value *v, quad *q, struct err *err);
/* a.*p: what a pointer to a member that is data means in an object, or a pointer to one. */
bool c_member_of(const struct c_calls *calls, const struct c_value *object,
                 const struct c_value *pointer, struct c_value *out, struct err *err);
/* What a complex number consists of. */
void c_complex_parts(const struct c_value *v, struct c_value part[2]);
/* n bytes of the value from `at` on. */
bool c_read(const struct c_calls *calls, const struct c_value *v, uint64_t at, void *buf,
            uint64_t n);

/* False with *err for the four; *out may be *v. */
bool c_part(const struct c_value *v, const struct cmember *m, struct c_value *out);
/* What a virtual base is, by what its object says; and the member of that name in one. False: that
 * can't be read. */
bool c_virtual_base(const struct c_calls *calls, const struct c_value *v, const struct cmember *m,
                    struct c_value *out);
bool c_virtual_member(const struct c_calls *calls, const struct c_value *v, const char *name,
                      struct c_value *out);
/* The base of that name in an object, or the object itself if its class has the name; *out may be
 * *v. */
bool c_base_named(const struct c_calls *calls, const struct c_value *v, const char *name,
                  struct c_value *out);
/* A pointer to one class as one to the other, if either is a base of the other. */
uint64_t c_base_pointer(const struct c_calls *calls, const struct ctype *from,
                        const struct ctype *to, uint64_t pointer);
bool c_element(const struct c_calls *calls, const struct c_value *v, int64_t i, struct c_value *out,
               struct err *err);
bool c_pointed(const struct c_calls *calls, const struct c_value *v, struct c_value *out,
               struct err *err);
bool c_address(const struct c_value *v, struct c_value *out, struct err *err);
/* What a reference of C++ is about; of anything else *v itself. False with *err. */
bool c_referent(const struct c_calls *calls, const struct c_value *v, struct c_value *out,
                struct err *err);
/* What a static member is. Never fails: what is nowhere is C_OUT. */
void c_static(const struct c_calls *calls, const struct cmember *m, struct c_value *out);
bool c_cast(const struct c_calls *calls, const struct c_value *v, struct ctype type,
            struct c_value *out, struct err *err);

struct c_show {
	char letter; /* a format of print's: x d u o t c f a s; 0: as its type says */
	struct c_limits limits;
};

/* Whether all of its memory can be read; false with *err. */
bool c_is_readable(const struct c_calls *calls, const struct c_value *v, struct err *err);

/* Whether it is a string of C++'s library. */
bool c_is_string(const struct c_value *v);
/* As gdb shows it: "{value = 3, next = 0x0}". `top`: a pointer tells its type. Returns buf. */
char *c_value_text(const struct c_calls *calls, const struct c_value *v, const struct c_show *show,
                   bool top, char *buf, size_t n);

/* The text of characters of 1, 2 or 4 bytes that begins at an address; returns the address behind
 * what is shown of it. */
uint64_t c_text_at(const struct c_calls *calls, uint64_t addr, unsigned width,
                   const struct c_limits *limits, char *buf, size_t n);

#endif
