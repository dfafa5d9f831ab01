#!/bin/bash
# `export html`: the page's data against a trace of the same cycles and the statistics, its
# rendering in a browser, and refusals.
# shellcheck source=tests/lib.sh
. tests/lib.sh
here=$PWD/tests/html
demos=$PWD/build/demos
cp demos/programs/input/words.txt "$dir"
cd "$dir" || exit 1

# Its contents: each row against Konata's trace, the stack against the region's statistics, letters
# against stamps.
compared() { # FROM TO OPTIONS...
	local from=$1 to=$2
	shift 2
	rm -f page.html k
	run 0 inspect --batch "$@" -e "goto $((to + 200))" -e "export html page.html $from $to" \
		-e "trace konata k $from $to" "${program[@]}"
	run 0 inspect --batch "$@" -e "goto $((to + 200))" -e "stats $from $to --json" \
		"${program[@]}"
	cp out stats.json
	passes "rows are the trace's, slots the statistics'" python3 "$here/check.py" page.html k \
		stats.json "$from" "$to"
}
program=("$demos/sort" -n 1000 words.txt)
compared 14000 16500
compared 0 3000
program=("$demos/fib")
compared 30000 32000 --config wide6
compared 30000 31000 --config classic5
compared 30000 31000 -o pipe.rob_size=8 -o bpred.kind=nottaken

program=("$demos/sort" -n 1000 words.txt)
# Two thousand instructions unless another region is named, and small.
run 0 inspect --batch -e 'goto 60000' -e 'export html page.html --force' \
	-e 'export html short.html since -300' "${program[@]}"
check 'at most two megabytes' [ "$(stat -c %s page.html)" -lt 2000000 ]
check 'about two thousand rows' python3 - <<-'END'
	import json, re
	n = len(json.loads(re.search(r'id="data">\n(.*?)</script>', open("page.html").read(), re.S)[1])["rows"])
	raise SystemExit(not 1990 <= n <= 2300)
END
check 'nothing comes from elsewhere' bash \
	-c '! grep -qE "(src|href)=|url\(|@import|https?:|fetch\(" page.html'

# A browser: see drive.js. Its output stands in the page's text.
if command -v chromium >/dev/null; then
	browse() { # PAGE [#FRAGMENT]
		python3 - "$1" "$here/drive.js" <<-'END'
			import sys
			page = open(sys.argv[1]).read()
			open("driven.html", "w").write(page.replace("</body>", "<script>" + open(sys.argv[2]).read() + "</script></body>"))
		END
		timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
			--user-data-dir="$dir/chromium" --window-size=1300,800 \
			--enable-logging=stderr \
			--virtual-time-budget=4000 --dump-dom "file://$dir/driven.html${2:-}" >dom \
			2>browser.err
	}
	HOME=$dir browse page.html
	check 'no error on the console' bash -c '! grep -q ":CONSOLE" browser.err'
	while IFS= read -r line; do
		case $line in
		'ok '*) check "$line" true ;;
		'not ok '*) check "$line" false ;;
		esac
	done < <(sed -n '/<pre id="results">/,/<\/pre>/p' dom |
		sed 's/.*<pre id="results">//; s/<\/pre>.*//; s/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g')
	check 'all of it was tried' grep -q '^done' dom
	seq=$(python3 -c 'import json, re; print(json.loads(re.search(r"id=\"data\">\n(.*?)</script>", open("page.html").read(), re.S)[1])["rows"][700][0])')
	HOME=$dir browse page.html "#seq=$seq"
	check "the address names an instruction" grep -q "<div class=\"mono\">#$seq  " dom
	HOME=$dir browse short.html
	check 'no error on the console' bash -c '! grep -q ":CONSOLE" browser.err'
else
	echo '# SKIP: no chromium: make setup'
fi

# User's names stay text.
cp "$demos/fib" 'a<b><script>"&'
run 0 inspect --batch -e 'goto 30000' -e 'export html odd.html since -200' './a<b><script>"&'
check 'one end of the data' [ "$(grep -c '</script>' odd.html)" = 2 ]
check 'the name is whole' grep -qF '"program":"a\u003cb>\u003cscript>\u0022&"' odd.html

# Refusals.
refused() { # TEXT COMMAND
	run 1 inspect --batch -e 'goto 1000' -e "$2" "$demos/fib"
	says err "$1"
}
refused 'there is no cycle in this region' 'export html no.html 500 500'
refused "'nonsense' is no region; expected [since NAME" 'export html no.html nonsense'
check 'nothing is left' [ ! -e no.html ]
run 1 inspect --batch -e 'goto 200000' -e 'export html no.html 0 200000' "$demos/sort" -n 1000 \
	words.txt
says err 'more than 50,000 instructions were there in cycles 0 to 200,000: name a shorter region, such as since -5000'
run 0 inspect --batch -e 'goto 30000' -e 'export html - since -50' "$demos/fib"
says out '<!doctype html>'
finish
