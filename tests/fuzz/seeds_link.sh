#!/bin/bash
# Lines of links, and a fragment: seeds_link.sh FOLDER
set -eu
mkdir -p "$1"
printf 'demo linked\narg 5\nconfig wide6\nset pipe.rob_size=48\nff 7\nwarm\ncycle 12\ninsts 3\nlayout memory\n\n' >"$1/demo"
printf 'text a.s 12\ntext b.s 4\nabi rars\ncycle 1\ninsts 0\ntree (rows 46 pipe 54 "mem sp 64")\n\n_start: nop\nnop\n' >"$1/texts"
printf '1.eNpLSc3NV0jLTOJKzs9Ly0xXSElNSyzNKeFKrkzOSVUwNjAw4MrMKy4pVjCxMOXiAgB1Og6J' >"$1/fragment"
