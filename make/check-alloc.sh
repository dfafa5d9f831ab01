#!/bin/bash
# Memory is allocated through core/base/alloc.h: a failure that only a caller of the C library sees
# can be lost on its way, and output with it. Prints every bare call and fails if there is one.
set -u
cd "$(dirname "$0")/.." || exit 1
names='malloc|calloc|realloc|reallocarray|aligned_alloc|posix_memalign|memalign|valloc|strdup|strndup'
names+='|v?asprintf|open_memstream|fmemopen|getline|getdelim|fopen|fdopen|opendir|fdopendir|scandir'
names+='|setvbuf|setbuf|get_current_dir_name|tempnam|wordexp|json_strdup'
found=$(grep -rnP --include='*.[ch]' --include='*.inc' \
	"^(?!\s*(/?\*|//)).*(?<![\w.>])(?:(?:$names)\(|realpath\(.*, *NULL\))" \
	core loader hwviews scripting ui | grep -v '^core/base/alloc\.[ch]:')
[ -z "$found" ] && exit
echo "$found" >&2
echo 'ask core/base/alloc.h for memory: a failure that is not noted there can be lost' >&2
exit 1
