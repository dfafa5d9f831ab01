#!/bin/bash
# Makes all tables; arguments are those of run.lua. `make papers` is this.
# shellcheck disable=SC2034
paper=burrows2000 result=tables.md title='Tables of a complete run'
names=(lisp json regex sort chess hash compress anagram cg nbody fft) small_names=(compress chess \
	lisp)
real=(workloads) real_words=(--workloads)
beside=(table1 bias fig1 hotlists specialise vreplay) pages=(table2 instrumented)
. "$(dirname "$0")/../run.sh"
