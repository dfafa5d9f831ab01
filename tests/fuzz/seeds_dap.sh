#!/bin/bash
# Seeds of fuzz_dap: editors' messages of all kinds.
#   tests/fuzz/seeds_dap.sh FOLDER
mkdir -p "$1" && cd "$1" || exit 1
# say FILE COMMAND ARGUMENTS [COMMAND ARGUMENTS...]: a conversation, attached
say() {
	local file=$1 seq=1
	shift
	set -- initialize '{"adapterID":"x"}' attach '{}' configurationDone '{}' "$@"
	while [ $# -gt 1 ]; do
		printf '{"seq":%d,"type":"request","command":"%s","arguments":%s}\n' $((seq++)) \
			"$1" "$2"
		shift 2
	done >"$file"
}
t='{"threadId":1000}'
say look threads '{}' stackTrace "$t" scopes '{"frameId":1}' variables '{"variablesReference":1}' \
	variables '{"variablesReference":2}' variables '{"variablesReference":3}' \
	variables '{"variablesReference":4,"format":{"hex":true}}' disassemble \
	'{"memoryReference":"0x10000","instructionOffset":-4,"instructionCount":9}' \
	readMemory '{"memoryReference":"0x10000","offset":4,"count":40}' completions \
	'{"text":"rev","column":4}' exceptionInfo '{}'
say move setFunctionBreakpoints '{"breakpoints":[{"name":"main"}]}' continue "$t" next "$t" stepIn \
	'{"threadId":1000,"granularity":"instruction"}' stepBack "$t" \
	stepBack '{"threadId":1000,"granularity":"instruction"}' stepOut "$t" reverseContinue "$t" \
	cyclops/stepCycles '{"cycles":9}' cyclops/stepCycles '{"cycles":-3}' cyclops/reverseFinish \
	"$t"
say break setBreakpoints '{"source":{"path":"/x/guest.c"},"breakpoints":[{"line":20,"condition":"1","hitCondition":">= 2"},{"line":30,"logMessage":"{$a0} {x"}]}' \
	setInstructionBreakpoints \
	'{"breakpoints":[{"instructionReference":"0x10600","offset":2}]}' dataBreakpointInfo \
	'{"name":"total"}' \
	setDataBreakpoints '{"breakpoints":[{"dataId":"0x75000/8","accessType":"readWrite"}]}' setExceptionBreakpoints '{"filters":["mispredictions"],"filterOptions":[{"filterId":"l2_misses","condition":"latency > 9"}]}' \
	continue "$t" exceptionInfo '{}' breakpointLocations \
	'{"source":{"path":"guest.c"},"line":1,"endLine":40}' continue "$t" reverseContinue "$t"
say change evaluate '{"expression":"$a0 = 5","context":"repl"}' evaluate \
	'{"expression":"goto 300","context":"repl"}' evaluate \
	'{"expression":"*argv","frameId":1,"context":"hover"}' scopes '{"frameId":1}' \
	setVariable '{"variablesReference":4,"name":"a1","value":"7"}' setExpression \
	'{"expression":"$t0","value":"1"}' writeMemory \
	'{"memoryReference":"0x3fffffff00","data":"AQID"}' restart '{}' pause "$t" cancel '{}' \
	terminate '{}' disconnect '{}'
printf '%s\n' '$Content-Length: 2' '{}' '[' '{"seq":1}' '{"seq":1,"type":"request","command":"x"}' \
	>damage
printf '$Content-Length: 99999999\r\n\r\n' >long
