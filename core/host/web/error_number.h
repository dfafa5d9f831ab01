/* Error numbers of the C library, for the functions of this folder that libraries call. */
#ifndef CYCLOPS_CORE_HOST_WEB_ERROR_NUMBER_H
#define CYCLOPS_CORE_HOST_WEB_ERROR_NUMBER_H

#include <wasi/api.h>

/* The number, of emscripten, of requests that a browser cannot serve; ENOPKG in ours. */
enum { ERROR_NUMBER_NOT_HERE = 120 };
#define ERROR_NUMBER_NOT_HERE_TEXT "not in the browser, which has no other programs and no network"

/* Sets the C library's errno to a number of WASI, __WASI_ERRNO_...; returns -1. */
int error_number_set(int wasi);

#endif
