#!/usr/bin/env python3
"""Measures time and memory of `detect` and `anonymize` on images that are read in strips.

usage: large_images.py THRONG [--tiles N] [--min-size PIXELS] [--model FILE] [--folder FOLDER]

Draws a crowd of 2,000x2,000 pixels and repeats it N times in both directions (10: 400 megapixels), as TIFF and PNG, and
as baseline and progressive JPEG if cjpeg is installed (libjpeg-turbo-progs). The folder needs about 4 GB for N = 10. Runs
on the CPU, with haar from --min-size on (400), and with the network of --model.
"""
import argparse
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import time
import zlib

SIDE = 2000  # of the drawn crowd
ROWS = 64    # of a strip


def read_ppm(path):
    data = path.read_bytes()
    magic, width, height, most = data.split(maxsplit=4)[:4]
    assert (magic, int(most)) == (b"P6", 255)
    size = int(width) * int(height) * 3
    return [data[len(data) - size + y * int(width) * 3:][:int(width) * 3] for y in range(int(height))]


def rows_of(tile, tiles):
    for _ in range(tiles):
        for row in tile:
            yield row * tiles


def write_tiff(path, tile, tiles):
    side = SIDE * tiles
    strips = -(-side // ROWS)
    first = 8
    sizes = [3 * side * min(ROWS, side - ROWS * i) for i in range(strips)]
    with open(path, "wb") as file:
        lists = first + sum(sizes)  # of offsets and sizes
        file.write(struct.pack("<2sHI", b"II", 42, lists + 8 * strips + 8))
        for row in rows_of(tile, tiles):
            file.write(row)
        offsets = [first + sum(sizes[:i]) for i in range(strips)]
        file.write(struct.pack(f"<{2 * strips}I4H", *offsets, *sizes, 8, 8, 8, 0))
        entries = [(256, 4, 1, side), (257, 4, 1, side), (258, 3, 3, lists + 8 * strips), (259, 3, 1, 1), (262, 3, 1, 2),
                   (273, 4, strips, lists), (277, 3, 1, 3), (278, 4, 1, ROWS), (279, 4, strips, lists + 4 * strips)]
        file.write(struct.pack("<H", len(entries)))
        for entry in entries:
            file.write(struct.pack("<HHII", *entry))
        file.write(struct.pack("<I", 0))


def write_png(path, tile, tiles):
    side = SIDE * tiles
    deflate = zlib.compressobj(1)

    with open(path, "wb") as file:
        def chunk(kind, data):
            file.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))

        file.write(b"\x89PNG\r\n\x1a\n")
        chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
        for row in rows_of(tile, tiles):
            if data := deflate.compress(b"\0" + row):
                chunk(b"IDAT", data)
        chunk(b"IDAT", deflate.flush())
        chunk(b"IEND", b"")


def write_jpeg(path, tile, tiles, *options):
    side = SIDE * tiles
    with open(path, "wb") as file:
        encoder = subprocess.Popen(["cjpeg", "-quality", "85", *options], stdin=subprocess.PIPE, stdout=file)
        encoder.stdin.write(b"P6\n%d %d\n255\n" % (side, side))
        for row in rows_of(tile, tiles):
            encoder.stdin.write(row)
        encoder.stdin.close()
        assert encoder.wait() == 0


def measure(command):
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("throng")
    parser.add_argument("--tiles", type=int, default=10)
    parser.add_argument("--min-size", default="400")
    parser.add_argument("--model")
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        folder = pathlib.Path(folder)
        subprocess.run([arguments.throng, "crowd", folder / "tile.ppm", "--size", f"{SIDE}x{SIDE}", "-q"], check=True)
        tile = read_ppm(folder / "tile.ppm")
        write_tiff(folder / "image.tif", tile, arguments.tiles)
        write_png(folder / "image.png", tile, arguments.tiles)
        if shutil.which("cjpeg"):
            write_jpeg(folder / "image.jpg", tile, arguments.tiles)
            write_jpeg(folder / "progressive.jpg", tile, arguments.tiles, "-progressive")
        detectors = {"haar": ["--detector", "haar", "--min-size", arguments.min_size]}
        if arguments.model:
            detectors["network"] = ["--detector", "cnn", "--model", arguments.model]
        print("| command | image | detector | status | MiB | s of processors | s |\n|---|---|---|---|---|---|---|")
        for image in sorted(folder.glob("*.[jpt][pni][gf]")):
            for name, options in detectors.items():
                for command, output in (("detect", ["--json", folder / "out.jsonl"]),
                                        ("anonymize", ["--out", folder / ("out" + image.suffix)])):
                    status, seconds, processors, memory = measure(
                        [arguments.throng, command, image, "--backend", "cpu", *options, *output, "-q"])
                    print(f"| {command} | {image.name} | {name} | {status} | {memory:.0f} | {processors:.0f} | "
                          f"{seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
