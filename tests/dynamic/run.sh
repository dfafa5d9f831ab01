#!/bin/bash
# Programs with an interpreter and shared libraries end as under qemu, functionally and in three
# machines; they are at the parameters' addresses, and the sysroot's place makes no difference; a
# checkpoint continues; missing files are reported.
within=build/tests
. tests/lib.sh
root=/usr/riscv64-linux-gnu
cp build/tests/dynamic/{plain,unmoved,lazy,catcher,fixed,swap,libthrower.so,libplug.so} "$dir"
cd "$dir" || exit 1

cycles() { sed -n 's/^  cycles *//p' err; }

# as_qemu PROGRAM ARGS...
as_qemu() {
	local want=0 how
	qemu-riscv64 -L $root "./$1" "${@:2}" >want 2>want_err </dev/null || want=$?
	check "qemu runs $1" [ -s want ]
	for how in --functional '' '--config classic5' '--config wide6'; do
		# shellcheck disable=SC2086
		run "$want" run --summary $how "$@"
		passes "$how gives what qemu gives" diff want out
	done
	local once
	run "$want" run --summary "$@"
	once=$(cycles)
	run "$want" run --summary "$@"
	check "cycles are the same again" [ "$once" = "$(cycles)" ]
}
as_qemu plain
as_qemu plain one two
as_qemu unmoved
as_qemu lazy
as_qemu catcher

# Code that replaces other code: li a0,1 or 2; ret.
printf '\x13\x05\x10\x00\x67\x80\x00\x00' >one.code
printf '\x13\x05\x20\x00\x67\x80\x00\x00' >two.code
for how in --functional '' '--config classic5' '--config wide6' '--config inorder2'; do
	# shellcheck disable=SC2086
	run 0 run $how swap
done

# The sysroot's place.
mkdir -p far/away/lib near
cp $root/lib/{ld-linux-riscv64-lp64d.so.1,libc.so.6,libm.so.6,libstdc++.so.6,libgcc_s.so.1} \
	far/away/lib
ln -s far/away link
run 3 run --summary catcher
here=$(cycles)
for sysroot in far/away link "$PWD/far/away/"; do
	run 3 run --summary --sysroot $sysroot catcher
	check "cycles with the sysroot at $sysroot are the same" [ "$here" = "$(cycles)" ]
done
# Its own libraries take precedence.
mkdir -p own/lib
cp plain own
cp far/away/lib/* own/lib
(cd own && "$CYCLOPS" run --sysroot ../near plain) >out 2>err
check "a tree with all that it needs takes no sysroot" [ $? = 7 ]

# Where things are.
run 0 run plain where
read -r main base < <(grep ^0x out)
check "main is near 0x10000" [ $((main)) -lt $((0x20000)) ]
check "the interpreter is at 0x3000000000" [ "$base" = 0x3000000000 ]
run 0 run -o sim.load_base=0x2aaaaaa000 -o sim.interp_base=0x2f00000000 plain where
read -r moved base < <(grep ^0x out)
check "main is moved as far as the program" [ $((moved - main)) = $((0x2aaaaaa000 - 0x10000)) ]
check "the interpreter is moved" [ "$base" = 0x2f00000000 ]
run 42 run fixed
check "it is low" [ "$(cat out)" = 0 ]
run 42 run -o sim.load_base=0x50000000 fixed
check "it is where it should be" [ "$(cat out)" = 5 ]
run 125 run -o sim.load_base=0x10001 fixed
says err "sim.load_base: 0x10001 is not a multiple of 4096: 0x10000 would be"
run 125 run -o sim.interp_base=0x10000 plain
says err "its interpreter /lib/ld-linux-riscv64-lp64d.so.1, at 0x10000-"

# A checkpoint between a dlopen and the next.
"$CYCLOPS" run --stats whole.json catcher >whole
run 124 run --save-to half --max-cycles 1900000 catcher
cp out first
run 3 run --restore half --stats again.json catcher
cat first out >both
passes "output goes on" diff whole both
passes "so do all statistics" diff whole.json again.json

cp far/away/lib/ld-linux-riscv64-lp64d.so.1 kept
echo >>far/away/lib/ld-linux-riscv64-lp64d.so.1
run 125 run --restore half --sysroot far/away catcher
says err "half belongs to another program"
cp kept far/away/lib/ld-linux-riscv64-lp64d.so.1

# Missing files.
run 125 run --sysroot near plain
says err "plain: dynamically linked, and its interpreter /lib/ld-linux-riscv64-lp64d.so.1 is neither below the current directory nor below the sysroot near"
says err "or link it with -static"
run 125 run --sysroot nowhere plain
says err "--sysroot nowhere: no such folder"
sed 's#/ld-linux-riscv64-lp64d#/ld-other-riscv64-lp64d#' plain >other
chmod +x other
run 125 run other
says err "its interpreter /lib/ld-other-riscv64-lp64d.so.1 is neither below the current directory nor below the sysroot /usr/riscv64-linux-gnu (--sysroot FOLDER"
rm far/away/lib/libstdc++.so.6
run 127 run --sysroot far/away catcher
says err "error while loading shared libraries: libstdc++.so.6"
says err "cyclops: libstdc++.so.6 is in none of /, /lib/riscv64-linux-gnu,"
says err "apt-get install libstdc++6-riscv64-cross"
mv libthrower.so sub.so
run 127 run catcher
says err "cyclops: libthrower.so is in none of"
run 0 run plain where
silent err
cp /bin/true far/away/lib/ld-linux-riscv64-lp64d.so.1
run 125 run --sysroot far/away plain
says err "plain: its interpreter can't be used: /lib/ld-linux-riscv64-lp64d.so.1: ELF for"
ln -sf ../../../plain far/away/lib/ld-linux-riscv64-lp64d.so.1
run 125 run --sysroot far/away plain
says err "is neither below the current directory nor below the sysroot"
rm far/away/lib/ld-linux-riscv64-lp64d.so.1
cp plain far/away/lib/ld-linux-riscv64-lp64d.so.1
run 125 run --sysroot far/away plain
says err "needs an interpreter itself"
run 125 run ./libplug.so
says err "a shared library"
run 125 instrument --kind bb unmoved -o edited
says err "dynamically linked; the editor takes programs of one file"
finish
