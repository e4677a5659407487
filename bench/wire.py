#!/usr/bin/env python3
"""Two ranks of cmc-mpi in network namespaces of their own, with a link of a given rate between them: bytes on the wire for each transition of
the model, and CPU time. As root, with Open MPI.

    bench/wire.py --build build [--rate 1gbit] [MODEL ...]"""

import argparse
import json
import os
import pathlib
import resource
import stat
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
HOSTS = {"cmc-a": "10.97.0.1", "cmc-b": "10.97.0.2"}
MODELS = {
    "peterson4": [ROOT / "models/peterson/peterson4.pml"],
    "leader8": ["-DN=8", ROOT / "models/leader/leader.pml"],
    "lunar-h": ["-DFLOWS=2", ROOT / "models/lunar/lunar-h.pml"],
}
# What mpirun takes for ssh: the host is the namespace with that address.
AGENT = """#!/bin/sh
case "$1" in {cases} esac
shift
exec ip netns exec "$name" unshare -u sh -c "hostname $name; exec $*"
"""


def sh(*words):
    subprocess.run([str(word) for word in words], check=True)


def make_link(rate):
    for name in HOSTS:
        sh("ip", "netns", "add", name)
    sh("ip", "link", "add", "wire", "netns", "cmc-a", "type", "veth", "peer", "name", "wire", "netns", "cmc-b")
    for name, address in HOSTS.items():
        within = ["ip", "netns", "exec", name]
        sh(*within, "ip", "address", "add", address + "/24", "dev", "wire")
        sh(*within, "ip", "link", "set", "wire", "up")
        sh(*within, "ip", "link", "set", "lo", "up")
        if rate:
            sh(*within, "tc", "qdisc", "add", "dev", "wire", "root", "tbf", "rate", rate, "burst", "256kb", "latency", "50ms")


def remove_link():
    for name in HOSTS:
        subprocess.run(["ip", "netns", "delete", name], check=False)


def wire_bytes():
    """In both directions."""
    total = 0
    for direction in "rx_bytes", "tx_bytes":
        read = ["ip", "netns", "exec", "cmc-a", "cat", f"/sys/class/net/wire/statistics/{direction}"]
        total += int(subprocess.run(read, check=True, capture_output=True, text=True).stdout)
    return total


def measure(build, arguments, paths, folder):
    agent = folder / "agent"
    agent.write_text(AGENT.format(cases=" ".join(f"{address}) name={name};;" for name, address in HOSTS.items())))
    agent.chmod(agent.stat().st_mode | stat.S_IXUSR)
    result = folder / "result.json"
    mpirun = ["ip", "netns", "exec", "cmc-a", "unshare", "-u", "sh", "-c", 'hostname cmc-a; exec "$0" "$@"', "mpirun",
              "--allow-run-as-root", "--host", ",".join(HOSTS.values()), "-n", "2", "--mca", "plm_rsh_agent", agent, "--mca", "btl", "tcp,self",
              "--mca", "btl_tcp_if_include", "wire", "--mca", "oob_tcp_if_include", "wire"]
    command = [*mpirun, build / "cmc-mpi", "check", "--threads", "1", "--memory", "2G", "--reductions", "none", "--paths", paths,
               f"--store={folder}", f"--json={result}", *arguments]
    before, begun = wire_bytes(), time.monotonic()
    cpu = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = json.loads(result.read_text())
    seconds = after.ru_utime + after.ru_stime - cpu.ru_utime - cpu.ru_stime
    return {"states": text["states_stored"], "transitions": text["transitions"], "bytes": wire_bytes() - before,
            "wall": time.monotonic() - begun, "cpu": seconds}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rate", default="1gbit", help="of each direction; empty: as fast as it can")
    options = parser.parse_args()
    os.environ["TMPDIR"] = "/tmp"  # sockets of mpirun have short names
    make_link(options.rate)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name in options.models:
                for paths in "on", "off":
                    figures = measure(options.build.resolve(), MODELS[name], paths, pathlib.Path(folder))
                    print(f"{name:10} paths {paths:3} {figures['states']:>12,} states {figures['transitions']:>12,} transitions "
                          f"{figures['bytes'] / figures['transitions']:6.2f} bytes on the wire a transition {figures['cpu']:6.1f} s CPU "
                          f"{figures['wall']:6.1f} s", flush=True)
    finally:
        remove_link()


if __name__ == "__main__":
    main()
