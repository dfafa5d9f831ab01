/* Error numbers of the C library, for the functions of this folder that libraries call. */
#ifndef CYCLOPS_CORE_HOST_WEB_ERROR_NUMBER_H
#define CYCLOPS_CORE_HOST_WEB_ERROR_NUMBER_H

#include <wasi/api.h>

/* Sets the C library's errno to a number of WASI, __WASI_ERRNO_...; returns -1. */
int error_number_set(int wasi);

#endif
