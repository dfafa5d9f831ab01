# For tests of pages in a browser. Needs tests/lib.sh, and a folder $dir/site.

# in_browser NAME FILE.js <NAMES: runs FILE.js of $dir/site in a page of its own beside the pages or
# pictures that stdin names, which are its constant NAME. Each of its lines is a check.
in_browser() {
	local line all=0
	{
		echo '<!doctype html><meta charset="utf-8"><title>driver</title><body><script>const' \
			"$1 = ["
		sed 's/.*/"&",/'
		echo "]</script><script src=\"$2\"></script>"
	} >"$dir/site/driver.html"
	while IFS= read -r line; do
		case $line in
		'ok '*) check "$line" true ;;
		'not ok '*) check "$line" false ;;
		done) all=1 ;;
		esac
	done < <(python3 tests/site/browse.py "$dir/site" "$dir")
	check 'all of them were tried' [ $all = 1 ]
}
