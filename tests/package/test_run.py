#!/usr/bin/env python3
"""app/run fetches the recommended network once, may be told not to, and starts without it.

usage: test_run.py ROOT
The script runs in a copy of its folders, with commands in place of the setup, CMake and the program that write down how
they were called.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

root = None


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.copy = pathlib.Path(folder.name)
        (self.copy / "app").mkdir()
        shutil.copy(root / "app/run", self.copy / "app/run")
        self.command("configs/setup", "exit 0")
        self.command("bin/cmake", "exit 0")
        self.fetch_ends_with(0)

    def command(self, name, text):
        path = self.copy / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def fetch_ends_with(self, status):
        self.command("build/bin/throng", f'echo "$*" >> {self.copy}/calls\n[ "$1" != models ] || exit {status}')

    def run_it(self, *arguments, **variables):
        """Returns the calls of the program."""
        (self.copy / "calls").unlink(missing_ok=True)
        environment = {**os.environ, "PATH": f"{self.copy}/bin:{os.environ['PATH']}", **variables}
        if "TH_FETCH" not in variables:
            environment.pop("TH_FETCH", None)
        subprocess.run([self.copy / "app/run", *arguments], env=environment, check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return (self.copy / "calls").read_text().splitlines()

    def test_the_network_is_fetched_once(self):
        self.assertEqual(self.run_it("info"), ["models fetch", "info"])
        self.assertEqual(self.run_it("info"), ["info"])

    def test_without_a_connection_the_program_starts_and_does_not_ask_again(self):
        self.fetch_ends_with(3)
        self.assertEqual(self.run_it("info"), ["models fetch", "info"])
        self.assertEqual(self.run_it("info"), ["info"])

    def test_a_variable_declines(self):
        self.assertEqual(self.run_it("info", TH_FETCH="OFF"), ["info"])
        self.assertEqual(self.run_it("info"), ["models fetch", "info"], "declined for that run only")


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
