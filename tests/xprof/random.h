/* Random programs with all of Xprof in them, from the generator of tests/diff. */
#ifndef TESTS_XPROF_RANDOM_H
#define TESTS_XPROF_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes a program to text, of at most n bytes, that ends with an exit. It keeps to the DATA_BYTES
 * of tests/diff/random/layout.h at DATA, to which gp and tp have to point. Returns its size. */
size_t random_text(uint64_t seed, uint8_t *text, size_t n);

/* Required contents of gp and tp. */
extern const uint64_t random_gp, random_tp;

#endif
