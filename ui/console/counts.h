/* Parses counts: 1500, 1,500, 10k, 1.5M. */
#ifndef CYCLOPS_UI_CONSOLE_COUNTS_H
#define CYCLOPS_UI_CONSOLE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

/* Parses a count with decimal multiples: "1500", "10k", "1.5M", "2G". False with *err. */
bool count_parse(const char *text, uint64_t *out, struct err *err);

#endif
