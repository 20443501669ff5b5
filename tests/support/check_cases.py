#!/usr/bin/env python3
"""Fails if a test case that passed in a release build did not run with a sanitizer, unless sanitized_cases.txt has it, and if
a case of that list did run or is unknown. Reads the logs of complete runs of ctest.
usage: check_cases.py asan|tsan RELEASE_FOLDER SANITIZER_FOLDER    (folders of builds)
"""
import fnmatch
import os
import re
import sys


def cases_of(build):
    """Returns PROGRAM/SUITE.CASE of each case that passed, and of each that ended in any way. A ctest that prints no cases is
    one of its name."""
    path = os.path.join(build, "Testing/Temporary/LastTest.log")
    with open(path, encoding="utf-8", errors="replace") as file:
        blocks = re.split(r"^\d+/\d+ Testing: ", file.read(), flags=re.M)[1:]
    passed, ended = set(), set()
    for block in blocks:
        name = block.split("\n", 1)[0].strip()
        for state, case in re.findall(r"\[ +(OK|SKIPPED|FAILED) +\] (\S+) \(\d+ ms\)", block):
            key = f"{name.rsplit('.', 1)[0]}/{case}"
            ended.add(key)
            if state == "OK":
                passed.add(key)
        if "[==========]" not in block:
            ended.add(name)
            if "\nTest Passed." in block:
                passed.add(name)
    return passed, ended


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sanitizer = sys.argv[1]
    release, known = cases_of(sys.argv[2])
    sanitized, _ = cases_of(sys.argv[3])
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sanitized_cases.txt")
    with open(path, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    patterns = [row[1] for row in rows if row[0] == sanitizer]

    def listed(case):
        return [pattern for pattern in patterns if fnmatch.fnmatchcase(case, pattern)]

    faults = [f"{case} passed in {sys.argv[2]} and did not run with {sanitizer}"
              for case in sorted(release - sanitized) if not listed(case)]
    faults += [f"{case} ran with {sanitizer}: remove it from the list"
               for case in sorted(release & sanitized) if listed(case)]
    unused = set(patterns).difference(*(listed(case) for case in known))
    faults += [f"{pattern}: {sys.argv[2]} has no such case" for pattern in sorted(unused)]
    for fault in faults:
        print(f"{path}: {fault}", file=sys.stderr)
    print(f"{sanitizer}: {len(release & sanitized)} of {len(release)} cases")
    sys.exit(1 if faults else 0)


main()
