# Ctrl-C at a peer and at the server, and peers that go in the middle of a motion.
import os
import signal
import time

from peer_kit import GUEST, Peer, Server, check, hexed, symbol


def going(folder):
    path = folder + "/socket"
    server = Server("--listen", "unix:" + path, GUEST, "spin")
    peer = Peer(path)
    peer.send("vCont;c")
    server.moves()
    peer.raw(b"\x03")
    check("Ctrl-C", peer.receive().startswith(b"T02"))
    before = peer.ask("g")
    check("it stands still", peer.ask("g") == before)
    peer.raw(b"\x03")
    check("Ctrl-C between two steps", peer.ask("s").startswith(b"T02") and peer.ask("g") == before)
    check("stops one of them", peer.ask("s").startswith(b"T05") and peer.ask("g") != before)
    before = peer.ask("g")
    # A reverse search without a hit: the peer disconnects meanwhile, and the program has not moved.
    peer.ask("Z2,%s,4" % symbol("text"))
    peer.send("bc")
    peer.close()
    peer = Peer(path)
    now = peer.ask("g")
    check("a search backwards that was left has moved nothing, or all the way", now == before
        or peer.ask("?") and now != b"", now[:40])
    peer.send("vCont;c")
    peer.close()
    peer = Peer(path)
    check("forwards it stops where it was left", peer.ask("g") != b"")
    check("its breakpoints are gone", peer.ask("bc").find(b"replaylog:begin") > 0)
    peer.send("D")
    check("detached", peer.receive() == b"OK")
    peer = Peer(path)
    check("and there again", b"%s" % peer.ask("?")[:3] == b"T05")
    for half in (b"$", b"$m", b"$m0,4#", b"$m0,4#0", b"\x03", b"+-+-", b"$X0,4:}", b"$$$$#00"):
        peer.raw(half)
        peer.close()
        peer = Peer(path)
    check("half packets", peer.ask("?")[:3] == b"T05")
    peer.send("qRcmd," + hexed("continue"))
    kept = peer.receive()
    check("a long command keeps gdb from giving up", kept == b"O", kept)
    check("a peer that has stopped waiting gets an answer to its next request", peer.ask("qC") == b"QC3e8")
    check("and the command has ended", peer.ask("?")[:3] == b"T05")
    peer.send("vCont;c")
    server.moves()
    server.process.send_signal(signal.SIGINT)
    check("Ctrl-C at the server", peer.receive().startswith(b"T02"))
    peer.close()
    check("it ends", server.end()[0] == 0)

    # One Ctrl-C is enough at any moment of a run whose peer leaves.
    for moment in range(12):
        server = Server("--listen", "unix:" + path, GUEST, "spin")
        peer = Peer(path)
        peer.send("vCont;c")
        time.sleep(moment // 2 * 0.002)
        if moment % 2:
            peer.close()
        server.process.send_signal(signal.SIGINT)
        peer.close()
        check("moment %d: it ends" % moment, server.end(None)[0] == 0)

    # The program waits for input, from a pipe that stays empty.
    reading, writing = os.pipe()
    server = Server("--listen", "unix:" + path, GUEST, stdin=reading)
    peer = Peer(path)
    peer.send("c")
    time.sleep(0.5)
    peer.raw(b"\x03")
    check("Ctrl-C while it waits", peer.receive().startswith(b"T02"))
    os.write(writing, b"hello")
    os.close(writing)
    check("what it returned", peer.ask("c") == b"W07")
    status, out, err = server.end(None)
    check("its output and status", status == 7 and out == b"sum 174\nread hello\n",
        (status, out, err))
    os.close(reading)
