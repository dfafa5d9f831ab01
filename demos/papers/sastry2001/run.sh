#!/bin/bash
# Makes all figures; arguments are those of run.lua. `make papers` is this.
# shellcheck disable=SC2034
paper=sastry2001 result=figures.md title='Figures of a complete run'
names=(hash chess lisp compress sort json regex anagram nbody fft cg) small_names=(compress chess \
	lisp)
real=(workloads filters) real_words=()
beside=(fig4) pages=(fig7 fig8 fig9 fig10 fig11 tagged periods early messages hashes executed)
. "$(dirname "$0")/../run.sh"
