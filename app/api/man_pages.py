#!/usr/bin/env python3
"""Writes manual pages of section 3 from public headers: one that has all of a header, and one per function that refers to it.

usage: man_pages.py FOLDER HEADER...
"""
import pathlib
import re
import sys


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def verbatim(text):
    return f".PP\n.nf\n{roff(text)}\n.fi\n"  # tables, lists and declarations stay as the header has them


def prose(comment):
    """Returns the text between /* and */, without the stars of the margin."""
    return re.sub(r"^ \* ?", "", comment.strip()[2:-2].strip(), flags=re.MULTILINE)


def page(header, version):
    comment, body = re.match(r"(/\*.*?\*/)\n(.*)", header.read_text(), re.DOTALL).groups()
    body = re.sub(r"^#ifdef __cplusplus\n[\s\S]*?^#endif\n|^#if.*\n(#define .*_H$)?|^#(else|endif)$|^#define THRONG_API.*"
                  r"|^THRONG_API ", "", body, flags=re.MULTILINE)
    body = re.sub(r"(static inline [^{]*?) \{\n.*?^\}", r"\1;", body, flags=re.DOTALL | re.MULTILINE)
    out = (f".TH {header.stem.upper()} 3 \"\" \"Throng {version}\" \"Libraries of Throng\"\n"
           f".SH NAME\n{header.stem} \\- {roff(re.split('[.:;] ', prose(comment))[0])}\n"
           f".SH SYNOPSIS\n.B #include <{header.name}>\n.SH DESCRIPTION\n{verbatim(prose(comment))}.SH DECLARATIONS\n")
    for block in filter(None, (block.strip("\n") for block in re.split(r"\n\n+", body))):
        lead = re.match(r"(/\*(?:(?!\*/).)*\*/)\n(.*)", block, re.DOTALL)
        out += verbatim(f"{prose(lead[1])}\n\n{lead[2]}" if lead else block)
    return out + ".SH SEE ALSO\n.BR throng (1)\n"


def main():
    folder, *headers = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    version = re.search(r'THRONG_VERSION "(.*)"', (headers[0].parent / "throng_types.h").read_text())[1]
    for header in headers:
        (folder / f"{header.stem}.3").write_text(page(header, version))
        for function in re.findall(r"^(?:THRONG_API|static inline) [^(]*?\b(\w+)\(", header.read_text(), re.MULTILINE):
            (folder / f"{function}.3").write_text(f".so man3/{header.stem}.3\n")


if __name__ == "__main__":
    main()
