#!/usr/bin/env python3
"""Compares what a bundle needs of the system with bundle-needs.txt: libraries, and the newest versions of their symbols.

usage: bundle_needs.py FOLDER [--renew]
"""
import pathlib
import re
import subprocess
import sys

record = pathlib.Path(__file__).with_name("bundle-needs.txt")


def read(*arguments):
    return subprocess.run(["readelf", "--wide", *arguments], check=True, capture_output=True, text=True).stdout


def number(version):
    return [int(part) for part in re.findall(r"\d+", version)]


def needs_of(folder):
    """Returns {library: {family of versions: newest}}."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    inside = {path.name for path in files}
    needs = {}
    for file in files:
        text = read("--dynamic", "--version-info", file)
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text):
            if name not in inside and not name.startswith("ld-linux"):
                needs.setdefault(name, {})
        for name, versions in re.findall(r"Version: \d+  File: (\S+)  Cnt: \d+\n((?:.*Name: .*\n)*)", text):
            if name not in needs:
                continue
            for version in re.findall(r"Name: (\S+)", versions):
                family = version.rstrip("0123456789.").rstrip("_")
                newest = needs[name].get(family, version)
                needs[name][family] = max(newest, version, key=number)
    return needs


def lines_of(folder):
    needs = needs_of(folder)
    lines = {f"{name} {version}" for name, versions in needs.items() for version in versions.values()}
    return lines | {name for name, versions in needs.items() if not versions}


def main():
    now = lines_of(pathlib.Path(sys.argv[1]))
    if not now:
        sys.exit(f"no program in {sys.argv[1]}")
    if "--renew" in sys.argv:
        known = set(record.read_text().splitlines()) if record.exists() else set()
        record.write_text("\n".join(sorted(known | now)) + "\n")
    if more := sorted(now - set(record.read_text().splitlines())):
        sys.exit(f"needs of the system what {record.name} does not have: {', '.join(more)}")
    print(f"needs nothing of the system but the {len(now)} lines of {record.name} that concern it")


main()
