#!/usr/bin/env python3
"""Prints a table of NMS times on the same boxes and the same machine, in one interleaved run: Throng as the program runs
it and as libraries do (IoU, capacity for the boxes alone), torchvision and OpenCV.

usage: nms_table.py THRONG [--backend cpu|cuda] [--folder FOLDER] [--input NAME,...] [--theta T] [--rounds N]
                    [--repeat N]

THRONG is the built program. Every round runs each engine on new boxes for a number of repetitions; the table shows the
median over the rounds of each engine's median, in microseconds. With --repeat 1, no engine sees the same boxes twice, as
in a video. More repetitions let the branch predictor of a CPU learn the boxes: std::sort of 1027 boxes then takes a
fraction of the time. "x" is the median over the rounds of its time divided by that
of "library, greedy" in the same round.

--backend cpu: one thread each. torchvision is measured where it can be imported. OpenCV is the baseline that THRONG
measures, in the first round only.
--backend cuda: "graph" is a replayed graph with boxes and kept boxes in device memory, "eager" a call with the download
of the kept boxes. torchvision is timed by the clock around a call that waits for its list of indices (eager), and by
the sum of its kernels (kernels).

The engines agree on IoU and threshold, not on everything: Throng suppresses from the threshold on and orders equal
scores by area and position, the others suppress above it and order equal scores by index or not at all; only Throng
counts hits and drops invalid boxes. The column "kept" shows the differences.

--folder: reads NAME.csv (x1,y1,x2,y2,score with a header) there, for all rounds, instead of generating boxes.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

# name: boxes, boxes per cluster, width and height of the plane
INPUTS = {
    "crowd-200": (200, 20, 1920, 1080),
    "crowd-1027": (1027, 20, 3840, 2160),
    "crowd-2895": (2895, 20, 3840, 2160),
    "dense-4096": (4096, 128, 3840, 2160),
    "crowd-16384": (16384, 20, 7680, 4320),
    "crowd-65536": (65536, 20, 7680, 4320),
}


def write_clusters(path, seed, count, cluster, width, height):
    """Writes boxes of 19 to 120 pixels in clusters around faces, in random order."""
    chance = random.Random(seed)
    rows = []
    while len(rows) < count:
        side, x, y = chance.uniform(24, 96), chance.uniform(0, width), chance.uniform(0, height)
        for _ in range(min(cluster, count - len(rows))):
            left, top = x + side * chance.uniform(-0.15, 0.15), y + side * chance.uniform(-0.15, 0.15)
            extent = side * chance.uniform(0.8, 1.25)
            rows.append((left, top, left + extent, top + extent, chance.random()))
    chance.shuffle(rows)
    with open(path, "w") as file:
        file.write("x1,y1,x2,y2,score\n")
        file.writelines(",".join(f"{value:.9g}" for value in row) + "\n" for row in rows)


def output_of(command):
    """Returns the standard output of a program; ends with its message if it fails."""
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except OSError as error:
        sys.exit(f"nms_table.py: cannot run {command[0]}: {error.strerror}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"nms_table.py: {' '.join(command)} failed:\n{error.stderr}")


def run_throng(arguments, path, repeats, first):
    """Returns {engine: (microseconds, kept)} of one run."""
    command = [arguments.throng, "bench", "nms", "--input", path, "--backend", arguments.backend, "--threads", "1",
               "--repeat", str(repeats), "--cold", "0", "--json", "-", "--quiet"]
    runs = [[*command, "--setting", "program", "--no-baselines"],
            [*command, "--rule", "greedy", "--overlap", "iou", "--theta", str(arguments.theta)]]
    if not first:  # OpenCV takes half a second or more; once is enough
        runs[1].append("--no-baselines")
    found = {}
    for name, run in zip(("program", "library"), runs):
        row = json.loads(output_of(run))["rows"][0]
        kept = row["kept"]
        if arguments.backend == "cuda":
            found[f"{name}, greedy: graph"] = (row["median_ms"] * 1e3, kept)
            found[f"{name}, greedy: eager"] = (row["eager_ms"] * 1e3, kept)
        else:
            found[f"{name}, greedy"] = (row["median_ms"] * 1e3, kept)
        for baseline in ("paper", "opencv"):
            if baseline in row.get("baselines", {}):
                timed = row["baselines"][baseline]
                found[baseline] = (timed["median_ms"] * 1e3, timed["kept"])
    return found


def run_torchvision(torch, torchvision, path, arguments, repeats):
    with open(path) as file:
        table = torch.tensor([[float(word) for word in line.split(",")[:5]] for line in file.readlines()[1:]])
    on_gpu = arguments.backend == "cuda"
    table = table.cuda() if on_gpu else table
    boxes, scores = table[:, :4].contiguous(), table[:, 4].contiguous()

    def call():
        return torchvision.ops.nms(boxes, scores, arguments.theta)

    times = []
    for run in range(repeats + 10):
        if on_gpu:
            torch.cuda.synchronize()
        start = time.perf_counter()
        kept = len(call())
        times.append((time.perf_counter() - start) * 1e6)
    found = {"torchvision: eager" if on_gpu else "torchvision": (statistics.median(times[10:]), kept)}
    if on_gpu:
        from torch.profiler import ProfilerActivity, profile
        with profile(activities=[ProfilerActivity.CUDA]) as profiled:
            for _ in range(repeats):
                call()
            torch.cuda.synchronize()
        total = sum(getattr(event, "self_device_time_total", None) or getattr(event, "self_cuda_time_total", 0)
                    for event in profiled.key_averages())
        found["torchvision: kernels"] = (total / repeats, kept)
    return found


def load_torchvision():
    try:
        import torch
        import torchvision
    except ImportError:
        return None
    torch.set_num_threads(1)
    return torch, torchvision


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("throng")
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--folder")
    parser.add_argument("--input", default=",".join(INPUTS))
    parser.add_argument("--theta", type=float, default=0.3)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--repeat", type=int, help="default: from 5 to 200, fewer for more boxes")
    arguments = parser.parse_args()
    torch = load_torchvision()
    if torch is None:
        print("torchvision cannot be imported: not measured")

    rows = []
    with tempfile.TemporaryDirectory() as out:
        for name in arguments.input.split(","):
            path = os.path.join(arguments.folder, name + ".csv") if arguments.folder else os.path.join(out, name + ".csv")
            if not arguments.folder and name not in INPUTS:
                sys.exit(f"nms_table.py: unknown input {name}: use one of {', '.join(INPUTS)}, or --folder")
            rounds = []
            for number in range(arguments.rounds):
                if not arguments.folder:
                    write_clusters(path, number, *INPUTS[name])
                with open(path) as file:
                    boxes = sum(1 for _ in file) - 1
                repeats = arguments.repeat or max(5, min(200, 200_000 // max(boxes, 1)))
                times = run_throng(arguments, path, repeats, number == 0)
                if torch:
                    times |= run_torchvision(*torch, path, arguments, repeats)
                rounds.append(times)
            rows.append((name, rounds))

    engines = list(dict.fromkeys(engine for _, rounds in rows for times in rounds for engine in times))
    reference = "library, greedy: graph" if arguments.backend == "cuda" else "library, greedy"
    print(f"\nmicroseconds, medians of {arguments.rounds} interleaved rounds; IoU {arguments.theta}, except program\n")
    print("| boxes | " + " | ".join(engines) + " | kept |")
    print("|---" * (len(engines) + 2) + "|")
    for name, rounds in rows:
        cells, kept = [], []
        for engine in engines:
            timed = [times for times in rounds if engine in times]
            if not timed:
                cells.append("-")
                kept.append("-")
                continue
            kept.append(str(timed[0][engine][1]))
            ratio = statistics.median(times[engine][0] / times[reference][0] for times in timed)
            cell = f"{statistics.median(times[engine][0] for times in timed):.1f}"
            cells.append(cell if engine == reference else f"{cell} (x {ratio:.2f})")
        print(f"| {name} | " + " | ".join(cells) + " | " + " ".join(kept) + " |")


if __name__ == "__main__":
    main()
