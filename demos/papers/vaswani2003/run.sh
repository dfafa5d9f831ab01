#!/bin/bash
# Makes all tables and figures; arguments are those of run.lua. `make papers` is this.
# shellcheck disable=SC2034
paper=vaswani2003 result=tables.md title='Tables and figures of a complete run'
names=(chess lisp json fft anagram regex sort hash nbody compress cg) small_names=(nbody regex chess)
beside=() pages=(figure1 table2 table3 table4 figure5 table5 frontend scales figure6 table6 figure7)
. "$(dirname "$0")/../run.sh"
