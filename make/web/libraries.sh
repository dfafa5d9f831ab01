#!/bin/bash
# make/web/libraries.sh FOLDER: gets the sources of the libraries from Debian, by the name of their
# package, and builds them for WebAssembly: FOLDER/root/lib, FOLDER/root/include. Built once.
#
# clang is called directly: emcc takes a second of Python for each file. configure runs for this
# host, since its many small programs cannot be linked without emcc; the sources are compiled with
# the result, which musl's headers fit.
set -eu
here=$PWD/make/web
mkdir -p "$1" && cd "$1"
top=$PWD root=$PWD/root
mkdir -p lists/partial cache "$root/lib" "$root/include"
echo "deb-src $(apt-get indextargets --format '$(REPO_URI)' | grep debian/ | head -n 1) $(. /etc/os-release && echo "$VERSION_CODENAME") main" \
	>sources.list
apt=(apt-get -qq -o "Dir::Etc::sourcelist=$top/sources.list" -o Dir::Etc::sourceparts=/dev/null
	-o "Dir::State::lists=$top/lists" -o "Dir::Cache=$top/cache" -o APT::Sandbox::User=root)
# source PACKAGE [PART...]: unpacks its original sources, or parts of them, as folder PACKAGE.
source_of() {
	local name=$1
	shift
	[ -d "$name" ] && return
	mkdir -p "from-$name"
	(cd "from-$name" && "${apt[@]}" source --download-only "$name") || true
	mkdir "$name.new"
	tar xf "$(ls "from-$name"/*.orig.tar.*z* | grep -v '\.asc$' | head -n 1)" -C "$name.new" \
		--strip-components 1 "$@"
	mv "$name.new" "$name"
}
"${apt[@]}" update
for name in elfutils ncurses readline lua5.4 zlib jansson md4c freetype; do source_of "$name"; done
source_of binutils --wildcards '*/libiberty/*' '*/include/*'

# compile LIB FLAGS... -- SOURCES...
compile() {
	local lib=$1 flags=()
	shift
	while [ "$1" != -- ]; do flags+=("$1"); shift; done
	shift
	rm -rf "objects-$lib" && mkdir "objects-$lib"
	(cd "objects-$lib" && for source; do "$here/cc" -O2 -w "${flags[@]}" -c "$source"; done)
	emar rcs "$root/lib/lib$lib.a" "objects-$lib"/*.o
}
has() { [ -e "$root/lib/lib$1.a" ]; }

has z || {
	cp zlib/zlib.h zlib/zconf.h "$root/include"
	compile z -DHAVE_UNISTD_H -- "$top"/zlib/{adler32,compress,crc32,deflate,infback,inffast,inflate,inftrees,trees,uncompr,zutil}.c
}
has lua5.4 || {
	cp lua5.4/src/{lua,luaconf,lauxlib,lualib}.h "$root/include"
	compile lua5.4 -DLUA_USE_POSIX -- $(ls "$top"/lua5.4/src/*.c | grep -vE '/luac?\.c$')
}
has md4c || {
	cp md4c/src/md4c.h "$root/include"
	compile md4c -DMD4C_USE_UTF8 -- "$top/md4c/src/md4c.c"
}
has jansson || {
	sed 's/@json_inline@/inline/; s/@json_have_[a-z_]*@/1/' jansson/src/jansson_config.h.in \
		>"$root/include/jansson_config.h"
	: >jansson/src/jansson_private_config.h
	cp jansson/src/jansson.h "$root/include"
	compile jansson -I"$root/include" -DHAVE_STDINT_H -DHAVE_UNISTD_H \
		-DINITIAL_HASHTABLE_ORDER=3 -- "$top"/jansson/src/*.c
}
has iberty || {
	mkdir -p "$root/include/libiberty"
	cp binutils/include/*.h "$root/include/libiberty"
	printf '#define %s 1\n' HAVE_STDLIB_H HAVE_STRING_H HAVE_LIMITS_H HAVE_SYS_TYPES_H \
		HAVE_UNISTD_H STDC_HEADERS HAVE_DECL_BASENAME >binutils/libiberty/config.h
	compile iberty -DHAVE_CONFIG_H -I"$top/binutils/include" -I"$top/binutils/libiberty" -- \
		"$top"/binutils/libiberty/{cp-demangle,cplus-dem,d-demangle,rust-demangle,safe-ctype,xmalloc,xexit,xstrdup}.c
}
has ncursesw || {
	mkdir -p objects-ncurses
	(cd objects-ncurses && ../ncurses/configure --enable-widec --without-ada --without-cxx \
		--without-cxx-binding --without-manpages --without-progs --without-tests \
		--without-debug --disable-db-install --disable-database --without-gpm \
		--with-fallbacks=xterm-256color --disable-home-terminfo CFLAGS='-O2 -w'
	make -C include
	for part in ncurses panel; do
		make -C $part CC="$here/cc" AR=emar RANLIB=true BUILD_CC=gcc libs
	done
	cp include/{curses,term,termcap,panel,unctrl,ncurses_dll}.h "$root/include"
	cp include/curses.h "$root/include/ncurses.h"
	cp lib/*.a "$root/lib")
}
has readline || {
	mkdir -p objects-readline
	(cd objects-readline && ../readline/configure -q --disable-shared CFLAGS='-O2 -w'
	make CC="$here/cc -I$root/include" AR=emar RANLIB=true libreadline.a libhistory.a
	mkdir -p "$root/include/readline"
	cp ../readline/*.h "$root/include/readline"
	cp ./*.a "$root/lib")
}
# libelf, libdw with what it needs of libebl, and the table of RISC-V (backends/riscv_*) in place
# of a search for one; the loader calls nothing of libdwfl.
has dw || {
	cp "$here/elfutils_config.h" elfutils/config.h
	# Of the processors' tables only RISC-V's is linked.
	sed -i '/riscv_init/! s/^  { [a-z0-9_]*_init,/  { NULL,/' elfutils/libebl/eblopenbackend.c
	# Its disassembler is not called.
	sed -i '/HOOK (eh, disasm);/d' elfutils/backends/riscv_init.c
	flags=(-DHAVE_CONFIG_H -D_GNU_SOURCE -std=gnu99 -I"$root/include")
	for part in . lib libelf libebl libdw libdwelf libdwfl libasm backends; do
		flags+=(-I"$top/elfutils/$part")
	done
	mkdir -p "$root/include/elfutils"
	cp elfutils/libelf/{libelf,gelf,elf}.h elfutils/libdw/dwarf.h "$root/include"
	cp elfutils/version.h elfutils/libdw/libdw.h elfutils/libebl/libebl.h \
		elfutils/libdwelf/libdwelf.h elfutils/libdwfl/libdwfl.h \
		elfutils/libelf/elf-knowledge.h "$root/include/elfutils"
	compile elf "${flags[@]}" -- "$top"/elfutils/libelf/*.c
	compile dw "${flags[@]}" -- "$top"/elfutils/{libdw,libebl,libdwelf}/*.c \
		"$top"/elfutils/lib/{next_prime,xmalloc,crc32,crc32_file,error}.c "$here/elfutils_rest.c" \
		"$top"/elfutils/backends/{riscv_{init,symbol,cfi,regs,initreg,corenote,retval},riscv64_corenote}.c
}
# Only what draws a font's characters as covers: TrueType outlines.
has freetype || {
	cp -r freetype/include/* "$root/include"
	printf 'FT_USE_MODULE( FT_%s )\n' 'Driver_ClassRec, tt_driver_class' \
		'Module_Class, sfnt_module_class' 'Module_Class, psnames_module_class' \
		'Renderer_Class, ft_smooth_renderer_class' \
		>"$root/include/freetype/config/ftmodule.h"
	compile freetype -DFT2_BUILD_LIBRARY -DFT_CONFIG_OPTION_SYSTEM_ZLIB -I"$root/include" -- \
		"$top"/freetype/src/base/{ftsystem,ftinit,ftdebug,ftbase,ftbbox,ftglyph,ftbitmap}.c \
		"$top"/freetype/src/{truetype/truetype,sfnt/sfnt,psnames/psnames,smooth/smooth,gzip/ftgzip}.c
}
