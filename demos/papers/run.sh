# shellcheck shell=bash disable=SC2154,SC2016
# Makes all tables and figures of a paper: runs first, with one process for each core, then the pages from what these kept. Each paper's
# run.sh sources this at its end, with its own arguments, which are those of run.lua, and says before:
#
#   paper=FOLDER                 below demos/papers
#   names=(...) small_names=(...)   programs, the longest first, so that they don't end last and alone
#   beside=(...)                 pages that need no runs, made beside these; they come first
#   pages=(...)                  the others in their order
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
export -f work
printf '%s\n' "${beside[@]/%/.md}" "${names[@]}" | sed '/^$/d' |
	xargs -P "$(nproc)" -I WHAT bash -c 'work "$@"' work WHAT "$@" || exit

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
	printf '# %s\n\nMade by `make papers`; [README.md](README.md) says how, and what it means.\n\n' "$title"
	sed "s#]($out/#](#" "$out/$result.new"
} >"$out/$result" && rm "$out/$result.new"
cat "$out/$result"
echo "$out/$result, after $SECONDS s"
