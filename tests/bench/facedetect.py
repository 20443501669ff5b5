#!/usr/bin/env python3
"""Compares throngdetect with facedetect, the element of OpenCV's cascades in GStreamer (Debian: gstreamer1.0-opencv),
on the clip pan_apply_1280x720_30fps.mp4, whose faces are known: recall, precision and rate.

usage: facedetect.py DATA [FRAMES [IOU]]     DATA: the folder with photos/ and videos/
needs: gst-launch-1.0 and both plugins (GST_PLUGIN_PATH), ffmpeg, taskset; a network for `auto` (THRONG_MODELS)

Every element runs on the same two cores and reads the same decoded frames. The rate counts CPU time, too: it is that of
the whole pipeline less that of the same pipeline without an element."""

import os
import re
import subprocess
import sys
import tempfile
import time

ELEMENTS = (
    ("facedetect", "videoconvert ! facedetect display=false"),
    ("throngdetect detector=haar", "throngdetect detector=haar"),
    # The settings that facedetect has by default.
    ("throngdetect, same settings", "throngdetect detector=haar scale-factor=1.25 min-size=30"),
    ("throngdetect detector=auto", "throngdetect detector=auto"),
)
WIDTH, HEIGHT, PAN, LAST = 1280, 720, 2080, 299
NUMBER = r"\\*=\\*\([a-z]+\\*\)([-\d.e+]+)"
BOX = re.compile(r"\bx" + NUMBER + r".*?\by" + NUMBER + r".*?\bwidth" + NUMBER + r".*?\bheight" + NUMBER)
LIST = re.compile(r"\b(?:faces|objects)=\(structure\)\{(.*?)\}")


def truth_of(data):
    """Returns the boxes of the photograph that the clip pans over, at the size of the clip."""
    lines = open(os.path.join(data, "photos", "truth_wider.txt"), encoding="utf8").read().split("\n")
    first = lines.index("pif-banner-apply-bw.jpg") + 2
    rows = [list(map(float, line.split()[:4])) for line in lines[first : first + int(lines[first - 1])]]
    return [[value / 2 for value in row] for row in rows]


def visible(truth, frame):
    """Returns the boxes inside a frame, and those that its edge cuts: finding these is neither right nor wrong."""
    left = PAN * frame // LAST
    boxes = [[x - left, y, w, h] for x, y, w, h in truth]
    inside = [b for b in boxes if b[0] >= 0 and b[1] >= 0 and b[0] + b[2] <= WIDTH and b[1] + b[3] <= HEIGHT]
    cut = [b for b in boxes if b not in inside and b[0] + b[2] > 0 and b[0] < WIDTH]
    return inside, cut


def iou(a, b):
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    both = max(w, 0) * max(h, 0)
    return both / (a[2] * a[3] + b[2] * b[3] - both)


def run(path, element):
    """Returns the seconds of the wall clock and of the CPU, and the boxes of each frame that has a message."""
    pipeline = f"filesrc location={path} ! y4mdec ! {element + ' ! ' if element else ''}fakesink sync=false"
    before = os.times()
    start = time.monotonic()
    done = subprocess.run(
        ["taskset", "-c", "0,1", "gst-launch-1.0", "-m", *pipeline.split()], capture_output=True, text=True, check=False
    )
    wall = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(f"{element}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    frames = {}
    for line in done.stdout.split("\n"):
        if stamp := re.search(r"\): (?:facedetect|throng), .*?timestamp=\(guint64\)(\d+)", line):
            found = LIST.search(line)
            boxes = [[float(value) for value in box] for box in BOX.findall(found[1])] if found else []
            frames[round(int(stamp[1]) * 30e-9)] = boxes
    return wall, cpu, frames


def score(frames, truth, count, limit):
    right = wrong = missed = 0
    for frame in range(count):
        inside, cut = visible(truth, frame)
        found = list(frames.get(frame, []))
        for box in inside:
            best = max(found, key=lambda one: iou(one, box), default=None)
            if best is not None and iou(best, box) >= limit:
                right += 1
                found.remove(best)
            else:
                missed += 1
        wrong += sum(all(iou(one, box) < 0.1 for box in cut) for one in found)
    return right / max(right + missed, 1), right / max(right + wrong, 1)


def main():
    data = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    limit = float(sys.argv[3]) if len(sys.argv) > 3 else 0.4
    truth = truth_of(data)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "clip.y4m")
        clip = os.path.join(data, "videos", "pan_apply_1280x720_30fps.mp4")
        subprocess.run(
            ["ffmpeg", "-v", "error", "-i", clip, "-frames:v", str(count), "-pix_fmt", "yuv420p", path], check=True
        )
        _, idle, _ = run(path, "")
        print(f"{count} frames, IoU {limit}\n| element | recall | precision | frames/s | CPU ms per frame |\n|---|---|---|---|---|")
        for name, element in ELEMENTS:
            wall, cpu, frames = run(path, element)
            recall, precision = score(frames, truth, count, limit)
            print(f"| `{name}` | {recall:.3f} | {precision:.3f} | {count / wall:.1f} | {1e3 * (cpu - idle) / count:.1f} |")


if __name__ == "__main__":
    main()
