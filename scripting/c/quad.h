/* Numbers of 128 bits: RISC-V's `long double`, IEEE's binary128, computed by the host's compiler. A
 * host without that type uses its own long double: fewer digits, and values beyond its range are
 * infinite or 0. */
#ifndef CYCLOPS_SCRIPTING_C_QUAD_H
#define CYCLOPS_SCRIPTING_C_QUAD_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>

#if defined __FLT128_MANT_DIG__ && defined __GLIBC__ && LDBL_MANT_DIG != 113 &&                    \
	!defined QUAD_IS_LONG
#define QUAD_IS_FLOAT128
__extension__ typedef _Float128 quad;
#else
typedef long double quad;
#endif

enum { QUAD_BYTES = 16 };

quad quad_from_bytes(const uint8_t bytes[QUAD_BYTES]);
void quad_to_bytes(quad q, uint8_t bytes[QUAD_BYTES]);
/* Prints the fewest digits that distinguish q from all other numbers. Returns buf. */
char *quad_text(quad q, char *buf, size_t n);
/* Reads the decimal number at the beginning of a text, and sets *end to the character after it. */
quad quad_read(const char *text, char **end);
/* The nearest integer towards 0; the least or the largest if out of range. */
__int128 quad_integer(quad q);

#endif
