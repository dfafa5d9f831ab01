#define PACKAGE "elfutils"
#define PACKAGE_NAME "elfutils"
#define PACKAGE_VERSION "0.188"
#define VERSION "0.188"
#define HAVE_DECL_MEMPCPY 1
#define HAVE_DECL_RAWMEMCHR 0
#define HAVE_DECL_POWEROF2 0
#define HAVE_DECL_MEMRCHR 1
#define HAVE_DECL_REALLOCARRAY 1
#define HAVE_VISIBILITY 1
#define HAVE_GCC_STRUCT 0
#define HAVE_FALLTHROUGH 1
#define HAVE_STDATOMIC_H 1
#define HAVE_ERR_H 1
#define _GNU_SOURCE 1
#include <eu-config.h>
