#!/usr/bin/env python3
"""Rejects include cycles between the folders of the program. usage: check_cycles.py ROOT

Prints the includes of each cycle and exits with 1 when there is one. Also rejects includes of files that do not exist.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"((?:app|core|gpu|ui)/[^"]+)"', re.M)


def includes_by_folder(root):
    """Returns {(folder, included folder): [one line per include]} and the includes that lead nowhere."""
    edges, missing = {}, []
    for top in ("app", "core", "gpu", "ui"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".cu", ".cuh"):
                continue
            for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
                line = f"{path.relative_to(root)}: {name}"
                if not (root / name).exists() and not name.endswith(".pb.h"):
                    missing.append(line)
                edge = (path.parent.relative_to(root).as_posix(), name.rpartition("/")[0])
                if edge[0] != edge[1]:
                    edges.setdefault(edge, []).append(line)
    return edges, missing


def reachable(start, edges):
    found, waiting = set(), [start]
    while waiting:
        folder = waiting.pop()
        for source, target in edges:
            if source == folder and target not in found:
                found.add(target)
                waiting.append(target)
    return found


def main():
    edges, missing = includes_by_folder(pathlib.Path(sys.argv[1]).resolve())
    assert edges, "no includes found: wrong ROOT?"
    for line in missing:
        print(f"no such file: {line}")
    reach = {source: reachable(source, edges) for source, _ in edges}
    cyclic = [edge for edge in edges if edge[0] in reach.get(edge[1], ())]
    for edge in sorted(cyclic):
        print(f"cycle: {edge[0]} -> {edge[1]}")
        for line in edges[edge]:
            print(f"    {line}")
    return 1 if missing or cyclic else 0


sys.exit(main())
