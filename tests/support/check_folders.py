#!/usr/bin/env python3
"""Checks the includes between the folders of the program. usage: check_folders.py ROOT

Rejects cycles, includes of files that do not exist, and lines of folders.txt that allow less or more than the folder
includes. Prints each, a line as it would have to be, and exits with 1.
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


def read_table(root):
    """Returns {folder: what its line in folders.txt lets it include}: names of folders beside it, of files in such
    folders, and of other top folders. ["everything"] for the wiring."""
    rows = {}
    for line in (root / "tests/support/folders.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            folder, _, names = line.partition(":")
            rows[folder] = [name.strip() for name in names.split(",") if name.strip()]
    return rows


def row_of(folder, rows):
    """Returns the row of a folder, which may be that of a folder above it."""
    while folder and folder not in rows:
        folder = folder.rpartition("/")[0]
    return folder


def wrong_rows(edges, rows):
    """Returns a line for each row that differs from what the sources of its folder include."""
    used = {row: set() for row in rows}
    lines = set()
    for (source, target), includes in edges.items():
        row, other = row_of(source, rows), row_of(target, rows)
        if not row or not other:
            lines.add(f"no row for {target if row else source}")
        elif row != other and rows[row] != ["everything"]:
            top, _, name = other.partition("/")
            if top != row.partition("/")[0]:
                used[row].add(top)
                continue
            for line in includes:
                file = line.partition(": ")[2].partition("/")[2]
                used[row].add(file if file in rows[row] else name or top + "/")
    for row, names in used.items():
        if rows[row] != ["everything"] and set(rows[row]) != names:
            lines.add(f"{row}: {', '.join(sorted(names))}".rstrip())
    return [f"tests/support/folders.txt: {line}" for line in sorted(lines)]


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
    root = pathlib.Path(sys.argv[1]).resolve()
    edges, missing = includes_by_folder(root)
    assert edges, "no includes found: wrong ROOT?"
    for line in missing:
        print(f"no such file: {line}")
    reach = {source: reachable(source, edges) for source, _ in edges}
    cyclic = [edge for edge in edges if edge[0] in reach.get(edge[1], ())]
    for edge in sorted(cyclic):
        print(f"cycle: {edge[0]} -> {edge[1]}")
        for line in edges[edge]:
            print(f"    {line}")
    wrong = wrong_rows(edges, read_table(root))
    print("\n".join(wrong))
    return 1 if missing or cyclic or wrong else 0


sys.exit(main())
