#!/usr/bin/env python3
"""Reads programs, libraries and modules as ELF files: all are hardened, and those of suppression need few libraries.

usage: test_binaries.py READELF FILE...       a file named *nms*: may need the libraries of C++ only, and Highway if shared
"""
import re
import subprocess
import sys
import unittest

readelf, files = None, []
CPP = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1"}


def read(*arguments):
    return subprocess.run([readelf, "--wide", *arguments], check=True, capture_output=True, text=True).stdout


class Binaries(unittest.TestCase):
    def test_are_hardened(self):
        for file in files:
            text = read("--file-header", "--program-headers", "--dynamic", "--dyn-syms", file)
            for what, pattern in {
                "is not position-independent": r"Type: +DYN ",
                "has relocations that remain writable": r"GNU_RELRO ",
                "binds functions while it runs": r"FLAGS_1\).* NOW",
                "has an executable stack": r"GNU_STACK.* RW ",
                "has no stack protector": r"UND __stack_chk_fail@",
            }.items():
                with self.subTest(file=file):
                    self.assertIsNotNone(re.search(pattern, text), f"{file} {what}")
            with self.subTest(file=file):
                self.assertIsNone(re.search(r"TEXTREL", text), f"{file} changes its code")
                # FORTIFY always replaces them, others only where the compiler finds the size of an array.
                self.assertIsNone(re.search(r"UND (v?[fd]?printf|longjmp)@", text), f"{file} is not fortified")
        self.assertIn("_chk@", "".join(read("--dyn-syms", file) for file in files), "nothing is fortified")

    def test_suppression_needs_few_libraries(self):
        few = [file for file in files if "nms" in file.rsplit("/", 1)[-1]]
        self.assertTrue(few or not files)
        for file in few:
            needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", read("--dynamic", file)))
            needed = {name for name in needed if not name.startswith("ld-linux")}
            self.assertLessEqual(needed, CPP | {"libhwy.so.1"}, file)


if __name__ == "__main__":
    readelf, *files = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
