"""Lets calls of the C library fail while the program works, one in each run, and looks at what the program makes of it.

    tests/faults/run.py build/bin/throng build/tests/inject_faults.so [--seed N] [--faults N | --all] [--only TEXT]

Each run has a command, a kind of call, an effect, and the number of the call that has it (inject.cpp), in a folder of its
own. A run may end in two ways. Status 0: its results are those of a run without a fault. Another status: the program ended by
itself, said why, changed no input, left no file that is neither the earlier nor the right one but those that grow while it
runs, and the same command without a fault repairs all. Without --all, --faults runs are chosen by the seed, which is printed. It
is fixed, so that a failure does not come and go; --seed $RANDOM tries others. The clock of the day is in the names of no result:
only telemetry and the Date of HTTP read it.
Exit status 1 if a run does anything else.
"""

import argparse
import errno
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

LIMIT = 300  # seconds for one command, which ends a hang
VOLATILE = {"timings_ms", "seconds", "fps", "stages", "run", "started", "date", "time", "version", "created", "resumed"}
EFFECTS = {
    "open": [errno.EMFILE, errno.EIO, errno.ENOENT, "stop"],
    "create": [errno.ENOSPC, errno.EACCES, "kill"],
    "read": [f"{errno.EIO}+", errno.EINTR, "short", "stop"],
    "write": [f"{errno.ENOSPC}+", errno.EIO, errno.EINTR, "short", "kill"],
    "fsync": [errno.EIO, "kill"],
    "rename": [errno.EIO, errno.EXDEV, "kill"],
    "unlink": [errno.EIO, "kill"],
    "mkdir": [errno.ENOSPC],
    "truncate": [errno.EIO],
    "thread": [errno.EAGAIN],
    "memory": [errno.ENOMEM],
}
# Libraries that OpenCV loads to read images and that abort without memory: an initializer that throws, and CPLMalloc.
ABORT = ("libcharls.so", "libgdal.so")
HARMLESS = {str(errno.EINTR), "short", "stop"}  # after these the results are right


class Case:
    """A command; {out} is the folder of its results, {in} that of its inputs."""

    def __init__(self, name, arguments, *, before=(), growing=(), repair=()):
        self.name = name
        self.arguments = arguments
        self.before = before  # commands that must succeed first
        self.growing = tuple(growing)  # ends of names: written while the program runs, so they may be incomplete after a failure
        self.repair = repair  # what the command needs to continue a run


DETECTOR = ["--detector", "haar", "--min-size", "24", "--min-confidence", "0", "--backend", "cpu"]
# They say what failed; of an input that cannot be read to its end, all that was decoded is hidden.
REPORTS = ["report.json", "report.html", "hidden.mp4", "clip.mp4", "regions.jsonl"]
CASES = [
    Case("json", ["detect", "{in}/clip.mp4", "--json", "{out}/faces.jsonl", "--track", "--summary", "{out}/sum.json", *DETECTOR],
         growing=["faces.jsonl", "sum.json"]),
    Case("video", ["detect", "{in}/clip.mp4", "--video", "{out}/faces.mp4", "--blur", *DETECTOR], growing=["faces.mp4"]),
    Case("folder", ["detect", "{in}/photos", "--out", "{out}/faces", *DETECTOR], repair=["--resume"]),
    Case("segments", ["detect", "{in}/clip.mp4", "--out", "{out}/faces", "--segment", "1", *DETECTOR], repair=["--resume"]),
    Case("anonymize", ["anonymize", "{in}/clip.mp4", "--out", "{out}/hidden.mp4", "--regions", "{out}/regions.jsonl",
                       *DETECTOR[:4], "--backend", "cpu"], growing=REPORTS),
    Case("anonymize folder", ["anonymize", "{in}/photos", "{in}/clip.mp4", "--out", "{out}/hidden", *DETECTOR[:4], "--backend",
                              "cpu"], growing=REPORTS, repair=["--resume"]),
    Case("merge", ["merge", "{out}/faces", "--json", "{out}/all.jsonl", "--csv", "{out}/all.csv"],
         growing=["all.jsonl", "all.csv"],
         before=[["detect", "{in}/photos", "--out", "{out}/faces", "--shard", "1/2", *DETECTOR],
                 ["detect", "{in}/photos", "--out", "{out}/faces", "--shard", "2/2", *DETECTOR]]),
    Case("export", ["export", "{out}/faces.jsonl", "--format", "coco", "--out", "{out}/coco"],
         before=[["detect", "{in}/clip.mp4", "--json", "{out}/faces.jsonl", *DETECTOR]]),
    Case("crowd", ["crowd", "{out}/crowd.mp4", "--truth", "{out}/truth.jsonl", "--faces", "3", "--size", "320x240", "--frames",
                   "6"], growing=["crowd.mp4", "truth.jsonl"]),
]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def without_volatile(value):
    if isinstance(value, dict):
        return {key: without_volatile(each) for key, each in value.items() if key not in VOLATILE}
    return [without_volatile(each) for each in value] if isinstance(value, list) else value


def content(path):
    """What must be equal: lines of JSON without times, the bytes of all else."""
    if path.suffix in (".json", ".jsonl"):
        try:
            return "\n".join(sorted(json.dumps(without_volatile(json.loads(line)), sort_keys=True)
                                    for line in ([path.read_text()] if path.suffix == ".json" else path.read_text().splitlines())))
        except ValueError:
            return "damaged: " + path.read_bytes()[-200:].decode(errors="replace")
    return digest(path)


def results(folder):
    """Name and content of all files but the records of a run, which say when and how often it was tried."""
    return {str(path.relative_to(folder)): content(path) for path in sorted(folder.rglob("*"))
            if path.is_file() and ".throng" not in path.parts}


class Runner:
    def __init__(self, program, library, folder):
        self.program, self.library, self.folder = program, library, folder
        self.inputs = folder / "in"
        self.mark = folder / "mark"  # exists if a fault has happened
        self.trace = folder / "trace"  # the functions that led to it
        self.environment = dict(os.environ, HOME=str(folder / "home"), XDG_STATE_HOME=str(folder / "home"),
                                XDG_CONFIG_HOME=str(folder / "home"), XDG_DATA_HOME=str(folder / "home"), THRONG_MODELS="")

    def prepare(self):
        (self.inputs / "photos").mkdir(parents=True)
        (self.folder / "home").mkdir()
        draw = ["--faces", "4", "--size", "320x240", "-q"]
        self.run(["crowd", f"{self.inputs}/clip.mp4", "--frames", "8", "--fps", "4", *draw], check=True)
        for number in range(3):
            self.run(["crowd", f"{self.inputs}/photos/{number}.png", "--seed", str(number + 1), *draw], check=True)
        self.originals = results(self.inputs)

    def run(self, arguments, *, fault=None, log=None, check=False):
        environment = dict(self.environment)
        if fault is not None or log is not None:
            environment |= {"LD_PRELOAD": str(self.library), "THRONG_FAULT_UNDER": str(self.folder)}
            if fault is not None:
                environment |= {"THRONG_FAULT": fault, "THRONG_FAULT_MARK": str(self.mark),
                                "THRONG_FAULT_TRACE": str(self.trace)}
            if log is not None:
                environment["THRONG_FAULT_LOG"] = str(log)
        with subprocess.Popen([self.program, *arguments, "--config", "", "-q"], env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace") as process:
            continuing = threading.Event()
            if fault is not None and "stop" in fault:
                threading.Thread(target=self.go_on, args=(process, continuing), daemon=True).start()
            try:
                out, err = process.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                err += "\n(hangs)"
            continuing.set()
        if check and process.returncode != 0:
            sys.exit(f"{' '.join(arguments)}: status {process.returncode}\n{err}")
        return process.returncode, err + out

    @staticmethod
    def go_on(process, ended):
        """Lets the process continue once it has been stopped."""
        while not ended.wait(0.005):
            try:
                state = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                return
            if state == "T":
                os.kill(process.pid, signal.SIGCONT)

    def arguments(self, command, out):
        return [each.replace("{in}", str(self.inputs)).replace("{out}", str(out)) for each in command]

    def start(self, case, out):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        for command in case.before:
            self.run(self.arguments(command, out), check=True)

    def reference(self, case):
        """The results of a run without a fault, and how often it makes each call."""
        out = self.folder / "out"
        self.start(case, out)
        log = self.folder / "calls"
        status, text = self.run(self.arguments(case.arguments, out), log=log)
        if status != 0:
            sys.exit(f"{case.name} fails without a fault: status {status}\n{text}")
        counts = {name: int(number) for name, number in (line.split() for line in log.read_text().splitlines())}
        return results(out), counts

    def try_fault(self, case, call, effect, number, right):
        """Returns what is wrong, how the run ended, and whether the fault has happened."""
        out = self.folder / "out"
        self.start(case, out)
        earlier = results(out)
        self.mark.unlink(missing_ok=True)
        self.trace.unlink(missing_ok=True)
        status, text = self.run(self.arguments(case.arguments, out), fault=f"{call}:{number}:{effect}")
        wrong = []
        happened = self.mark.exists()
        if results(self.inputs) != self.originals:
            wrong.append("an input was changed")
        now = results(out)
        if "(hangs)" in text:
            wrong.append("hangs")
        elif effect == "kill":
            if status != (-signal.SIGKILL if happened else 0):
                wrong.append(f"status {status}")
        elif status == -signal.SIGABRT and call == "memory" and any(name in self.trace.read_text() for name in ABORT):
            pass
        elif status < 0 or status > 127:
            wrong.append(f"ended by a signal: {status}\n{text}")
        elif status != 0 and not text.strip():
            wrong.append(f"status {status} without a word")
        elif status != 0 and call == "thread" and "thread" not in text and "encoder" not in text:
            wrong.append(f"does not say what failed: {text}")
        elif status != 0 and str(effect) in HARMLESS:
            wrong.append(f"status {status} after what is no fault:\n{text}")
        now = {name: what for name, what in now.items() if effect != "kill" or not is_unfinished(name)}
        # Decoders report a frame for which there is no memory as damaged data, which they leave out of the results of the
        # video. An archive that goes on keeps these, as those of a damaged file, and says so again.
        damaged = "clip.mp4" if call == "memory" and status == 3 and "incomplete" in text else None
        if status == 0 and now != right and not (call in ("thread", "memory") and "warning" in text):
            wrong.append("status 0 and other results: " + difference(now, right))
        elif status != 0:
            for name, what in now.items():
                if what not in (right.get(name), earlier.get(name)) and not name.endswith(case.growing) and not (
                        damaged and damaged in name):
                    wrong.append(f"{name} is neither the earlier nor the right one")
        if status != 0 and not wrong:
            again, text_again = self.run(self.arguments([*case.arguments, *case.repair], out))
            repaired = {name: what for name, what in results(out).items() if name in right}
            if damaged and case.repair:
                right = {name: what for name, what in right.items() if damaged not in name and not name.endswith(case.growing)}
                repaired = {name: what for name, what in repaired.items() if name in right}
            if again != (3 if damaged and case.repair else 0):
                wrong.append(f"the next run has status {again}: {text_again}")
            elif repaired != right:
                wrong.append("the next run has other results: " + difference(repaired, right))
        return wrong, status, text, happened


def is_unfinished(name):
    """Files of the writer that a killed process leaves behind."""
    return pathlib.Path(name).name.startswith(".throng-")


def difference(now, right):
    lines = [name for name in sorted(now.keys() | right.keys()) if now.get(name) != right.get(name)]
    return ", ".join(f"{name} ({'missing' if name not in now else 'unexpected' if name not in right else 'different'})"
                     for name in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("THRONG_SEED", 1)))
    parser.add_argument("--faults", type=int, default=40)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="", help="part of \"CASE: CALL\"")
    parser.add_argument("--verbose", action="store_true", help="print every run")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    chance = random.Random(arguments.seed)
    failed = happened = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments.program.resolve(), arguments.library.resolve(), pathlib.Path(folder).resolve())
        runner.prepare()
        wanted = []
        references = {}
        for case in CASES:
            effects_of = {call: effects for call, effects in EFFECTS.items() if arguments.only in f"{case.name}: {call}"}
            if not effects_of:
                continue
            references[case.name], counts = runner.reference(case)
            if arguments.verbose:
                print(case.name, counts, sorted(references[case.name]))
            for call, effects in effects_of.items():
                for effect in effects if counts[call] else ():
                    numbers = range(1, counts[call] + 1)
                    if not arguments.all:
                        numbers = [chance.choice(numbers)]
                    elif len(numbers) > 40:
                        numbers = sorted(chance.sample(numbers, 40))
                    wanted += [(case, call, effect, number) for number in numbers]
        if not arguments.all and len(wanted) > arguments.faults:
            wanted = chance.sample(wanted, arguments.faults)
        begin = time.monotonic()
        for case, call, effect, number in wanted:
            wrong, status, text, has_happened = runner.try_fault(case, call, effect, number, references[case.name])
            happened += has_happened
            if wrong or arguments.verbose:
                name = errno.errorcode.get(int(str(effect).rstrip("+")), effect) if str(effect).rstrip("+").isdigit() else effect
                print(f"{case.name}: {call} {number} {name}: status {status} {text.strip().splitlines()[-1:]}")
            for each in wrong:
                print(f"    WRONG: {each}")
            failed += bool(wrong)
        print(f"{happened} faults in {len(wanted)} runs, {time.monotonic() - begin:.0f} s; {failed} with a wrong end")
    # Threads may take turns, so that a rare call does not come. Most must.
    if 2 * happened < len(wanted):
        sys.exit("too few faults have happened")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
