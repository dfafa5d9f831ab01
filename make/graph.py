"""Circles of a graph, for make/check-circles.py and make/check-symbol-circles.py."""
import sys


def circles(graph):
    """Strongly connected components of more than one unit (Tarjan), the largest first. graph: of
    each unit, those that it uses."""
    index, low, stack, out = {}, {}, [], []
    sys.setrecursionlimit(10000)

    def visit(unit):
        index[unit] = low[unit] = len(index)
        stack.append(unit)
        for other in graph.get(unit, ()):
            if other not in index:
                visit(other)
                low[unit] = min(low[unit], low[other])
            elif other in stack:
                low[unit] = min(low[unit], index[other])
        if low[unit] == index[unit]:
            at = stack.index(unit)
            if len(stack) - at > 1:
                out.append(sorted(stack[at:]))
            del stack[at:]

    for unit in list(graph):
        if unit not in index:
            visit(unit)
    return sorted(out, key=lambda circle: (-len(circle), circle))
