#!/bin/bash
# Builds a real program for the machine from Debian's sources: gzip, bzip2, lua or sqlite3, static, with what the editor needs.
#
#   make/debian.sh PROGRAM OUT      OUT is the program; what it is made from stays in the folder OUT.source
#
# Sources come with apt-get from the mirrors that this system's packages come from, whether it has deb-src lines or not; Debian's keys
# sign them. Lists and archives are kept apart from the system's. Without a way to a mirror, OUT.skipped says so and the status is 0; in CI
# that is an error.
set -u
cd "$(dirname "$0")/.." || exit 1

declare -A package=([gzip]=gzip [bzip2]=bzip2 [lua]=lua5.4 [sqlite3]=sqlite3)
name=${1:?usage: make/debian.sh PROGRAM OUT}
out=$(realpath -m "${2:?usage: make/debian.sh PROGRAM OUT}")
source=${package[$name]:?no such program: $name; there are ${!package[*]}}
cc=${DEBIAN_CC:-riscv64-linux-gnu-gcc}
read -ra flags <<<"${DEBIAN_CFLAGS:--O2 -g}"
read -ra link <<<"${DEBIAN_LDFLAGS:--static -Wl,--emit-relocs}"
work=$out.source log=$out.log
top=$(dirname "$out")/apt

give_up() {
	echo "$1" >"$out.skipped"
	echo "skipped: $name: $1" >&2
	tail -n 5 "$log" >&2
	[ -z "${CI:-}" ]
	exit
}

failed() {
	echo "$name: $1; the end of $log:" >&2
	tail -n 20 "$log" >&2
	exit 1
}

# The system's own sources, of source packages.
make_lists() {
	local f
	mkdir -p "$top/parts" "$top/lists/partial" "$top/cache/archives/partial"
	for f in /etc/apt/sources.list.d/*.sources; do
		[ -e "$f" ] && grep -q '^URIs:.*debian' "$f" && sed 's/^Types:.*/Types: deb-src/' "$f" >"$top/parts/${f##*/}"
	done
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -e "$f" ] && grep -E '^deb .*debian' "$f" | sed 's/^deb /deb-src /' >"$top/parts/$(basename "$f" .list).list"
	done
	options=(-qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$top/parts" -o Dir::State::lists="$top/lists"
	         -o Dir::Cache="$top/cache" -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=3)
}

get() { (cd "$work" && apt-get "${options[@]}" source "$source") >>"$log" 2>&1; }

# What lists that are there name may be gone: then they are fetched again.
fetch() {
	make_lists
	[ -e "$top/fresh" ] && get && return
	apt-get "${options[@]}" update >>"$log" 2>&1 || give_up "Debian's lists of source packages can't be fetched"
	touch "$top/fresh"
	get || give_up "Debian's source of $source can't be fetched"
}

# What gzip's configure would find out of this C library in a minute and a half of processor time, and what little of gnulib is not in it;
# gzip -r, which nobody here asks for, finds nothing.
without_configure() {
	local empty
	mkdir ../include
	{
		for empty in ALLOC_SIZE\(a\) COLD CONST DEALLOC\(f,i\) DEALLOC_FREE FORMAT\(a\) MALLOC MAYBE_UNUSED NODISCARD NONNULL\(a\) PURE RETURNS_NONNULL; do
			echo "#define _GL_ATTRIBUTE_$empty"
		done
		printf '#define %s\n' _GNU_SOURCE _GL_UNUSED '_GL_ARG_NONNULL(a)' '_GL_INLINE static inline' '_GL_EXTERN_INLINE static inline' _GL_INLINE_HEADER_BEGIN \
			_GL_INLINE_HEADER_END '_GL_CMP(a, b) (((a) > (b)) - ((a) < (b)))' 'HAVE_DIRENT_H 1' 'HAVE_UTIMENSAT 1' 'HAVE_FUTIMENS 1' \
			'HAVE_STRUCT_STAT_ST_ATIM_TV_NSEC 1' 'TYPEOF_STRUCT_STAT_ST_ATIM_IS_STRUCT_TIMESPEC 1' 'O_BINARY 0' 'O_SEARCH O_PATH' 'S_IRWXUGO 0777'
	} >../include/config.h
	echo 'extern char const *Version;' >../include/version.h
	cat >../include/rest.c <<-'END'
		#include <stdlib.h>
		#include <string.h>
		char const *Version = "of Debian";
		void xalloc_die(void);
		void *xcalloc(size_t n, size_t size) { void *p = calloc(n, size); if (!p) xalloc_die(); return p; }
		char *xstrdup(char const *text) { char *p = strdup(text); if (!p) xalloc_die(); return p; }
		char *streamsavedir(void) { return 0; }
	END
}

# In the one folder that the source was unpacked to.
compile() {
	cd "$work"/*/ || return
	case $name in
	bzip2)
		"$cc" "${flags[@]}" -D_FILE_OFFSET_BITS=64 "${link[@]}" -o "$out" blocksort.c huffman.c crctable.c randtable.c compress.c \
			decompress.c bzlib.c bzip2.c
		;;
	lua)
		mkdir ../include # where Debian's rules keep a header that they write
		echo '#define DEB_HOST_MULTIARCH "riscv64-linux-gnu"' >../include/lua5.4-deb-multiarch.h
		cd src && rm -f luac.c &&
			"$cc" "${flags[@]}" -std=gnu99 -DLUA_COMPAT_5_3 -DLUA_USE_POSIX -I../../include "${link[@]}" -o "$out" ./*.c -lm
		;;
	sqlite3) # one file of 240,000 lines, which its own build puts together; without debug information, of which tools ask too much
		./configure --disable-tcl --disable-readline --disable-shared && make sqlite3.c shell.c &&
			"$cc" "${flags[@]}" -g0 -w -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION "${link[@]}" -o "$out" sqlite3.c shell.c -lm
		;;
	gzip)
		without_configure
		"$cc" "${flags[@]}" -w -I../include -I. -Ilib "${link[@]}" -o "$out" ../include/rest.c bits.c deflate.c gzip.c inflate.c trees.c unlzh.c \
			unlzw.c unpack.c unzip.c util.c zip.c lib/basename-lgpl.c lib/gettime.c lib/utimens.c lib/yesno.c
		;;
	esac
}

rm -rf "$work" "$out.skipped"
mkdir -p "$work"
: >"$log"
[ "$name" != sqlite3 ] || command -v tclsh >/dev/null || give_up "tclsh is not there (Debian's package tcl)"
# Lists are fetched once for all.
exec 9>"$(dirname "$out")/.lock" && flock 9
fetch
exec 9>&-
(unset MAKEFLAGS MAKELEVEL MFLAGS; compile) >>"$log" 2>&1 || failed "can't be compiled"
