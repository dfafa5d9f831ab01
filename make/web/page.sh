#!/bin/bash
# Puts the page of ui/web/ around the program for browsers: page.sh FOLDER [CACHE]
#
# FOLDER has cyclops.js, cyclops.wasm, files.json, texts.data and files/ by then. xterm.js and its
# add-ons come from npm by name, once, into CACHE (build/web/npm).
set -eu
cd "$(dirname "$0")/../.."
folder=$1 cache=${2:-$1/npm}
packages='@xterm/xterm@5.5.0 @xterm/addon-fit@0.10.0 @xterm/addon-unicode11@0.8.0 @xterm/addon-canvas@0.7.0'

if [ "$(cat "$cache/packages" 2>/dev/null)" != "$packages" ]; then
	command -v npm >/dev/null || { echo 'make web needs npm, for xterm.js' >&2; exit 1; }
	mkdir -p "$cache"
	# shellcheck disable=SC2086 # words
	npm install --prefix "$cache" --no-audit --no-fund --ignore-scripts --silent $packages >&2
	echo "$packages" >"$cache/packages"
fi
xterm=$cache/node_modules/@xterm
for file in "$xterm"/xterm/lib/xterm.js "$xterm"/addon-*/lib/addon-*.js; do
	# without the name of a map that is not there
	sed '/^\/\/# sourceMappingURL=/d' "$file" >"$folder/${file##*/}"
done
cp "$xterm/xterm/css/xterm.css" "$folder"
for file in ui/web/*; do
	case $file in
	*.md | */service-worker.js) ;;
	*) cp "$file" "$folder" ;;
	esac
done
# Another version is another service worker, which fetches everything anew.
sums() {
	sha256sum ui/web/service-worker.js
	cd "$folder"
	sha256sum index.html ./*.css ./*.svg page.js worker.js xterm.js addon-*.js cyclops.js \
		cyclops.wasm files.json texts.data
}
version=$( (sums) | cut -d ' ' -f 1 | sha256sum | cut -c 1-16)
sed "s/@VERSION@/$version/" ui/web/service-worker.js >"$folder/service-worker.js"
