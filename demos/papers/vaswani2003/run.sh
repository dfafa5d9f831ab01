#!/bin/bash
# Makes all tables and figures, and editor.md; arguments are those of run.lua. `make papers` is
# this.
# shellcheck disable=SC2034
paper=vaswani2003 result=tables.md title='Tables and figures of a complete run'
names=(chess lisp json fft anagram regex sort hash nbody compress cg) \
	small_names=(nbody regex chess)
real=(workloads factors) real_words=()
beside=() pages=(figure1 table2 table3 table4 strategies figure5 table5 frontend scales figure6 \
	table6 figure7)
. "$(dirname "$0")/../run.sh"

# The same by the executable editor.
read_seconds
before=${seconds%.*}
printf '%s\n' "${names[@]}" | xargs -P "${JOBS:-$(nproc)}" -I NAME "$CYCLOPS" lua \
	"$here/editor.lua" "$@" --programs NAME >/dev/null || exit
{
	printf '# %s\n\nMade by `make papers`; [README.md](README.md) explains how, and what it means.\n' "Tables IV to VI by the executable editor, paths and contexts"
	printf 'Overheads are in percent, over the program that the editor has laid out again with nothing in it.\n\n'
	"$CYCLOPS" lua "$here/editor.lua" "$@"
	read_seconds
	printf '\nMade in %d s of processor time.\n' $((${seconds%.*} - before))
} >"$out/editor.new" && folded "$out/editor.new" >"$out/editor.md" && rm "$out/editor.new" &&
	echo "$out/editor.md, after $((${seconds%.*} - before)) s of processor time"
