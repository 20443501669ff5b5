"""Copies headers; every struct that has a size in its first field, and throng_detection, gets further fields.

    lengthen_structs.py OUT_DIR HEADER...
"""

import pathlib
import re
import sys

STRUCT = re.compile(r"^typedef struct (\w+) \{\n.*?^\} \1;$", re.MULTILINE | re.DOTALL)

out = pathlib.Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
for name in sys.argv[2:]:
    header = pathlib.Path(name)
    text = STRUCT.sub(lambda found: found[0].replace(f"\n}} {found[1]};", f"\n    double added[8];\n}} {found[1]};"),
                      header.read_text(encoding="utf-8"))
    (out / header.name).write_text(text, encoding="utf-8")
