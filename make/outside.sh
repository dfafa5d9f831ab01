#!/bin/bash
# make/outside.sh FOLDER: gets the sources of programs that others wrote, from Debian by
# apt-get, and builds them there as anybody would for riscv64, most of them without -static. Nothing
# of them is part of this tree. Unavailable ones are left out, with a message.
set -u
here=$PWD/tests/outside
mkdir -p "$1" && cd "$1" || exit 1
mkdir -p lists/partial cache bin
# from where this system's packages come
echo "deb-src $(apt-get indextargets --format '$(REPO_URI)' | grep debian/ | head -n 1) bookworm main" \
	>sources.list
apt=(apt-get -qq -o "Dir::Etc::sourcelist=$PWD/sources.list" -o Dir::Etc::sourceparts=/dev/null \
	-o "Dir::State::lists=$PWD/lists"
	-o "Dir::Cache=$PWD/cache" -o APT::Sandbox::User=root)
cc=riscv64-linux-gnu-gcc
lacks() { echo "$*: not there, left out"; }

"${apt[@]}" update || { lacks "Debian's list of sources"; exit 1; }
# sources PACKAGE FOLDER: its sources are unpacked as FOLDER.
sources() {
	[ -d "$2" ] && return
	mkdir -p "from-$1" && (cd "from-$1" && "${apt[@]}" source --download-only "$1" \
		2>/dev/null) || return
	mkdir "$2" && tar xf "$(ls "from-$1"/*.orig.tar.*z* | grep -v '\.asc$' | head -n 1)" \
		-C "$2" --strip-components 1
}

sources lua5.4 lua && rm -f lua/src/luac.c && $cc -O2 -w -DLUA_USE_LINUX -o bin/lua lua/src/*.c \
	-Wl,-E -lm -ldl || lacks lua
sources mujs mujs && $cc -O2 -w -o bin/mujs mujs/{main,one}.c -lm || lacks mujs
sources mawk mawk && (cd mawk && ./configure --host=riscv64-linux-gnu --with-builtin-srand \
	>/dev/null 2>&1 && make -s >/dev/null 2>&1) && cp mawk/mawk bin || lacks mawk
sources sqlite3 sqlite && (cd sqlite && mkdir -p build && cd build && CC=$cc BCC=gcc ../configure \
	--host=riscv64-linux-gnu --disable-tcl --disable-readline >/dev/null 2>&1 &&
	make -s sqlite3.c shell.c >/dev/null 2>&1 && $cc -O1 -w -o ../../bin/sqlite3 shell.c \
	sqlite3.c -lm -lpthread -ldl) || lacks sqlite3
sources coreutils coreutils && (cd coreutils && FORCE_UNSAFE_CONFIGURE=1 ./configure \
	-q --host=riscv64-linux-gnu --disable-nls --enable-single-binary=symlinks >/dev/null 2>&1 &&
	make -s -j2 >/dev/null 2>&1) && cp coreutils/src/coreutils bin || lacks coreutils
sources musl musl && (cd musl && CROSS_COMPILE=riscv64-linux-gnu- ./configure \
	--target=riscv64-linux-gnu --prefix="$PWD/../musl-root" >/dev/null 2>&1 &&
	make -s -j2 install >/dev/null 2>&1) || lacks musl

# The C library's own tests of signals and threads, with a main of ours that makes no process.
sources glibc glibc && {
	mkdir -p glibc-tests support include
	cp glibc/include/{array_length,intprops}.h glibc/sysdeps/riscv/stackinfo.h include \
		2>/dev/null
	# The package's headers are left out: they would come before the compiler's.
	(cd glibc && mkdir -p ../part && cp --parents -r test-skeleton.c support signal/tst-* \
		nptl/tst-* sysdeps/pthread/tst-* ../part)
	: >include/config.h
	flags=(-std=gnu11 -O1 -w -D_GNU_SOURCE -include "$here/glibc_main.h" -Iinclude \
		-Ipart/support -Ipart)
	for source in "$here/glibc_main.c" part/support/{support_record_failure,check,delayed_exit,oom_error,write_message,timespec*,temp_file,support_format_*,support_stack_alloc,support_test_verify*,support_process_state,x*}.c; do
		$cc "${flags[@]}" -c -o "support/$(basename "$source" .c).o" "$source" 2>/dev/null
	done
	riscv64-linux-gnu-ar rcs support/libsupport.a support/*.o
	while read -r name; do
		$cc "${flags[@]}" -I"part/$(dirname "$name")" -static -pthread \
			-o "glibc-tests/$(basename "$name")" "part/$name.c" \
			-Wl,-u,support_report_failure support/libsupport.a -lrt 2>/dev/null ||
			lacks "glibc's $name"
	done <"$here/glibc_tests.txt"
} || lacks glibc
touch complete
