#!/bin/bash
# Pages: every link leads to a file of the tree, a heading of a page or a page of the generated
# reference. Links to other hosts are not followed. tests/teaching checks the output of sessions on
# them.
. tests/lib.sh
"$CYCLOPS" help --markdown "$dir/reference" >/dev/null
python3 tests/docs/links.py "$dir/reference" >"$dir/links"
while read -r verdict what; do
	check "$verdict $what" [ "$verdict" = ok ]
done <"$dir/links"
check "README has at most 130 lines of 100 columns" [ "$(wc -l <README.md)" -le 130 ]
none=$(python3 tests/docs/links.py --folders)
check "every folder of sources says what lives in it: $none" [ -z "$none" ]
none=$(python3 tests/docs/claims.py)
check "figures of claims.md are on the pages that it names: $none" [ -z "$none" ]
# The cheat sheet: its keys are keys, its commands commands.
"$CYCLOPS" help keys >"$dir/keys"
unknown=$(grep -E '^\| `.*\|.*\|.*\|.*\||^`:`' docs/cheatsheet.md | grep -oE '`[^`]+`' | tr -d '`' |
	while read -r key; do
		grep -qF -- "  $key " "$dir/keys" || echo "$key"
	done)
check "keys of the cheat sheet: $unknown" [ -z "$unknown" ]
unknown=$(sed -n '/^| command/,/^$/s/^| `\([a-z-]*\).*/\1/p' docs/cheatsheet.md |
	while read -r word; do
	"$CYCLOPS" help "$word" | grep -q "^$word" || echo "$word"
done)
check "commands of the cheat sheet: $unknown" [ -z "$unknown" ]
# The lecturer's kit: each lab has its usual mistakes and three oral questions, each slide a sheet.
make/kit.py "$dir/kit" >"$dir/sheets"
check "a sheet for each lab" [ "$(grep -c '/[0-9][0-9]-' "$dir/sheets")" = 12 ]
check "and each slide" [ "$(grep -c /slide- "$dir/sheets")" = "$(grep -c '^## ' docs/slides.md)" ]
for sheet in "$dir"/kit/[0-9]*.md; do
	check "${sheet##*/}: oral questions" \
		[ "$(sed -n '/^## Oral/,$p' "$sheet" | grep -c '^- .*?')" -ge 3 ]
	check "${sheet##*/}: mistakes" \
		[ "$(sed -n '/^## Usual/,/^## Oral/p' "$sheet" | grep -c '^| .* | `')" -ge 9 ]
done
finish
