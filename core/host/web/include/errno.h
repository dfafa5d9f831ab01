/* The C library's <errno.h> with the numbers of Linux: `errno` turns what the library has set into
 * them. core/host/web/error_numbers.c explains. */
#include_next <errno.h>

#ifndef CYCLOPS_CORE_HOST_WEB_INCLUDE_ERRNO_H
#define CYCLOPS_CORE_HOST_WEB_INCLUDE_ERRNO_H

int *error_number_place(void);
#undef errno
#define errno (*error_number_place())

#endif
