#!/bin/bash
# An installed Cyclops is a course: `make install` into a folder provides tours, demos and the
# manual without the tree, and sessions write into the user's own folder only.
. tests/lib.sh
unset MAKEFLAGS MAKELEVEL MFLAGS
tree=$PWD
command="make install"
installs() { make --no-print-directory install INSTALL_DEMOS= DESTDIR="$dir/root" PREFIX=/usr \
	>"$dir/out" 2>"$dir/err"; }
check "it can be installed" installs
course=$dir/root/usr/share/cyclops
chmod -R a-w "$course"
find "$course" | sort >"$dir/before"

mkdir "$dir/home" "$dir/elsewhere"
export HOME=$dir/home
unset XDG_DATA_HOME XDG_CACHE_HOME
cd "$dir/elsewhere" || exit 1
CYCLOPS=$dir/root/usr/bin/cyclops
own=$HOME/.local/share/cyclops/course

run 0 tour
says out "  first      A first look"
run 0 tour --batch readfile
says out 'Catchpoint 1, syscall'
cp "$dir/out" "$dir/here"
(cd "$tree" && build/cyclops tour --batch readfile) >"$dir/there" 2>/dev/null
check "a tour is as in the tree" cmp -s "$dir/here" "$dir/there"
run 0 tour --batch firmware
run 0 demo
says out "  sort       a rhyming dictionary"
run 0 demo hello
says out 'Hello, cycle!'
run 0 demo readfile
says out '674 lines, 5644 words'
run 0 demo anagram
check "it says what it says in the tree" cmp -s "$dir/out" \
	"$tree/demos/programs/expected/anagram.out"
run 0 demo --batch -e 'tbreak main' -e continue -e list -e 'save place.ckpt' sort
check 'the source of main is listed' grep -qE '^=>310	' "$dir/out"
check "what a session writes is one's own" [ -s "$own/place.ckpt" ]
run 0 demo --batch -e 'x/i $pc' scenarios/forwarding
run 125 demo nosuch
says err "there is no demo: nosuch; \`cyclops demo\` lists them"
run 125 demo --help-me
says err 'expected cyclops demo'
run 0 manual
says out '  start                Get started'
says out '  sastry2001           Rapid profiling'
run 0 manual start
check "the page as it is" cmp -s "$dir/out" "$tree/docs/start.md"
run 125 manual strat
says err "no page is called 'strat'; did you mean 'start'?"
printf '# Mine\n\nSee **this**.\n' >mine.md
run 0 manual --to sheets.html cheatsheet ./mine.md lab1
check "the chosen pages are one, each a sheet" [ "$(grep -c '<section id=' sheets.html)" = 3 ]
check "with pages of one's own" grep -q '<p>See <b>this</b>.</p>' sheets.html
run 125 manual --to none.pdf cheatsheet
says err 'none.pdf: pages are written as HTML; expected FILE.html'
run 125 manual --to none.html cheatshee
says err "no page is called 'cheatshee'; did you mean 'cheatsheet'?"
run 125 manual --to none.html ./nosuch.md
says err './nosuch.md: expected a page of Markdown'
check "nothing is written then" [ ! -e none.html ]
rm mine.md sheets.html
run 0 manual --browser
page=$HOME/.local/share/cyclops/manual.html
says out "$page"
check "all pages are in it" [ "$(grep -c '<section id=' "$page")" -ge 20 ]
check "their links lead to each other" grep -q 'href="#start"' "$page"
check "headings have anchors" grep -q '<a id="start-[a-z-]*"></a></h2>' "$page"
check "pictures stand in it" [ "$(grep -c '<img src="data:image/svg+xml;base64,[A-Za-z0-9+/=]\{1000,\}"' "$page")" -ge 12 ]
check "each of them" [ "$(grep -c 'base64,"' "$page")" = 0 ]
check "markup is not text" python3 - "$page" <<'PAGE'
import html.parser, re, sys
class Prose(html.parser.HTMLParser):
    inside, bad = 0, []
    def handle_starttag(self, tag, attrs):
        self.inside += tag in ("pre", "code", "style")
    def handle_endtag(self, tag):
        self.inside -= tag in ("pre", "code", "style")
    def handle_data(self, data):
        if not self.inside:
            self.bad += re.findall(r"\*\*[^*]+\*\*|(?<![\w*])\*\w[^*\n]*\w\*(?![\w*])|!?\[[^]]*\]\([^)]*\)|^\|.*\|", data)
prose = Prose()
prose.feed(open(sys.argv[1]).read())
sys.exit(" ".join(prose.bad[:5]) or 0)
PAGE
# Wide code, tables and long words scroll or break, so that the page fits a narrow window.
check "boxes scroll" [ "$(grep -cE '^(pre|table)\{.*overflow-x:auto' < <(grep -oE '(pre|table)\{[^}]*\}' "$page"))" = 2 ]
check "code is no markup" grep -q '&lt;' "$page"
for file in demos/tours/first.cyc demos/scenarios/lab.lua demos/coursework/grade.lua \
	demos/firmware/sampler.c build/demos/firmware/sampler.elf \
	demos/microcode/first.mic demos/plugins/gshare.lua demos/sweeps demos/papers/README.md \
	demos/programs/sort.c build/demos/xprof/blocks; do
	check "$file is installed" [ -s "$course/$file" ]
done
find "$course" | sort >"$dir/after"
check "nothing is written into what is installed" cmp -s "$dir/before" "$dir/after"
check "nor where we are" [ -z "$(ls -A "$dir/elsewhere")" ]

# After a move, links lead to the new place.
mv "$dir/root" "$dir/moved"
CYCLOPS=$dir/moved/usr/bin/cyclops
run 0 demo hello
says out 'Hello, cycle!'
chmod -R u+w "$dir/moved"
finish
