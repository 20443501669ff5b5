# What the tests with real services share; sourced by them. Each starts its services on free ports of the loopback
# interface, in a folder of its own, and ends them by their process ids. Sets: THRONG (the program), folder.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
pids=()

fail() { echo "$(basename "$0"): $*" >&2; exit 1; }

need() { # need COMMAND PACKAGE
    command -v "$1" >/dev/null || fail "$1 is missing: configs/setup service, or apt-get install $2"
}

end() { # end PID: ends a process that this script started, and waits for it
    kill "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}

clean_up() {
    for pid in ${pids[@]+"${pids[@]}"}; do end "$pid"; done
    [ -n "${KEEP:-}" ] || rm -rf "$folder"
}

prepare() { # prepare [THRONG]: the folder, and the program
    THRONG=$(realpath "${1:-$root/build/bin/throng}")
    [ -x "$THRONG" ] || fail "no program $THRONG"
    folder=$(mktemp -d "${TMPDIR:-/tmp}/throng-service.XXXXXX")
    trap clean_up EXIT
    trap 'exit 130' INT TERM
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

now() { date +%s.%N; }

since() { # since TIME: seconds
    awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.2f", b - a }'
}

eventually() { # eventually SECONDS COMMAND...: until the command succeeds
    local start seconds=$1
    shift
    start=$(now)
    until "$@"; do
        awk -v t="$(since "$start")" -v s="$seconds" 'BEGIN { exit t < s }' && return 1
        sleep 0.05
    done
}

# A camera: the drawn crowd that walks, at the pace of a live source, without an end. make_camera SECONDS, then camera PIPE &
make_camera() {
    "$THRONG" crowd "$folder/crowd.mp4" --faces 12 --size 640x360 --motion walk --fps 10 --frames $(($1 * 10)) --quiet
    mkfifo "$folder/camera"
}
camera() {
    exec ffmpeg -nostdin -v fatal -re -stream_loop -1 -i "$folder/crowd.mp4" -c copy -f mpegts -y "$folder/camera"
}
