#!/bin/bash
# shellcheck disable=SC2086
# What the editor leaves alone: programs by several compilers, each with each kind of
# instrumentation, and of each the share of functions and of executed instructions left alone, by
# reason, as a table of Markdown. For docs/flow.md; some ten minutes.
#
#     bash tests/edit/corpus.sh [FOLDER]      build/corpus by default, with the programs
cd "$(dirname "$0")/../.." || exit 1
folder=${1:-build/corpus}
CYCLOPS=${CYCLOPS:-build/cyclops}
mkdir -p "$folder" || exit
link='-static -Wl,--emit-relocs'
include=/usr/riscv64-linux-gnu/include
jobs=$folder/jobs
: >"$jobs"

# job GROUP NAME STDIN ARGS...: a program that is there.
job() {
	[ -x "$folder/$2" ] || [ -x "$2" ] && printf '%s\t' "$@" >>"$jobs" && echo >>"$jobs"
}
# built GROUP NAME COMPILER...: compiles unless that is done.
built() {
	[ -x "$folder/$2" ] || "${@:3}" -w -o "$folder/$2" $link -lm 2>/dev/null ||
		{ rm -f "$folder/$2" && echo "$1: no $2" >&2; }
}
# rust_linked LEVEL -w -o PROGRAM OPTIONS...: what built() makes of tests/edit/corpus.rs.
rust_linked() {
	/usr/bin/rustc --target riscv64gc-unknown-linux-gnu --edition 2021 -Copt-level="$1" \
		-L "$rust" -Clinker=riscv64-linux-gnu-gcc -Ctarget-feature=+crt-static \
		-Crelocation-model=static -Clink-args="$link" -o "$4" tests/edit/corpus.rs
}
clang_built() { # GROUP NAME DRIVER SOURCE OPTIONS...
	local cross=gcc system=(-isystem $include)
	if [ "$3" = clang++ ]; then
		cross=g++
		for version in "$include"/c++/*; do
			system=(-isystem "$version" -isystem "$version/riscv64-linux-gnu" \
				-isystem $include)
		done
	fi
	[ -x "$folder/$2" ] || { "$3" "${system[@]}" --target=riscv64-linux-gnu -march=rv64gc \
		-mabi=lp64d -fno-pie "${@:5}" -w -c -o "$folder/$2.o" "$4" &&
		riscv64-linux-gnu-$cross $link -o "$folder/$2" "$folder/$2.o" -lm; } 2>/dev/null ||
		echo "$1: no $2" >&2
}

while IFS='|' read -r name args stdin _; do
	case $name in '' | '#'* | selfmod) continue ;; esac
	[ "$stdin" = - ] && stdin=/dev/null
	source=$(ls demos/programs/$name.c demos/programs/*/$name.c 2>/dev/null | head -n 1)
	while IFS='|' read -r group suffix flags; do
		built "$group" "$name$suffix" riscv64-linux-gnu-gcc -std=gnu17 -D_GNU_SOURCE \
			-Idemos/include $flags "$source"
		job "$group" "$name$suffix" "${stdin:-/dev/null}" $args
	done <<'END'
C, gcc -O2|-o2|-O2
C, gcc -O3 -fno-plt|-noplt|-O3 -fno-plt
C, gcc -O2 -flto|-lto|-O2 -flto
END
	clang_built 'C, clang -O2' "$name-clang" clang "$source" -std=gnu17 -D_GNU_SOURCE -Idemos/include -O2
	job 'C, clang -O2' "$name-clang" "${stdin:-/dev/null}" $args
done <demos/programs/list.txt
for source in tests/edit/{corpus,exceptions,landing}.cc tests/sessions/shapes.cc \
	tests/cvars/shown.cc; do
	name=cc-$(basename "$source" .cc)
	while IFS='|' read -r group suffix flags; do
		built "$group" "$name$suffix" riscv64-linux-gnu-g++ -std=gnu++17 $flags "$source"
		job "$group" "$name$suffix" /dev/null
	done <<'END'
C++, g++ -O2|-o2|-O2
C++, g++ -O2 -flto -fno-plt|-lto|-O2 -flto -fno-plt
END
	clang_built 'C++, clang++ -O2' "$name-clang" clang++ "$source" -std=gnu++17 -O2
	job 'C++, clang++ -O2' "$name-clang" /dev/null
done
for optimised in -O2 -O3; do
	built 'Fortran, gfortran' "fortran$optimised" riscv64-linux-gnu-gfortran $optimised \
		tests/edit/corpus.f90
	job 'Fortran, gfortran' "fortran$optimised" /dev/null
done
rust=$folder/rust-std
bash tests/edit/rust_std.sh "$rust" 2>/dev/null || echo "Rust: no standard library" >&2
for optimised in 2 3; do
	RUSTC_BOOTSTRAP=1 built 'Rust, rustc -O2 and -O3' "rust-O$optimised" rust_linked $optimised
	job 'Rust, rustc -O2 and -O3' "rust-O$optimised" /dev/null
done
while read -r name program stdin args; do
	job "Debian's sources" "$program" "$stdin" $args
done < <(cat build/workloads/commands 2>/dev/null)
python3 tests/edit/corpus.py "$CYCLOPS" "$folder"
