"""Wall time of throng beside torchvision (and OpenCV's NMSBoxes on the CPU), in medians of interleaved calls.

    PYTHONPATH=build/dev/python /usr/bin/python3 tests/package/bench_module.py [--device cuda] BOXES.csv...

Each CSV has a header and the columns x1,y1,x2,y2,score, or x,y,w,h,score. A call returns its indices: on CUDA, they are
complete. With --device cuda, also nms_mask in 1,000 calls with one synchronization, the registered operator, and
batched_nms of 64 images that each hold the boxes. Checks that the results are those of torchvision's CPU operator.
CUDA's own float arithmetic may decide pairs at the threshold otherwise.
"""

import argparse
import csv
import statistics
import time

import torch
from torchvision import ops

import throng
import throng.torch

try:
    import cv2
except ImportError:
    cv2 = None

IMAGES = 64


def read(name):
    with open(name, newline="") as file:
        header, *rows = list(csv.reader(file))
    table = torch.tensor([[float(value) for value in row[:5]] for row in rows], dtype=torch.float32)
    boxes = table[:, :4].clone()
    if header[2].strip() in ("w", "width"):
        boxes[:, 2:] += boxes[:, :2]
    return boxes, table[:, 4].clone()


def medians(calls, runs, synchronize):
    """Of each call, in microseconds."""
    times = {label: [] for label in calls}
    for call in calls.values():
        call()
    for _ in range(runs):
        for label, call in calls.items():
            synchronize()
            start = time.perf_counter()
            call()
            times[label].append((time.perf_counter() - start) * 1e6)
    return {label: statistics.median(values) for label, values in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("boxes", nargs="+")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threshold", type=float, default=0.5)
    parser.add_argument("--runs", type=int, default=101)
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    cuda = arguments.device == "cuda"
    synchronize = torch.cuda.synchronize if cuda else lambda: None
    machine = torch.cuda.get_device_name() if cuda else f"CPU, {torch.get_num_threads()} threads"
    threshold = arguments.threshold
    print(f"torch {torch.__version__}, {machine}, threshold {threshold}, medians of {arguments.runs} runs, us")
    print(f"{'':38} {'torchvision':>12} {'throng':>9} {'times':>7}")

    def row(label, theirs, ours):
        print(f"{label:38} {theirs:12.1f} {ours:9.1f} {theirs / ours:7.1f}", flush=True)

    for name in arguments.boxes:
        host_boxes, host_scores = read(name)
        expected = ops.nms(host_boxes, host_scores, threshold)
        boxes, scores = host_boxes.to(arguments.device), host_scores.to(arguments.device)
        n = len(boxes)
        calls = {
            "torchvision": lambda: ops.nms(boxes, scores, threshold),
            "throng": lambda: throng.nms(boxes, scores, threshold),
            "operator": lambda: torch.ops.throng.nms(boxes, scores, threshold),
        }
        if cv2 is not None and not cuda:
            xywh = torch.cat([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], 1).tolist()
            floats = scores.tolist()
            calls["OpenCV"] = lambda: cv2.dnn.NMSBoxes(xywh, floats, 0, threshold)
        assert torch.equal(calls["throng"]().cpu(), expected), "results differ"
        median = medians(calls, arguments.runs, synchronize)
        row(f"nms, {n} boxes, {len(expected)} kept", median["torchvision"], median["throng"])
        row(f"torch.ops.throng.nms, {n} boxes", median["torchvision"], median["operator"])
        if "OpenCV" in median:
            print(f"    cv2.dnn.NMSBoxes {median['OpenCV']:.1f}")
        if not cuda:
            continue
        mask, count = throng.nms_mask(boxes, scores, threshold)
        assert int(count) == len(expected) and int(mask.sum()) == len(expected), "results differ"

        def thousand(**out):
            for _ in range(1000):
                throng.nms_mask(boxes, scores, threshold, **out)
            synchronize()

        each = medians({"given": lambda: thousand(mask=mask, count=count), "new": thousand}, 3, synchronize)
        row(f"nms_mask, {n} boxes, not synchronized", median["torchvision"], each["given"] / 1000)
        row("  the same, new mask and count", median["torchvision"], each["new"] / 1000)
        if n == 1027:
            many = boxes.repeat(IMAGES, 1)
            many_scores = scores.repeat(IMAGES)
            images = torch.arange(IMAGES, device=boxes.device).repeat_interleave(n)
            kept = throng.batched_nms(many, many_scores, images, threshold)
            assert len(kept) == IMAGES * len(expected), "results differ"
            median = medians({"torchvision": lambda: ops.batched_nms(many, many_scores, images, threshold),
                              "throng": lambda: throng.batched_nms(many, many_scores, images, threshold)},
                             11, synchronize)
            row(f"batched_nms, {IMAGES} images of {n} boxes", median["torchvision"], median["throng"])


if __name__ == "__main__":
    main()
