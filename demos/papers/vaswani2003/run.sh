#!/bin/bash
# Makes all tables and figures: the runs with one process for each core, then the tables from what these kept. Arguments are
# those of run.lua. `make papers` is this.
set -u
cd "$(dirname "$0")/../../.." || exit 1
CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
here=demos/papers/vaswani2003

out=build/papers/vaswani2003 small='' only=''
for ((i = 1; i <= $#; i++)); do
	next=$((i + 1))
	case ${!i} in
	--out) out=${!next:-$out} ;;
	--small) small=1 ;;
	--programs) only=${!next:-} ;;
	esac
done

# The longest first, so that they don't end last and alone.
names=(chess lisp json fft anagram regex sort hash nbody compress cg)
[ -z "$small" ] || names=(nbody regex chess)
[ -z "$only" ] || IFS=, read -ra names <<<"$only"
printf '%s\n' "${names[@]}" |
	xargs -P "$(nproc)" -I NAME "$CYCLOPS" lua $here/run.lua "$@" --programs NAME || exit

for page in figure1 table2 table3 table4 figure5 table5 frontend scales figure6 table6 figure7; do
	"$CYCLOPS" lua $here/$page.lua "$@" || exit
	echo
done >"$out/tables.md.new" || exit
# Pictures lie beside it.
{
	printf '# Tables and figures of a complete run\n\nMade by `make papers`; [README.md](README.md) says how, and what it means.\n\n'
	sed "s#]($out/#](#" "$out/tables.md.new"
} >"$out/tables.md" && rm "$out/tables.md.new"
cat "$out/tables.md"
echo "$out/tables.md"
