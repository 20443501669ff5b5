#!/usr/bin/env python3
"""Prints a table of NMS times: the paper's kernels, torchvision's CUDA nms, and Throng's one-pass and greedy, on the same
boxes and the same GPU in one run.

usage: nms_table.py BENCH_GPU_NMS [--folder FOLDER] [--repeats N]

BENCH_GPU_NMS is the built benchmark (build/.../bench_gpu_nms). FOLDER holds crowd-200.csv, crowd-1027.csv,
crowd-2895.csv, dense-4096.csv and crowd-16384.csv (columns x1,y1,x2,y2,score); missing files
and the larger inputs are generated. Prints median microseconds at IoU 0.5. Throng's calls are replayed from a graph, with
boxes, count and kept boxes in device memory. torchvision is timed by events around the call, whose output is a list of
indices.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import numpy
import torch
import torchvision

# name: boxes, boxes per cluster, width and height of the plane
INPUTS = {
    "crowd-200": (200, 20, 1920, 1080),
    "crowd-1027": (1027, 20, 3840, 2160),
    "crowd-2895": (2895, 20, 3840, 2160),
    "dense-4096": (4096, 128, 3840, 2160),
    "crowd-16384": (16384, 20, 7680, 4320),
    "crowd-65536": (65536, 20, 7680, 4320),
    "wide-1000000": (1000000, 20, 60000, 40000),
}
MAX_TORCHVISION_BOXES = 100_000  # torchvision fills a matrix of n * n bits


def make_clusters(count, cluster, width, height):
    """Boxes of 19 to 120 pixels in clusters around faces, in random order."""
    random = numpy.random.default_rng(count)
    faces = -(-count // cluster)
    side = numpy.repeat(random.uniform(24, 96, faces), cluster)[:count]
    x = numpy.repeat(random.uniform(0, width, faces), cluster)[:count] + side * random.uniform(-0.15, 0.15, count)
    y = numpy.repeat(random.uniform(0, height, faces), cluster)[:count] + side * random.uniform(-0.15, 0.15, count)
    side = side * random.uniform(0.8, 1.25, count)
    table = numpy.stack([x, y, x + side, y + side, random.uniform(0, 1, count)], axis=1).astype(numpy.float32)
    return random.permutation(table)


def time_torchvision(table, repeats):
    if len(table) > MAX_TORCHVISION_BOXES:
        return None, None
    table = torch.from_numpy(table).cuda()
    boxes, scores = table[:, :4].contiguous(), table[:, 4].contiguous()
    times = []
    for run in range(repeats + 10):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        kept = torchvision.ops.nms(boxes, scores, 0.5)
        end.record()
        end.synchronize()
        if run >= 10:
            times.append(begin.elapsed_time(end) * 1e3)
    return sorted(times)[len(times) // 2], len(kept)


def run_ours(bench, folder, repeats):
    """Returns {name: (paper, one-pass, greedy, kept by greedy)} and the whole output of the benchmark."""
    output = subprocess.run([bench, folder, str(repeats)], check=True, capture_output=True, text=True).stdout
    rows = {}
    names = {**{name: name for name in INPUTS}, "65536": "crowd-65536", "1000000": "wide-1000000"}
    for line in output.splitlines():
        words = line.split()
        if words and words[0] in names:
            rows[names[words[0]]] = (*words[1:4], words[-1])
    return rows, output


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("--folder")
    parser.add_argument("--repeats", type=int, default=50)
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("nms_table.py: torch finds no CUDA device")

    with tempfile.TemporaryDirectory() as folder:
        theirs = {}
        for name, layout in INPUTS.items():
            path = os.path.join(folder, name + ".csv")
            given = arguments.folder and os.path.join(arguments.folder, name + ".csv")
            if given and os.path.exists(given):
                shutil.copy(given, path)
                table = numpy.loadtxt(path, delimiter=",", skiprows=1, usecols=range(5), dtype=numpy.float32)
            else:
                table = make_clusters(*layout)
                # Enough digits for float32 values to be read back unchanged.
                numpy.savetxt(path, table, fmt="%.9g", delimiter=",", header="x1,y1,x2,y2,score", comments="")
            theirs[name] = time_torchvision(table, arguments.repeats)
        ours, output = run_ours(arguments.bench, folder, arguments.repeats)

    print(output)
    print(f"torchvision {torchvision.__version__}; microseconds, medians; IoU 0.5\n")
    print("| boxes | paper's kernels | torchvision | one-pass | greedy | kept: torchvision, greedy |")
    print("|---|---|---|---|---|---|")
    for name in INPUTS:
        paper, one_pass, greedy, kept = ours[name]
        time, their_kept = theirs[name]
        torch_time = f"{time:.0f}" if time else "-"
        print(f"| {name} | {paper} | {torch_time} | {one_pass} | {greedy} | {their_kept or '-'}, {kept} |")


if __name__ == "__main__":
    main()
