#!/usr/bin/env python3
"""Checks the relative links, images and anchors of all Markdown files. usage: check_links.py ROOT

Prints each that leads nowhere, and exits with 1.
"""
import pathlib
import re
import subprocess
import sys

FENCE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)")
HEADING = re.compile(r"^#+ +(.*?)[# ]*$", re.M)


def anchors(text):
    """Returns the anchors of the headings, as GitHub makes them."""
    found = set()
    for title in HEADING.findall(re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)):
        title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower()
        anchor = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        number = 0
        while (name := anchor + (f"-{number}" if number else "")) in found:
            number += 1
        found.add(name)
    return found


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    files = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.md"], stdout=subprocess.PIPE, check=True, text=True)
    wrong = []
    for name in files.stdout.splitlines():
        path = root / name
        if not path.exists():  # removed, not committed yet
            continue
        text = path.read_text(encoding="utf-8")
        for link in LINK.findall(FENCE.sub("", text)):
            if re.match(r"[a-z]+:", link):
                continue
            target, _, anchor = link.partition("#")
            place = (path.parent / target).resolve() if target else path
            if not place.exists() or not place.is_relative_to(root):
                wrong.append(f"{name}: no such file: {link}")
            elif anchor and (place.suffix != ".md" or anchor not in anchors(place.read_text(encoding="utf-8"))):
                wrong.append(f"{name}: no such heading: {link}")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


sys.exit(main())
