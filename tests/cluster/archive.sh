# What the tests of the recipes share; sourced by them. Expects: THRONG (the program), folder (of the test).
# Sets: seed. Functions print what they measure and end the script on failure.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
seed=${THRONG_SEED:-27}
options=(--detector lbp --backend cpu --min-size 24 --streams 1 --threads 1)
segment=5 # seconds of a part of the long video

fail() { echo "$(basename "$0"): $*" >&2; exit 1; }

need() { # need COMMAND PACKAGE...
    command -v "$1" >/dev/null || fail "$1 is missing: apt-get install ${*:2}"
}

prepare() { # prepare [THRONG] [PHOTOS] [CLIPS] [COMMAND]: parses the arguments of the script, makes the folder
    THRONG=$(realpath "${1:-$root/build/bin/throng}")
    photos=${2:-200}
    clips=${3:-10}
    command=${4:-detect}
    case "$command" in
        detect) merged=--json; options+=(--track) ;;
        anonymize) merged=--report; options+=(--encoder libx264) ;;
        *) fail "no command $command: use detect or anonymize" ;;
    esac
    need ffmpeg ffmpeg
    [ -x "$THRONG" ] || fail "no program $THRONG"
    folder=$(mktemp -d "${TMPDIR:-/tmp}/throng-cluster.XXXXXX")
    export THRONG seed THRONG_COMMAND=$command
    echo "$("$THRONG" --version), seed $seed, $command, $photos photographs, $clips clips, 1 long video, $folder"
}

draw() { # draws the inputs. Photographs are the frames of crowds of 50 seeds: starting throng for each would take longest.
    mkdir -p "$folder/in/photos" "$folder/in/clips"
    local each=$(((photos + 49) / 50)) crowd
    for crowd in $(seq $((photos < 50 ? photos : 50))); do
        "$THRONG" crowd "$folder/crowd.mp4" --size 320x240 --faces 12 --frames "$each" --seed "$seed$crowd" -q
        ffmpeg -nostdin -v error -i "$folder/crowd.mp4" -q:v 3 "$folder/in/photos/$crowd-%d.jpg"
        rm "$folder/crowd.mp4"
    done
    find "$folder/in/photos" -type f | sort | tail -n "+$((photos + 1))" | xargs -r rm
    for crowd in $(seq "$clips"); do
        "$THRONG" crowd "$folder/in/clips/$crowd.mp4" --size 320x240 --faces 8 --frames 30 --seed "$seed$crowd" -q
    done
    # Key frames at irregular distances, B-frames and sound. x264 writes the same bytes in every run without its
    # macroblock tree, whose AVX-512 functions read uninitialized memory.
    "$THRONG" crowd "$folder/crowd.mp4" --size 320x240 --faces 12 --motion walk --fps 15 --frames 600 --seed "$seed" -q
    ffmpeg -nostdin -v error -i "$folder/crowd.mp4" -f lavfi -i sine -shortest -c:v libx264 -preset veryfast -x264-params mbtree=0 -g 37 \
        -bf 2 -c:a aac "$folder/in/long.mp4"
    rm "$folder/crowd.mp4"
}

single_run() { # the expected result: one run that nothing kills, over whole videos; the runs of the engine divide the long one
    local start=$SECONDS
    # Encoded parts begin with key frames, so the bytes of hidden videos are those of a run with the same parts.
    [ "$command" = detect ] || options+=(--segment "$segment")
    "$THRONG" "$command" "$folder/in" --out "$folder/single" "${options[@]}" -q
    "$THRONG" merge "$folder/single" "$merged" "$folder/single.merged" -q
    echo "single run: $((SECONDS - start)) s"
    [ "$command" = anonymize ] || options+=(--segment "$segment")
}

compare() { # compare RESULT: merges the results and compares them with those of the single run
    "$THRONG" merge "$1" "$merged" "$folder/killed.merged"
    local times='s/,"timings_ms":.*//' file
    if [ "$command" = anonymize ]; then
        # The joined reports have the hashes of all outputs, which merge has compared with the files.
        for file in json html; do
            cmp "$folder/single.merged.$file" "$folder/killed.merged.$file" || fail "the reports differ"
        done
    else
        cmp <(sed "$times" "$folder/single.merged") <(sed "$times" "$folder/killed.merged") || fail "the results differ"
    fi
    local lines names
    lines=$(cat "$1"/.throng/shard-*.jsonl | grep -c '"status":"done"')
    names=$(cat "$1"/.throng/shard-*.jsonl | sed 's/,"size".*//' | sort -u | wc -l)
    [ "$lines" = $((photos + clips + 1)) ] && [ "$names" = "$lines" ] || fail "$lines records of $names inputs"
    local parts shards
    parts=$(cat "$1"/.throng/parts/.throng/shard-*.jsonl | sed 's/,"size".*//' | grep 's/[0-9]*-of-[0-9]*"$' | sort -u | wc -l)
    shards=$(grep -l . "$1"/.throng/parts/.throng/shard-*.jsonl | wc -l)
    [ "$parts" -gt 2 ] && [ "$shards" -gt 1 ] || fail "the long video was processed as $parts parts by $shards shards"
    echo "equal: $lines inputs, each once; the long video in $parts parts by $shards shards"
}

killer() { # killer SECONDS: writes a program that runs throng and kills three of the eight tasks within so many seconds, and 3 of 10
# of their second and third runs
    cat >"$folder/throng" <<EOF
#!/usr/bin/env python3
import os, random, subprocess, sys, time
shard = sys.argv[sys.argv.index("--shard") + 1]
with open("$folder/runs-" + shard.replace("/", "-of-"), "a+") as runs:
    runs.seek(0)
    attempt = len(runs.read())
    runs.write("x")
throw = random.Random(f"$seed {shard} {attempt}")
run = subprocess.Popen(["$THRONG", *sys.argv[1:]])
victims = random.Random("$seed").sample(range(1, 9), 3)  # of the first runs; later ones by chance
if attempt == 0 and int(shard.split("/")[0]) in victims or attempt in (1, 2) and throw.random() < 0.3:
    try:
        run.wait(throw.uniform(0.05, $1))
    except subprocess.TimeoutExpired:
        run.kill()
        with open("$folder/killed", "a") as killed:
            killed.write(f"{shard} attempt {attempt + 1}\n")
status = run.wait()
sys.exit(status if status >= 0 else 128 - status)
EOF
    chmod +x "$folder/throng"
}

report_kills() { # how many runs were killed; at least one must have been
    local count
    count=$(cat "$folder/killed" 2>/dev/null | wc -l)
    echo "killed: $count runs ($(sort "$folder/killed" 2>/dev/null | paste -sd, || true))"
    [ "$count" -gt 0 ] || fail "nothing was killed: the test is without effect"
}
