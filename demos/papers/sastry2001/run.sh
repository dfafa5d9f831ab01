#!/bin/bash
# Makes all figures: figure 4 and the runs of programs with one process for each core, then the others from what these kept. Arguments are
# those of run.lua. `make papers` is this.
set -u
cd "$(dirname "$0")/../../.." || exit 1
CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
here=demos/papers/sastry2001

out=build/papers/sastry2001 small='' only=''
for ((i = 1; i <= $#; i++)); do
	next=$((i + 1))
	case ${!i} in
	--out) out=${!next:-$out} ;;
	--small) small=1 ;;
	--programs) only=${!next:-} ;;
	esac
done

# The longest first, so that they don't end last and alone.
names=(chess lisp compress sort json regex anagram hash nbody fft cg)
[ -z "$small" ] || names=(compress chess lisp)
[ -z "$only" ] || IFS=, read -ra names <<<"$only"
mkdir -p "$out" || exit
work() {
	local name=$1
	shift
	case $name in
	fig4) "$CYCLOPS" lua $here/fig4.lua "$@" >"$out/fig4.md" ;;
	*) "$CYCLOPS" lua $here/run.lua "$@" --programs "$name" ;;
	esac
}
export -f work
export CYCLOPS here out
# shellcheck disable=SC2016
printf '%s\n' fig4 "${names[@]}" |
	xargs -P "$(nproc)" -I NAME bash -c 'work "$@"' work NAME "$@" || exit

{
	cat "$out/fig4.md" || exit
	echo
	for page in fig7 fig8 fig9 fig10 fig11 tagged executed; do
		"$CYCLOPS" lua $here/$page.lua "$@" || exit
		echo
	done
} >"$out/figures.md.new" || exit
# Pictures lie beside it.
{
	printf '# Figures of a complete run\n\nMade by `make papers`; [README.md](README.md) says how, and what it means.\n\n'
	sed "s#]($out/#](#" "$out/figures.md.new"
} >"$out/figures.md" && rm "$out/figures.md.new"
cat "$out/figures.md"
echo "$out/figures.md"
