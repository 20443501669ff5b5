#!/usr/bin/env python3
"""Prints a table of NMS times on one CPU thread: Throng, BOE-NMS, OpenCV's NMSBoxes and torchvision, all exact and
greedy, on the same boxes.

usage: cpu_nms_table.py THRONG BOE_SOURCE [--folder FOLDER] [--rounds N] [--repeat N]

THRONG is the built program. BOE_SOURCE is the folder `src` of NMS-Bench (https://github.com/Yuri3-xr/NMS-Bench), which
contains BOENMS/BOENMS.hpp; the script compiles it with -O3 -march=native. torchvision is measured if Python finds it.

In each round, new boxes of each size are generated, and the programs take turns. Each runs once to warm up and then
--repeat times, 1 by default. More runs of the same boxes let the branch predictor learn them, which no video does:
std::sort of 1027 boxes then takes a fraction of the time. FOLDER holds CSV files with the columns x1,y1,x2,y2,score,
which are measured instead of generated boxes. Prints medians of the rounds in microseconds, and medians of the ratios
to Throng's time in the same round. IoU 0.3. Throng's time includes hits and the order of equal scores.
"""
import argparse
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

SIZES = (200, 1027, 2895, 16384, 65536)

BOE_PROGRAM = r"""
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include "BOENMS/BOENMS.hpp"
int main(int, char** arguments) {
    std::vector<Box<float, float, float>> boxes;
    std::ifstream file(arguments[1]);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        float x1, y1, x2, y2, score;
        if (std::sscanf(line.c_str(), "%f,%f,%f,%f,%f", &x1, &y1, &x2, &y2, &score) != 5) return 1;
        boxes.emplace_back(Rect<float, float>({x1, y1}, {x2, y2}), score, static_cast<unsigned>(boxes.size()));
    }
    std::vector<double> times;
    std::size_t kept = boeNMS(boxes, 0.3f).size();
    for (int run = 0; run < std::atoi(arguments[2]); ++run) {
        const auto start = std::chrono::steady_clock::now();
        kept = boeNMS(boxes, 0.3f).size();
        times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    std::printf("%.3f %zu\n", times[times.size() / 2], kept);
}
"""


def write_clusters(path, count, seed):
    """Writes boxes around faces of 24 to 200 pixels, 20 per face, in random order."""
    generator = random.Random(seed)
    faces = math.ceil(count / 20)
    plane = 400 * math.sqrt(faces)
    rows = []
    for index in range(count):
        if index % 20 == 0:
            face = generator.uniform(24, 200)
            x, y = generator.uniform(0, plane), generator.uniform(0, plane)
        side = face * generator.uniform(0.85, 1.2)
        left, top = (at + face * generator.uniform(-0.1, 0.1) for at in (x, y))
        rows.append(f"{left:.9g},{top:.9g},{left + side:.9g},{top + side:.9g},{generator.random():.9g}\n")
    generator.shuffle(rows)
    with open(path, "w", encoding="ascii") as file:
        file.write("x1,y1,x2,y2,score\n" + "".join(rows))


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"cpu_nms_table.py: {' '.join(command)}: {result.stderr.strip()}")
    return result.stdout


def time_throng(program, path, repeat, baselines):
    """Returns {name: (microseconds, kept)} of Throng and, if requested, OpenCV, which runs for half a second."""
    output = run(program, "bench", "nms", "--backend", "cpu", "--input", path, "--rule", "greedy", "--theta", "0.3",
                 "--threads", "1", "--cold", "0", "--repeat", str(repeat), "--json", "-",
                 *([] if baselines else ["--no-baselines"]))
    row = json.loads(output)["rows"][0]
    opencv = row.get("baselines", {}).get("opencv")
    times = {"Throng": (row["median_ms"] * 1e3, row["kept"])}
    if opencv:
        times["OpenCV"] = (opencv["median_ms"] * 1e3, opencv["kept"])
    return times


def time_boe(program, path, repeat):
    microseconds, kept = run(program, path, str(repeat)).split()
    return {"BOE-NMS": (float(microseconds), int(kept))}


def time_torchvision(path, repeat):
    try:
        import time
        import torch
        import torchvision
    except ImportError:
        return {}
    torch.set_num_threads(1)
    with open(path, encoding="ascii") as file:
        rows = [[float(value) for value in line.split(",")[:5]] for line in list(file)[1:]]
    table = torch.tensor(rows, dtype=torch.float32)
    boxes, scores = table[:, :4].contiguous(), table[:, 4].contiguous()
    times = []
    torchvision.ops.nms(boxes, scores, 0.3)
    for _ in range(repeat):
        start = time.perf_counter()
        kept = torchvision.ops.nms(boxes, scores, 0.3)
        times.append(time.perf_counter() - start)
    return {"torchvision": (statistics.median(times) * 1e6, len(kept))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("throng")
    parser.add_argument("boe_source")
    parser.add_argument("--folder")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--repeat", type=int, default=1)
    arguments = parser.parse_args()
    if shutil.which("g++") is None:
        sys.exit("cpu_nms_table.py: g++ is required to compile BOE-NMS")
    if not os.path.exists(os.path.join(arguments.boe_source, "BOENMS", "BOENMS.hpp")):
        sys.exit(f"cpu_nms_table.py: {arguments.boe_source}: no BOENMS/BOENMS.hpp in this folder")

    with tempfile.TemporaryDirectory() as scratch:
        boe = os.path.join(scratch, "boe")
        with open(boe + ".cpp", "w", encoding="ascii") as file:
            file.write(BOE_PROGRAM)
        run("g++", "-O3", "-march=native", "-std=c++20", "-I", arguments.boe_source, boe + ".cpp", "-o", boe)
        if arguments.folder:
            inputs = sorted(os.path.join(arguments.folder, name) for name in os.listdir(arguments.folder)
                            if name.endswith(".csv"))
        else:
            inputs = [os.path.join(scratch, f"{count}.csv") for count in SIZES]

        print("| boxes | Throng us | BOE-NMS us | OpenCV us | torchvision us | x BOE-NMS | x OpenCV | x torchvision | kept |")
        print("|---|---|---|---|---|---|---|---|---|")
        for path in inputs:
            rounds = []
            for seed in range(arguments.rounds):
                if not arguments.folder:
                    write_clusters(path, int(os.path.basename(path)[:-4]), seed)
                rounds.append({**time_throng(arguments.throng, path, arguments.repeat, seed == 0),
                               **time_boe(boe, path, arguments.repeat), **time_torchvision(path, arguments.repeat)})
            names = ("Throng", "BOE-NMS", "OpenCV", "torchvision")
            times = [f"{statistics.median(each[name][0] for each in rounds if name in each):.1f}"
                     if name in rounds[0] else "-" for name in names]
            ratios = [f"{statistics.median(each[name][0] / each['Throng'][0] for each in rounds if name in each):.1f}"
                      if name in rounds[0] else "-" for name in names[1:]]
            kept = ", ".join(sorted({str(rounds[0][name][1]) for name in names if name in rounds[0]}))
            name = os.path.splitext(os.path.basename(path))[0]
            print(f"| {name} | " + " | ".join(times + ratios) + f" | {kept} |", flush=True)


if __name__ == "__main__":
    main()
