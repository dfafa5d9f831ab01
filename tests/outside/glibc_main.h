/* Definitions of glibc's own build for its tests. */
#include <limits.h>
#define attribute_hidden
#define libc_hidden_proto(x)
#define libc_hidden_def(x)
#define __set_errno(v) (errno = (v))
#define DIAG_PUSH_NEEDS_COMMENT
#define DIAG_POP_NEEDS_COMMENT
#define DIAG_IGNORE_NEEDS_COMMENT(a, b)
#define DIAG_IGNORE_O_NEEDS_COMMENT(a, b)
