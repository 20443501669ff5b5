#!/usr/bin/env python3
"""Prints the time of a face network on a GPU in Throng, in PyTorch with cuDNN and in ONNX Runtime, in one run.

usage: cnn_table.py THRONG MODEL.onnx [--batch N,...] [--rounds N]

Throng: the stages preprocess, network and boxes of `throng bench cnn`, one frame of the model's input size, as the program
runs them. PyTorch: the network alone, without preprocessing and boxes, as a replayed CUDA graph and as eager calls; the
graph of layers is read from the model, the layout is channels-last, cuDNN chooses its kernels by measuring them
(torch.backends.cudnn.benchmark), and 32 bits means that TF32 is off. The outputs of PyTorch are compared with ONNX
Runtime's on the CPU first. Times are medians in microseconds; "x" is the time divided by Throng's of the same precision
and, for batches, per frame. Needs torch and onnx; onnxruntime and onnx's numpy_helper for the comparison.
"""
import argparse
import json
import statistics
import subprocess
import time

import numpy
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper


def pads_of(values):
    """Returns (height, width) of symmetric padding."""
    if values[:2] != values[2:]:
        raise SystemExit(f"cnn_table.py: asymmetric padding {values} is not supported")
    return tuple(values[:2])


class Network:
    """The layers of an ONNX model as calls of torch."""

    def __init__(self, path, dtype):
        graph = onnx.load(path).graph
        self.dtype = dtype
        self.nodes = [(n, {a.name: onnx.helper.get_attribute_value(a) for a in n.attribute}) for n in graph.node]
        self.host = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        for node, attributes in self.nodes:
            if node.op_type == "Constant":
                self.host[node.output[0]] = numpy_helper.to_array(attributes["value"])
        self.weights = {}
        for name, value in self.host.items():
            if value.dtype == numpy.float32:
                tensor = torch.from_numpy(value.copy()).to("cuda", dtype)
                self.weights[name] = tensor.contiguous(memory_format=torch.channels_last) if tensor.dim() == 4 else tensor
        self.input = next(i.name for i in graph.input if i.name not in self.host)
        shape = next(i for i in graph.input if i.name == self.input).type.tensor_type.shape
        self.shape = [d.dim_value for d in shape.dim]
        self.outputs = [o.name for o in graph.output]

    def __call__(self, image):
        maps = dict(self.weights)
        maps[self.input] = image
        for node, a in self.nodes:
            if node.op_type != "Constant":
                maps[node.output[0]] = self.run(node, a, maps)
        return [maps[name] for name in self.outputs]

    def run(self, node, a, maps):
        x = [maps.get(name) for name in node.input]
        kind = node.op_type
        if kind == "Conv":
            return F.conv2d(x[0], x[1], x[2] if len(x) > 2 else None, tuple(a.get("strides", [1, 1])),
                            pads_of(a.get("pads", [0, 0, 0, 0])), tuple(a.get("dilations", [1, 1])), a.get("group", 1))
        if kind == "Relu":
            return F.relu(x[0])
        if kind == "Sigmoid":
            return torch.sigmoid(x[0])
        if kind == "Add":
            return x[0] + x[1]
        if kind == "MaxPool":
            return F.max_pool2d(x[0], tuple(a["kernel_shape"]), tuple(a["strides"]), pads_of(a.get("pads", [0, 0, 0, 0])))
        if kind == "Resize":
            if a.get("mode", b"nearest") != b"nearest":
                raise SystemExit("cnn_table.py: only nearest Resize is supported")
            return F.interpolate(x[0], scale_factor=2.0, mode="nearest")
        if kind == "Transpose":
            return x[0].permute(tuple(a["perm"]))
        if kind == "Reshape":
            shape = [int(v) for v in self.host[node.input[1]]]
            return x[0].reshape([x[0].shape[0]] + shape[1:])
        if kind == "Concat":
            return torch.cat(x, a["axis"])
        if kind == "Softmax":
            return torch.softmax(x[0], a.get("axis", -1))
        raise SystemExit(f"cnn_table.py: {kind} is not supported")


def compare(path, network, image):
    """Prints the largest difference from ONNX Runtime on the CPU."""
    try:
        import onnxruntime
    except ImportError:
        print("onnxruntime is missing: the outputs of PyTorch are not compared")
        return
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    expected = session.run(network.outputs, {network.input: image.float().cpu().numpy()})
    worst = max(float(abs(mine.float().cpu().numpy() - theirs).max() / max(abs(theirs).max(), 1e-9))
                for mine, theirs in zip(network(image), expected))
    print(f"{network.dtype}: largest difference from ONNX Runtime, of the largest output: {worst:.1e}")
    if worst > (1e-4 if network.dtype == torch.float32 else 5e-2):
        raise SystemExit("cnn_table.py: PyTorch computes another network")


def torch_times(network, image, rounds):
    """Returns the medians of graph replays and of eager calls in microseconds."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(5):
            network(image)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        network(image)
    replays, eager = [], []
    repeats = 20
    for _ in range(rounds):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(repeats):
            graph.replay()
        end.record()
        torch.cuda.synchronize()
        replays.append(start.elapsed_time(end) * 1000 / repeats)
        before = time.perf_counter()
        for _ in range(repeats):
            network(image)
        torch.cuda.synchronize()
        eager.append((time.perf_counter() - before) * 1e6 / repeats)
    return statistics.median(replays), statistics.median(eager)


def throng_time(program, model, height, width, half):
    command = [program, "bench", "cnn", "--backend", "cuda", "--model", model, "--size", f"{width}x{height}", "--repeat", "100",
               "--no-baselines", "-q", "--json", "-"] + (["--half"] if half else [])
    row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["rows"][0]
    return sum(row["stages_ms"][stage] for stage in ("preprocess", "network", "boxes")) * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("throng")
    parser.add_argument("model")
    parser.add_argument("--batch", default="1,16", help="numbers of frames for PyTorch")
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}")
    lines = []
    with torch.no_grad():
        for dtype, bits in ((torch.float32, 32), (torch.float16, 16)):
            network = Network(options.model, dtype)
            _, channels, height, width = network.shape
            ours = throng_time(options.throng, options.model, height, width, bits == 16)
            lines.append((bits, "throng, with preprocessing and boxes", ours, 1.0))
            for batch in (int(n) for n in options.batch.split(",")):
                image = (torch.rand(batch, channels, height, width, device="cuda") * 255).to(dtype)
                image = image.contiguous(memory_format=torch.channels_last)
                if batch == 1:
                    compare(options.model, network, image)
                replay, eager = torch_times(network, image, options.rounds)
                frames = "1 frame" if batch == 1 else f"{batch} frames"
                lines.append((bits, f"PyTorch, graph, {frames}", replay, replay / batch / ours))
                lines.append((bits, f"PyTorch, eager, {frames}", eager, eager / batch / ours))
    print(f"\n{'bits':>4}  {'who':<38}{'us':>10}{'x':>8}")
    for bits, who, microseconds, ratio in lines:
        print(f"{bits:>4}  {who:<38}{microseconds:>10.1f}{ratio:>8.1f}")


if __name__ == "__main__":
    main()
