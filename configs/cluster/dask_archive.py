#!/usr/bin/env python3
"""Processes an archive with Dask: one task per shard.

    dask_archive.py --scheduler tcp://head:8786 --shards 64 -- /data/photos /data/clips --out /data/results
    dask_archive.py --workers 2 --shards 8 -- photos --out results        (worker processes on this machine)

Arguments after -- go to `throng detect`, or to the command of --command. Inputs and the output folder must be at the same paths on all workers.
A shard whose throng or whose worker was killed runs again and continues where it was. Prints a table of the tasks.
Exit status: 0; 3 if files cannot be read (see `throng merge`); 1 if a shard failed.
Needs Debian's python3-distributed.
"""
import argparse
import os
import subprocess
import sys
import threading
import time

import dask
from distributed import Client, LocalCluster, as_completed, get_worker

RETRIES = 5          # of a shard whose throng died
WORKER_FAILURES = 20  # workers that may die with a shard; Dask's default of 3 is for tasks that kill them


def run_shard(program, throng_command, index, count, arguments):
    """Processes one shard on a worker. Raises if throng did not finish, so that Dask tries again."""
    start = time.monotonic()
    # throng must not outlive its worker: it would keep the lock of the shard.
    command = ["setpriv", "--pdeathsig", "KILL", program, throng_command, *arguments, "--shard", f"{index}/{count}",
               "--resume", "--quiet"]
    ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    if ended.returncode not in (0, 3):
        raise RuntimeError(f"shard {index}/{count}: status {ended.returncode}: {ended.stderr[-1000:]}")
    return {"shard": index, "status": ended.returncode, "seconds": time.monotonic() - start,
            "worker": get_worker().address, "pid": os.getpid()}


def keep_workers(cluster, count):
    """Starts workers whose nanny ended, too: a worker that was killed while it started may take its nanny along."""
    while cluster.status.name == "running":
        cluster.scale(count)
        time.sleep(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scheduler", help="address of a running scheduler")
    parser.add_argument("--workers", type=int, default=2, help="without --scheduler: worker processes on this machine")
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--program", default="throng")
    parser.add_argument("--command", default="detect", choices=["detect", "anonymize"])
    parser.add_argument("arguments", nargs="+", help="inputs and options of the command")
    options = parser.parse_args()

    dask.config.set({"distributed.scheduler.allowed-failures": WORKER_FAILURES})
    cluster = None if options.scheduler else LocalCluster(n_workers=options.workers, threads_per_worker=1,
                                                          dashboard_address=None)
    client = Client(options.scheduler or cluster)
    if cluster:
        threading.Thread(target=keep_workers, args=(cluster, options.workers), daemon=True).start()
    tasks = [client.submit(run_shard, options.program, options.command, index, options.shards, options.arguments,
                           pure=False, retries=RETRIES, key=f"shard-{index}") for index in range(1, options.shards + 1)]
    worst = 0
    print(f"{'shard':>5}  {'status':>6}  {'seconds':>7}  worker")
    for task in as_completed(tasks):
        if task.status != "finished":
            print(f"{task.key}: {task.exception()}", file=sys.stderr)
            worst = 1
            continue
        row = task.result()
        print(f"{row['shard']:>5}  {row['status']:>6}  {row['seconds']:>7.1f}  {row['worker']} (pid {row['pid']})",
              flush=True)
        worst = worst or row["status"]
    client.close()
    if cluster:
        cluster.close()
    return worst


if __name__ == "__main__":
    sys.exit(main())
