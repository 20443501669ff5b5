"""Wall time of throng.nms beside torchvision.ops.nms and cv2.dnn.NMSBoxes on crowds of boxes, CPU tensors, two threads.

    PYTHONPATH=build/dev/python /usr/bin/python3 tests/package/bench_module.py [--device cuda] BOXES.csv...

Each CSV has the columns x1,y1,x2,y2,score and a header. Prints medians of interleaved runs and their ratios; checks
that the results are equal. With --device cuda, also the time per call of nms_mask without synchronization.
"""

import argparse
import csv
import statistics
import time

import torch
from torchvision import ops

import throng

try:
    import cv2
except ImportError:
    cv2 = None


def read(name):
    with open(name, newline="") as file:
        rows = [[float(value) for value in row] for row in list(csv.reader(file))[1:]]
    table = torch.tensor(rows, dtype=torch.float32)
    return table[:, :4].contiguous(), table[:, 4].contiguous()


def time_of(call, synchronize):
    start = time.perf_counter()
    call()
    synchronize()
    return (time.perf_counter() - start) * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("boxes", nargs="+")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threshold", type=float, default=0.5)
    parser.add_argument("--runs", type=int, default=21)
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    synchronize = torch.cuda.synchronize if arguments.device == "cuda" else lambda: None
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {arguments.device}, threshold "
          f"{arguments.threshold}, medians of {arguments.runs} interleaved runs, us")
    print(f"{'boxes':>7} {'kept':>6} {'torchvision':>12} {'OpenCV':>9} {'throng':>8} {'ratio':>7}")
    for name in arguments.boxes:
        boxes, scores = read(name)
        boxes, scores = boxes.to(arguments.device), scores.to(arguments.device)
        calls = {
            "torchvision": lambda: ops.nms(boxes, scores, arguments.threshold),
            "throng": lambda: throng.nms(boxes, scores, arguments.threshold),
        }
        if cv2 is not None and arguments.device == "cpu":
            xywh = torch.cat([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], 1).tolist()
            floats = scores.tolist()
            calls["OpenCV"] = lambda: cv2.dnn.NMSBoxes(xywh, floats, 0, arguments.threshold)
        kept = calls["throng"]()
        assert torch.equal(kept, calls["torchvision"]()), "results differ"
        times = {label: [] for label in calls}
        for _ in range(arguments.runs):
            for label, call in calls.items():
                times[label].append(time_of(call, synchronize))
        median = {label: statistics.median(values) for label, values in times.items()}
        opencv = f"{median['OpenCV']:9.0f}" if "OpenCV" in median else f"{'-':>9}"
        print(f"{len(boxes):7} {len(kept):6} {median['torchvision']:12.0f} {opencv} {median['throng']:8.1f} "
              f"{median['torchvision'] / median['throng']:7.1f}")
        if arguments.device == "cuda":
            mask, count = throng.nms_mask(boxes, scores, arguments.threshold)
            each = time_of(lambda: [throng.nms_mask(boxes, scores, arguments.threshold, mask=mask, count=count)
                                    for _ in range(1000)], synchronize) / 1000
            print(f"        nms_mask, 1,000 calls and one synchronization: {each:.1f} us per call, "
                  f"{median['torchvision'] / each:.1f} times")


if __name__ == "__main__":
    main()
