#!/bin/bash
# Makes all pages; arguments are those of run.lua. `make papers` is this.
# shellcheck disable=SC2034
paper=zilles2001 result=figures.md title='Figures of a complete run'
names=(nbody compress cg anagram fft sort json regex hash chess lisp) small_names=(lisp chess)
real=(workloads) real_words=()
beside=() pages=(programs seeds resample invariance convergence sizes clocks why areas)
. "$(dirname "$0")/../run.sh"
