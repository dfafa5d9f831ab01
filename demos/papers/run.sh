# shellcheck shell=bash disable=SC2154,SC2016
# Makes all tables and figures of a paper: first the runs, with $JOBS processes (default: one per
# core), then the pages from the stored results. Each paper's run.sh sources this file at its end,
# with its own arguments, those of run.lua, and sets before:
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
		# Relative to the folder in which we were started.
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
# seconds: processor time of the processes that this shell has started.
read_seconds() {
	times >"$out/times.$$" # not in a subshell, which has times of its own
	seconds=$(awk 'NR == 2 { gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }' \
		"$out/times.$$")
	rm "$out/times.$$"
}
# Does the work and prints the progress. Stored results take no time again, but their earlier time
# still counts.
told() {
	work "$@" || exit
	read_seconds
	echo "$seconds" >>"$out/spent"
	echo "$1" >>"$out/done"
	local n
	n=$(wc -l <"$out/done")
	echo "$paper: $1 is done, $n of $all, after $((EPOCHSECONDS - start)) s" >&2
}
export -f read_seconds work told
# taken: whole seconds of processor time of runs, including those before an interruption, and of
# pages.
measure() {
	read_seconds
	taken=$(awk -v pages="$seconds" -v runs="$runs" \
		'{ s += $1 } END { printf "%d", s + pages - runs }' "$out/spent")
}
# Prose ends at 100 columns; tables, pictures and headings stay as they are.
folded() {
	awk 'length <= 100 || /^[|!#]/ { print; next }
		{
			indent = /^- / ? "  " : ""
			line = $1
			for (i = 2; i <= NF; i++)
				if (length(line) + length($i) < 100)
					line = line " " $i
				else {
					print line
					line = indent $i
				}
			print line
		}' "$1"
}
export paper all start=$EPOCHSECONDS
all=$(printf '%s\n' "${beside[@]}" "${names[@]}" | sed '/^$/d' | wc -l)
: >"$out/done"
printf '%s\n' "${beside[@]/%/.md}" "${names[@]}" | sed '/^$/d' |
	xargs -P "${JOBS:-$(nproc)}" -I WHAT bash -c 'told "$@"' told WHAT "$@" || exit
touch "$out/spent"
read_seconds
runs=$seconds

{
	for page in "${beside[@]}"; do
		folded "$out/$page.md" >"$out/$page.new" && mv "$out/$page.new" "$out/$page.md" &&
			cat "$out/$page.md" || exit
		echo
	done
	for page in "${pages[@]}"; do
		"$CYCLOPS" lua "$here/$page.lua" "$@" || exit
		echo
	done
} >"$out/$result.new" || exit
# Pictures are written beside it.
measure
{
	printf '# %s\n\nMade by `make papers`; [README.md](README.md) explains how, and what it means.\n' "$title"
	printf 'Made in %d s of processor time.\n\n' "$taken"
	folded "$out/$result.new" | sed "s#]($out/#](#"
} >"$out/$result" && rm "$out/$result.new"
cat "$out/$result"
echo "$out/$result, after $taken s of processor time"

# Likewise for real programs, if any are built.
began=$taken
if [ ${#real[@]} -gt 0 ] && [ -z "$only" ] && ls build/debian/*.made >/dev/null 2>&1; then
	for page in "${real[@]}"; do
		"$CYCLOPS" lua "$here/$page.lua" "${real_words[@]}" "$@" || exit
		echo
	done >"$out/workloads.md.new" || exit
	measure
	printf '\nMade in %d s of processor time.\n' $((taken - began)) >>"$out/workloads.md.new"
	folded "$out/workloads.md.new" | sed "s#]($out/workloads/#](workloads-#; s#]($out/#](#" \
		>"$out/workloads.md" && rm "$out/workloads.md.new"
	echo "$out/workloads.md, after $((taken - began)) s of processor time"
fi
rm -f "$out/done" "$out/spent"
