/* The C library's <string.h> with a strerror() for the numbers of this folder's <errno.h>. */
#include_next <string.h>

#ifndef CYCLOPS_CORE_HOST_WEB_INCLUDE_STRING_H
#define CYCLOPS_CORE_HOST_WEB_INCLUDE_STRING_H

const char *error_number_text(int number);
#undef strerror
#define strerror(number) ((char *)error_number_text(number))

#endif
