/* The C library's <sys/wait.h>, with what glibc's has besides. */
#include_next <sys/wait.h>

#ifndef W_EXITCODE
#define W_EXITCODE(status, number) ((status) << 8 | (number))
#endif
