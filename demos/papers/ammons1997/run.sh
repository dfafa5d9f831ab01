#!/bin/bash
# Makes all tables; arguments are those of run.lua. `make papers` is this.
# shellcheck disable=SC2034
paper=ammons1997 result=tables.md title='Tables of a complete run'
names=(lua json lisp bzip2 hash nbody regex sort chess fft compress cg gzip anagram) \
	small_names=(regex fft)
for name in gzip bzip2 lua; do # from Debian's sources, if they could be fetched
	[ -e "$(dirname "$0")/../../../build/debian/$name" ] || names=("${names[@]/#$name}")
done
beside=() pages=(table1 table2 table3 table4 table5 why)
real=(workloads table1 table2 table3 table4 table5 perpc placement) real_words=(--workloads)
. "$(dirname "$0")/../run.sh"
