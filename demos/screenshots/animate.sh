#!/bin/bash
# Makes one SVG that moves of several pictures of one size, as demos/screenshots/svg.c writes them:
# each is shown for a moment, again and again. Where nothing moves, or motion is switched off, the
# first is seen.
#
#   demos/screenshots/animate.sh SECONDS FRAME.svg... >moving.svg
set -u
each=${1:?usage: animate.sh SECONDS FRAME.svg...}
shift
[ $# -gt 1 ] || { echo 'usage: animate.sh SECONDS FRAME.svg...' >&2; exit 1; }
# The text before the first line of the screen is the same in all of them.
sed '/^<g font-family/q' "$1"
awk -v n=$# -v each="$each" 'BEGIN {
	printf "<style>.f{visibility:hidden;animation:f %gs step-end infinite}.f:first-of-type{visibility:visible}", n * each
	printf "@keyframes f{0%%{visibility:visible}%.4f%%{visibility:hidden}}", 100 / n
	print "@media (prefers-reduced-motion:reduce){.f{animation:none}}</style>"
}'
i=0
for frame; do
	awk -v at="$(awk -v i=$i -v n=$# -v each="$each" 'BEGIN { printf "%g", (i - n) * each }')" \
		'/^<g font-family/ { on = 1; printf "<g class=\"f\" style=\"animation-delay:%ss\">\n", at; next } on && /^<\/g>/ { print; exit } on' "$frame"
	i=$((i + 1))
done
printf '</g>\n</svg>\n'
