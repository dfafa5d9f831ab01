#!/bin/bash
# Seeds of fuzz_gdb: gdb's packets of all kinds.
#   tests/fuzz/seeds_gdb.sh FOLDER
mkdir -p "$1" && cd "$1" || exit 1
printf '%s\n' 'qSupported:multiprocess+;swbreak+;hwbreak+' QStartNoAckMode \
	'qXfer:features:read:target.xml:0,1000' 'qXfer:auxv:read::0,1000' \
	'qXfer:exec-file:read:3e8:0,100' 'qXfer:threads:read::0,100' 'Hgp0.0' 'qC' 'qfThreadInfo' \
	'?' g 'm10000,40' 'x10000,40' p20 p45 >look
printf '%s\n' 'Z0,10000,4' 'vCont;c:p3e8.-1' bs bs bc 'vCont;s' 'vCont;r10000,10010' 'z0,10000,4' \
	'Z2,20000,8' 'vCont;c' bc 'z2,20000,8' s >move
printf '%s\n' 'M20000,4:01020304' 'P5=0123456789abcdef' 'P20=0000010000000000' G00 'vCont;s' bs \
	'X20000,2:ab' 'vCont;s' bs bs >change
printf '%s\n' 'qRcmd,676f746f20323030' bs 'qRcmd,7768790a' 'qRcmd,7265766572736520' \
	'vFile:open:2f,0,0' 'vFile:open:2f70726f632f313030302f6d617073,0,0' \
	'vFile:fstat:0' 'vFile:pread:0,100,0' 'vFile:close:0' '!' vRun 'vKill;3e8' '?' >ours
printf '%s\n' '$m0,1#00' '$g#67' '$$g#67' '$X0,1:}' c >damage
