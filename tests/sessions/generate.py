#!/usr/bin/env python3
"""generate.py PROGRAM SEED COUNT: sessions of a debugger, as lists of commands, in JSON.

The programs are list.c, numbers.c, shapes.cc and boxes.cc.

Every command means the same to gdb and to cyclops."""
import json
import random
import sys

name, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(f"{name}{seed}")

VALUES = {
    "list": """store shelf shelf.first *shelf.first shelf.first->name shelf.first->next->value
        shelf.label *shelf.label shelf.rank
        shelf.limits shelf.limits[1] shelf.limits[1][2] &shelf.limits[1] shelf.total
        shelf.count labels labels[1] &store[2] store[1].value.raw
        store[0].marks store[0].weight store[0].kind store[2]@2 *shelf.first->next calls
        push &push by_price sizeof(item) sizeof(shelf)
        s s->first s->count *s it *it it->name it->value.price got rank least h text seed ch
        *text values values[1] *values@3 n v i k
        all some deep run::all by_weight::asked 'list.c'::calls SHINY (enum kind)4 (enum
        marks)5 (enum_kind)""",
    "numbers": """bytes bytes[3] grid grid[1] *grid[1]@2 ratio sink flags flags.low flags.middle
        flags.high flags.on flags.wide both both.half both.number
        big zeros operations operations[1] &grid[1] &bytes[4] &flags sizeof(flags) add &mul
        a b r p p.x *q q q->y dx dy square root v n *v v[1]@2
        all steps count i k rows here origin values got far middle mixed c d run::got
        'numbers.c'::ratio (byte)300 (char)65 (float)3 both.bits""",
    "shapes": """a b box disc *all[0] all pile pile.all pile.all[1]@2 side r &r r+1 c d t add
        geo::count geo::Shape::made geo::Shape::most geo::Colour::green
        geo::RIGHT box.colour box.made box.label *box.label box.factor hidden this *this
        this->colour colour factor from to from.x centre radius w h
        label n x y *p p p.x o *o i s v *all all[1] sum geo::sum used count made most shown
        nothing geo::swap &geo::Shape::made
        (geo::Box*)all[0] *(geo::Disc*)all[1] (geo::Colour)5 (geo::Side)1 box.shown
        !box.shown a.x<b.x true sizeof(geo::Box) geo::twice<int>
        sizeof(Shape) Colour::red LEFT run::t geo::swap""",
    "boxes": """numbers none truths text empty longer names squares hashed seen set multi list deque
        pair tuple nothing perhaps never owned nobody shared
        second weak nested words shelf shelf.items shelf.stock shelf.best shelf.count &shelf
        sum i at place alias pointer *pointer name price
        &numbers *&names pair.first pair.second sizeof(text)""",
}[name].split()
NUMBERS = {
    "list": "shelf.count calls store[1].value.price store[0].weight values[0] all i n v shelf.limits[1][2] store[0].marks rank".split(),
    "numbers": "sink big got bytes[3] grid[1][2] flags.low flags.high flags.wide count i a b steps bytes[5] mixed c d ratio far".split(),
    "shapes": "a.x b.y t i r geo::count box.factor side pile.used pile.all[0] geo::Shape::made hidden n w x y by box.shown d geo::RIGHT geo::Shape::most".split(),
    "boxes": "sum i shelf.count price pair.first".split(),
}[name]
TYPES = {
    "list": "item,struct item,struct shelf,enum kind,shelf,shelf.first,*shelf.first,push,&push,shelf.rank,labels,it,s,values,unsigned long,char *".split(","),
    "numbers": "struct point,struct flags,union both,byte,operation,operations,flags.wide,both,p,q,here,values,mix,long long,&grid[1],bytes[0]".split(","),
    "shapes": "geo::Point,geo::Shape,geo::Box,geo::Disc,geo::Named,geo::Colour,geo::Side,box,stack,r,&r,a,c,side,this,*this,Shape,Point,run,p,all,add,bool,s,geo::sum,all[0]".split(","),
    "boxes": "Item,sum,run,price,pair.first,i,&sum".split(","),
}[name]
FUNCTIONS = {
    "list": "push by_price by_weight depth_of sum hash sort".split(),
    "numbers": "add mul length mean mix collatz fill".split(),
    "shapes": "geo::sum(int) geo::sum(int,int) sum(double,double) Box::area geo::Disc::area geo::Box::scale Shape::scale twice<int> swap push top bump total length".split(),
    "boxes": ["add"],
}[name]
# Places with filled containers: after the loop's beginning.
LINES = [n for n, line in enumerate(open("tests/sessions/boxes.cc"), 1)
         if any(text in line for text in ("numbers.push_back(i * i)", "perhaps = 7", "sum += ",
             "second = shared", "list.clear()", "shared.reset()", "printf("))]
OVERLOADED = "sum geo::sum geo::swap geo::twice<int> geo::Box::area".split()
TEXTS = {"list": "shelf.label,shelf.first->name,labels[0],text,&store[1].name".split(","),
    "numbers": "&bytes[3],bytes+3".split(","),
         "shapes": "box.label,&a,&pile,label".split(","),
             "boxes": ["&sum", "&i", "&shelf.count"]}[name]
PLACES = {
    "list": "shelf.count store[1].value.price store[0].weight calls values[0] store[0].kind shelf.total all".split(),
    "numbers": "sink big bytes[3] grid[1][2] flags.low flags.high ratio both.number got zeros[3]".split(),
    "shapes": "geo::count a.x b.y r box.factor box.colour side pile.all[1] hidden t box.shown factor to.x".split(),
    "boxes": "sum shelf.count i pair.first".split(),
}[name]


def constant():
    return random.choice(["0", "1", "2", "3", "7", "10", "-1", "0x10", "255", "1.5", "'a'", "100",
        "5u", "3L"])


def arithmetic(depth):
    if depth == 0:
        return random.choice(NUMBERS) if random.random() < 0.6 else constant()
    kind = random.random()
    if kind < 0.1:
        return random.choice(["-", "!", "~"]) + "(" + arithmetic(depth - 1) + ")"
    if kind < 0.16:
        return f"({arithmetic(depth - 1)} ? {arithmetic(0)} : {arithmetic(0)})"
    if kind < 0.24:
        return f"({random.choice(['char', 'unsigned char', 'short', 'long', 'unsigned', 'double', 'int'])})({arithmetic(depth - 1)})"
    operator = random.choice(["+", "-", "*", "/", "%", "&", "|", "^", "==", "!=", "<", ">", "<=",
        ">=", "&&", "||"])
    return f"({arithmetic(depth - 1)} {operator} {arithmetic(depth - 1)})"


def look():
    kind = random.random()
    if name == "boxes" and kind < 0.05:
        return f"print -elements {random.randint(1, 7)} -- " + random.choice(VALUES)
    if kind < 0.40:
        return "print " + random.choice(VALUES)
    if kind < 0.50:
        # gdb reads a function as the first byte of its code.
        return f"print/{random.choice('xduotc' if name != 'boxes' else 'x')} " + random.choice(
            [v for v in NUMBERS + VALUES if v not in FUNCTIONS + OVERLOADED])
    if kind < 0.66:
        return "print " + arithmetic(random.randint(1, 3))
    if kind < 0.70:
        return "print " + random.choice(["$", "$$", "$$2"])
    if kind < 0.78:
        return f"{random.choice(['ptype', 'whatis'])} " + random.choice(TYPES)
    if kind < 0.82:
        return "whatis " + arithmetic(2)
    if kind < 0.86:
        if name == "boxes":
            return "x/1dw " + random.choice(TEXTS)
        return f"x/{random.randint(1, 8)}{random.choice(['xb', 'xh', 'xw', 'dw', 'ub'])} " + random.choice(TEXTS)
    if kind < 0.89 and name != "boxes":
        return "x/s " + random.choice(TEXTS)
    if kind < 0.93:
        return "print %s %s %s" % (random.choice(PLACES), random.choice(["=", "+=", "-=", "*="]),
            random.choice(["1", "2", "7", "-3"]))
    if kind < 0.95:
        return f"set ${random.choice('ij')} = {arithmetic(1)}"
    if kind < 0.97:
        return f"print ${random.choice('ij')}"
    return "set variable %s = %s" % (random.choice(PLACES), random.choice(["4", "9"]))


def move():
    kind = random.random()
    if kind < 0.55:
        return random.choice(["next", "next", "next", "next 2"])
    if kind < 0.63:
        return "finish"
    if kind < 0.72:
        return "continue"
    if kind < 0.78:
        return "until"
    if kind < 0.82:
        return "advance " + random.choice(FUNCTIONS)
    if kind < 0.88:
        return f"break {random.choice(FUNCTIONS)}"
    if kind < 0.92:
        return f"tbreak {random.choice(FUNCTIONS)}"
    if kind < 0.95:
        return "delete"
    return random.choice(["stepi", "nexti"])


def session():
    start = "tbreak run"
    if name == "boxes" and random.random() >= 0.4:
        start = f"tbreak boxes.cc:{random.choice(LINES)}"
    commands = [start, "continue", "print 11", "print 22", "print 33"]
    for _ in range(random.randint(4, 14)):
        kind = random.random()
        if kind < 0.45:
            commands.append(move())
        elif kind < 0.52:
            commands.append(random.choice(["up", "down", "frame 1", "frame 0"]))
        elif kind < 0.58:
            commands.append("backtrace")
        else:
            commands.append(look())
    return commands


json.dump([session() for _ in range(count)], sys.stdout)
