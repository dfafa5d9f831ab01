# For gdb-multiarch, beside tests/edit/busy.c: from busy() on instruction by instruction until it returns, and says how often the way back was not
# busy, outer, main, or the line none of the source's.
set pagination off
set confirm off
break busy
continue
python
steps = wrong = 0
def way():
    frame, names = gdb.newest_frame(), []
    try:
        while frame is not None:
            names.append(frame.name())
            frame = frame.older()
    except gdb.error as e:
        names.append(str(e))
    return names
while True:
    names = way()
    if names[0] == "outer":
        break
    line = gdb.newest_frame().find_sal().line
    steps += 1
    if names != ["busy", "outer", "main"] or not 5 <= line <= 31:
        wrong += 1
        print("wrong: at", hex(gdb.newest_frame().pc()), "line", line, names)
        if wrong > 9 or not gdb.selected_inferior().pid:
            break
    gdb.execute("stepi", to_string=True)
print(steps, "steps,", wrong, "wrong")
end
kill
