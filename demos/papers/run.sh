# shellcheck shell=bash disable=SC2154,SC2016
# Makes all tables and figures of a paper: runs first, with one process for each core, then the
# pages from what these kept. Each paper's run.sh sources this at its end, with its own arguments,
# which are those of run.lua, and says before:
#
#   paper=FOLDER                 below demos/papers
#   names=(...) small_names=(...)   programs, the longest first, so that they don't end last and
#                                   alone
#   beside=(...)                 pages that need no runs, made beside these; they come first
#   pages=(...)                  the others in their order
#   real=(...)                   pages over the workloads, with --workloads if a page is one of the
#                                above, too; they become workloads.md
#   result=NAME.md title=TEXT    what all pages become, and its heading
set -u
from=$PWD
cd "$(dirname "$0")/../../.." || exit 1
export CYCLOPS=${CYCLOPS:-$PWD/build/cyclops} here=demos/papers/$paper out=build/papers/$paper
small='' only='' words=("$@")
for ((i = 0; i < $#; i++)); do
	next=${words[i + 1]:-}
	case ${words[i]} in
	--out)
		# As it is called where we were started.
		[[ -z $next || $next = /* || $from = "$PWD" ]] || words[i + 1]=$from/$next
		out=${words[i + 1]:-$out}
		;;
	--small) small=1 ;;
	--programs) only=$next ;;
	esac
done
set -- "${words[@]}"
[ -z "$small" ] || names=("${small_names[@]}")
[ -z "$only" ] || IFS=, read -ra names <<<"$only"
mkdir -p "$out" || exit

# work WHAT ARGS...: a page beside, made as FILE.md, or a program's runs
work() {
	local what=$1
	shift
	case $what in
	*.md) "$CYCLOPS" lua "$here/${what%.md}.lua" "$@" >"$out/$what" ;;
	*) "$CYCLOPS" lua "$here/run.lua" "$@" --programs "$what" ;;
	esac
}
# Says how far it is. What was made before and is kept takes no time again.
told() {
	work "$@" || exit
	echo "$1" >>"$out/done"
	local n
	n=$(wc -l <"$out/done")
	echo "$paper: $1 is done, $n of $all, after $((EPOCHSECONDS - start)) s$took" >&2
}
export -f work told
export paper all start took
spent=$(cat "$out/spent" 2>/dev/null || echo 0) start=$((EPOCHSECONDS - spent))
took=$(sed -n 's/^Made in \([0-9]*\) s.*/ of about \1/p' "$here/$result" "$here/results.md" \
	2>/dev/null | head -n 1)
keep_time() { echo $((SECONDS + spent)) >"$out/spent"; }
trap keep_time EXIT
all=$(printf '%s\n' "${beside[@]}" "${names[@]}" | sed '/^$/d' | wc -l)
: >"$out/done"
printf '%s\n' "${beside[@]/%/.md}" "${names[@]}" | sed '/^$/d' |
	xargs -P "$(nproc)" -I WHAT bash -c 'told "$@"' told WHAT "$@" || exit

{
	for page in "${beside[@]}"; do
		cat "$out/$page.md" || exit
		echo
	done
	for page in "${pages[@]}"; do
		"$CYCLOPS" lua "$here/$page.lua" "$@" || exit
		echo
	done
} >"$out/$result.new" || exit
# Pictures lie beside it.
{
	printf '# %s\n\nMade by `make papers`; [README.md](README.md) says how, and what it means.\n' "$title"
	printf 'Made in %d s with %d processors.\n\n' $((SECONDS + spent)) "$(nproc)"
	sed "s#]($out/#](#" "$out/$result.new"
} >"$out/$result" && rm "$out/$result.new"
cat "$out/$result"
echo "$out/$result, after $((SECONDS + spent)) s"

# The same over real programs, where some are built.
began=$SECONDS
if [ ${#real[@]} -gt 0 ] && [ -z "$only" ] && ls build/debian/*.made >/dev/null 2>&1; then
	for page in "${real[@]}"; do
		"$CYCLOPS" lua "$here/$page.lua" "${real_words[@]}" "$@" || exit
		echo
	done >"$out/workloads.md.new" || exit
	printf 'Made in %d s.\n' $((SECONDS - began)) >>"$out/workloads.md.new"
	sed "s#]($out/workloads/#](workloads-#; s#]($out/#](#" "$out/workloads.md.new" \
		>"$out/workloads.md" && rm "$out/workloads.md.new"
	echo "$out/workloads.md, after $((SECONDS - began)) s"
fi
trap - EXIT
rm -f "$out/done" "$out/spent"
