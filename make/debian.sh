#!/bin/bash
# Builds a real program for the machine from Debian's sources, static, with what the editor needs:
# one of demos/workloads/workloads.txt.
#
#   make/debian.sh PROGRAM OUT      OUT is the program; what it is made from stays in the folder
#                                   OUT.source
#
# Sources come with apt-get from the mirrors that this system's packages come from, whether it has
# deb-src lines or not; Debian's keys sign them. Lists and archives are kept apart from the
# system's. The table names versions: another one is not taken. Without a way to a mirror,
# OUT.skipped has a note and the status is 0; in CI that is an error. The same sources give the same
# program, to the byte, with the same compiler and C library, in every folder.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C SOURCE_DATE_EPOCH=0 # the order of files, and __DATE__

table=demos/workloads/workloads.txt
name=${1:?usage: make/debian.sh PROGRAM OUT}
out=$(realpath -m "${2:?usage: make/debian.sh PROGRAM OUT}")

# The program's value for a key of the table.
row() { awk -v name="$name" -v key="$1" \
	'/^[^#\t]/ { here = $0 == name } here && $1 == key { $1 = ""; printf "%s", $0 }' $table; }

read -r source version <<<"$(row package)"
: "${source:?no such program: $name; there are $(grep -o '^[a-z][a-z0-9_]*$' $table | paste -sd ' ')}"
folder=$(row folder) sources=$(row sources) folder=${folder# }
read -ra own <<<"$(row flags)"
read -ra libs <<<"$(row libs)"
cc=${DEBIAN_CC:-riscv64-linux-gnu-gcc} cxx=${DEBIAN_CXX:-riscv64-linux-gnu-g++}
read -ra flags <<<"${DEBIAN_CFLAGS:--O2 -g}"
read -ra link <<<"${DEBIAN_LDFLAGS:--static -Wl,--emit-relocs}"
# Paths in the debug information are relative, so that any checkout finds the sources, and is the
# same.
flags+=(-w "-ffile-prefix-map=$PWD=.")
work=$out.source log=$out.log
top=$(dirname "$out")/apt

give_up() {
	echo "$1" >"$out.skipped"
	echo "skipped: $name: $1" >&2
	rm -f "$out"
	tail -n 5 "$log" >&2
	[ -z "${CI:-}" ]
	exit
}

failed() {
	echo "$1" >"$out.skipped"
	rm -f "$out"
	echo "$name: $1; the end of $log:" >&2
	tail -n 20 "$log" >&2
	exit 1
}

# The system's own sources, of source packages.
make_lists() {
	local f
	mkdir -p "$top/parts" "$top/lists/partial" "$top/cache/archives/partial"
	for f in /etc/apt/sources.list.d/*.sources; do
		[ -e "$f" ] && grep -q '^URIs:.*debian' "$f" && sed 's/^Types:.*/Types: deb-src/' \
			"$f" >"$top/parts/${f##*/}"
	done
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -e "$f" ] && grep -E '^deb .*debian' "$f" |
			sed 's/^deb /deb-src /' >"$top/parts/$(basename "$f" .list).list"
	done
	options=(-qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$top/parts" \
		-o Dir::State::lists="$top/lists"
	         -o Dir::Cache="$top/cache" -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=3)
}

get() { (cd "$work" && apt-get "${options[@]}" source "$source=$version") >>"$log" 2>&1; }

# Files named by old lists may be gone: then the lists are fetched again.
fetch() {
	make_lists
	[ -e "$top/fresh" ] && get && return
	apt-get "${options[@]}" update >>"$log" 2>&1 ||
		give_up "Debian's lists of source packages can't be fetched"
	touch "$top/fresh"
	get || give_up "Debian's source of $source $version can't be fetched; the lists have version $(apt-cache "${options[@]}" showsrc "$source" |
		sed -n 's/^Version: //p' | sort -u | paste -sd ' ')"
}

# Results of gzip's configure for this C library, which takes a minute and a half of processor time,
# and the parts of gnulib that it lacks; gzip -r, which is not used here, finds nothing.
prepare_gzip() {
	local empty
	mkdir ../include
	{
		for empty in ALLOC_SIZE\(a\) COLD CONST DEALLOC\(f,i\) DEALLOC_FREE FORMAT\(a\) \
			MALLOC MAYBE_UNUSED NODISCARD NONNULL\(a\) PURE RETURNS_NONNULL; do
			echo "#define _GL_ATTRIBUTE_$empty"
		done
		printf '#define %s\n' _GNU_SOURCE _GL_UNUSED '_GL_ARG_NONNULL(a)' \
			'_GL_INLINE static inline' '_GL_EXTERN_INLINE static inline' \
			_GL_INLINE_HEADER_BEGIN \
			_GL_INLINE_HEADER_END '_GL_CMP(a, b) (((a) > (b)) - ((a) < (b)))' \
			'HAVE_DIRENT_H 1' 'HAVE_UTIMENSAT 1' 'HAVE_FUTIMENS 1' \
			'HAVE_STRUCT_STAT_ST_ATIM_TV_NSEC 1' \
			'TYPEOF_STRUCT_STAT_ST_ATIM_IS_STRUCT_TIMESPEC 1' 'O_BINARY 0' \
			'O_SEARCH O_PATH' 'S_IRWXUGO 0777'
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

# A header that Debian's rules write.
prepare_lua() {
	mkdir ../../include && rm -f luac.c
	echo '#define DEB_HOST_MULTIARCH "riscv64-linux-gnu"' >../../include/lua5.4-deb-multiarch.h
}

# One file of 240,000 lines, which its own build puts together. It has no debug information, of
# which tools ask too much.
prepare_sqlite3() { ./configure --disable-tcl --disable-readline --disable-shared &&
	make sqlite3.c shell.c; }

prepare_mawk() { ./configure --host=riscv64-linux-gnu CC="$cc" --enable-builtin-srand &&
	gcc -I. -o makescan makescan.c && ./makescan >scancode.c; }

# An object file goes to standard output where its name is -; and what it compiles is itself, with
# the C library's headers.
prepare_tcc() {
	touch config.h
	sed -i 's/fd = open(filename, O_WRONLY .*/fd = strcmp(filename, "-") ? open(filename, O_WRONLY | O_CREAT | O_TRUNC, mode) : 1;/' tccelf.c
	"$cc" -E -P "${own[@]}" -std=c99 -U__GNUC__ -U__OPTIMIZE__ -D__extension__= tcc.c >"$out.i"
}

# The engine alone, without the threads that talk to it through pipes: it reads its protocol from
# standard input and has no clock.
prepare_gnuchess() {
	mkdir ../../../include && touch ../../../include/config.h ../../../include/configmake.h
	sed -i 's/pthread_exit(NULL)/exit(EXIT_SUCCESS)/' protocol.cpp
	cat >posix.cpp <<-'END'
		#include "components.h"
		#include "posix.h"
		int pipefd_a2e[2] = { 0, -1 }, pipefd_e2a[2] = { -1, 1 };
		namespace engine {
			bool input_available() { return false; }
			double now_real() { return 0; }
			double now_cpu() { return 0; }
			int main_engine(int argc, char **argv);
		}
		int main(int argc, char **argv) { return engine::main_engine(argc, argv); }
	END
}

# The files that cmake would write.
prepare_cjpeg() {
	mkdir ../include
	printf '#define %s\n' 'JPEG_LIB_VERSION 62' 'LIBJPEG_TURBO_VERSION 2.1.5' \
		'LIBJPEG_TURBO_VERSION_NUMBER 2001005' 'C_ARITH_CODING_SUPPORTED 1' \
		'D_ARITH_CODING_SUPPORTED 1' 'MEM_SRCDST_SUPPORTED 1' 'BITS_IN_JSAMPLE 8' \
		>../include/jconfig.h
	printf '#define %s\n' 'BUILD "of Debian"' 'INLINE inline __attribute__((always_inline))' \
		'THREAD_LOCAL __thread' 'PACKAGE_NAME "libjpeg-turbo"' \
		'VERSION "2.1.5"' 'SIZEOF_SIZE_T 8' 'HAVE_BUILTIN_CTZL 1' \
		'FALLTHROUGH __attribute__((fallthrough));' >../include/jconfigint.h
	sed 's/@COPYRIGHT_YEAR@/2023/' jversion.h.in >../include/jversion.h
}
prepare_djpeg() { prepare_cjpeg; }

# bench takes its options from tests, and not from the library that it shares with others.
prepare_fftw() { ./configure --host=riscv64-linux-gnu CC="$cc" --disable-fortran --disable-doc &&
	rm libbench2/useropt.c; }

# In the one folder that the source was unpacked to.
compile() {
	cd "$work"/*/"$folder" || return
	if [ "$(type -t "prepare_$name")" = function ]; then
		"prepare_$name" || return
	fi
	# shellcheck disable=SC2206  # a list of names and patterns
	local files=($sources)
	[[ ${files[0]} = *.c ]] || cc=$cxx
	"$cc" "${flags[@]}" "${own[@]}" "${link[@]}" -o "$out" "${files[@]}" "${libs[@]}"
}

# Everything that a program is made from: if none of it has changed, the program has not.
recipe() {
	echo "$source $version $folder $sources"
	printf '%s\n' "$cc" "$cxx" "${flags[@]}" "${own[@]}" "${link[@]}" "${libs[@]}"
	declare -f compile "prepare_$name"
	[ "$name" != djpeg ] || declare -f prepare_cjpeg
}
[ ! -x "$out" ] || [ "$(recipe)" != "$(cat "$out.recipe" 2>/dev/null)" ] || exit 0

rm -rf "$work" "$out.skipped" "$out.recipe"
mkdir -p "$work"
: >"$log"
[ "$name" != sqlite3 ] || command -v tclsh >/dev/null ||
	give_up "tclsh is not there (Debian's package tcl)"
# Lists are fetched once for all.
exec 9>"$(dirname "$out")/.lock" && flock 9
fetch
exec 9>&-
(unset MAKEFLAGS MAKELEVEL MFLAGS; compile) >>"$log" 2>&1 || failed "can't be compiled"
recipe >"$out.recipe"
