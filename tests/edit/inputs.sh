# shellcheck shell=bash disable=SC2034
# Arguments of the programs build/tests/edit/NAME, arguments[NAME]: as small as all their parts
# allow, since dozens of tests run them; with CYCLOPS_TEST_SCALE=long those of the demos. To be
# sourced after tests/lib.sh, with its `within` set to build: programs read files below this folder.
input=demos/programs/input made=${dir#"$PWD/"}
head -n 3000 $input/words.txt >"$made/words-3000.txt"
head -c 5000 $input/gpl-2.txt >"$made/text"
head -n 1000 $input/words.txt >"$made/words-1000.txt"
sed "/queens 7/d; s/queens 6/queens 5/g" $input/queens.lisp >"$made/queens.lisp"
head -n 4 $input/positions.txt >"$made/positions.txt"
printf '%s\n' 'perft 2 400 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1' \
	'search 2 - r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1' \
	>>"$made/positions.txt"
sed -i '/^perft 3/d' "$made/positions.txt"
python3 - $input/timezones.json "$made/zones.json" <<'END'
import itertools, json, sys
whole = json.load(open(sys.argv[1]))
few = {k: dict(itertools.islice(v.items(), 8)) if isinstance(v, dict) else v[:8] if isinstance(v, list) else v for k, v in whole.items()}
json.dump(few, open(sys.argv[2], "w"), indent=1)
END
declare -A arguments=(
	[anagram]=$made/words-3000.txt [hash]=$made/text [json]=$made/zones.json \
		[lisp]=$made/queens.lisp
	[regex]="$input/patterns.txt $made/text" [chess]=$made/positions.txt \
		[nbody]="$input/planets.txt 1" [sort]=$made/words-1000.txt
)
[ "${CYCLOPS_TEST_SCALE:-full}" != long ] ||
	arguments+=([anagram]=$input/words.txt [hash]=$input/words.txt \
		[json]=$input/timezones.json [lisp]=$input/queens.lisp
		[chess]=$input/positions.txt [nbody]=$input/planets.txt [sort]=$input/words.txt)
