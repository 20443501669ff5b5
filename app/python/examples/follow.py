"""Follows and hides the faces in the frames of a source:  python3 follow.py crowd.mp4"""

import sys

import throng

source = sys.argv[1] if len(sys.argv) > 1 else "crowd:faces=4,size=320x240,frames=3"
try:
    with throng.Pipeline(source, images="rgb", track=True, hide="mosaic") as frames:
        for frame in frames:
            for face in frame.detections:
                print(f"frame {frame.index}: face {face['track']} at {face['x']:.0f}, {face['y']:.0f}")
            shown = frame.image  # [height, width, 3]: nobody, as the faces are hidden
except throng.Error as error:
    sys.exit(f"{error} (status {error.status})")
