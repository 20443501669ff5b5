#!/usr/bin/env python3
"""torchvision's CUDA nms and our engines on the same boxes, one after the other on the same GPU.

usage: torchvision_nms.py BENCH_GPU_NMS FOLDER    the built benchmark, and a folder with crowd-1027.csv and the others
Prints microseconds, medians: torchvision timed by events around the call, ours in a replayed graph.
"""
import csv
import subprocess
import sys

import torch
import torchvision

NAMES = ("crowd-200", "crowd-1027", "crowd-2895", "dense-4096", "crowd-16384")


def time_torchvision(folder, name, repeats=50):
    with open(f"{folder}/{name}.csv") as file:
        rows = [[float(v) for v in row[:5]] for row in list(csv.reader(file))[1:]]
    table = torch.tensor(rows, device="cuda")
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


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    bench, folder = sys.argv[1:]
    print(f"torchvision {torchvision.__version__}, greedy, IoU 0.5")
    for name in NAMES:
        median, kept = time_torchvision(folder, name)
        print(f"{name:12s} {median:9.1f}  kept {kept}")
    subprocess.run([bench, folder], check=True)


if __name__ == "__main__":
    main()
