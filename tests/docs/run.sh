#!/bin/bash
# The pages that people read: every link leads to a file of the tree, a heading of a page or a page
# of the generated reference. Links to other hosts are not followed. tests/teaching checks the
# output of sessions on them.
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
finish
