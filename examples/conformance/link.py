#!/usr/bin/env python3
"""A sender and a receiver with an alternating bit, in two processes over two sockets; what they do is logged.

    link.py LOG [--messages N] [--timer SECONDS] [--slow SECONDS]

Each line of LOG is an event with a vector clock; link.pml beside this file is the model. The receiver needs `--slow` seconds
for an answer; with a timer that is shorter than that the sender repeats a message before the answer is there, which the
model does not allow:

    link.py good.jsonl;                        cmc conform link.pml good.jsonl       explained
    link.py bad.jsonl --timer 0.01 --slow 0.1; cmc conform link.pml bad.jsonl        not explained
"""
import argparse
import json
import multiprocessing
import os
import socket
import time


class Log:
    """Events of one node, with its vector clock. Lines are appended whole, so that both nodes share a file."""

    def __init__(self, path, node):
        self.file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.node = node
        self.clock = {"sender": 0, "receiver": 0}

    def event(self, name, bit):
        self.clock[self.node] += 1
        line = {"event": name, "bit": bit, "node": self.node, "clock": self.clock}
        os.write(self.file, (json.dumps(line) + "\n").encode())

    def learn(self, clock):
        self.clock = {node: max(count, clock[node]) for node, count in self.clock.items()}


def send(link, log, bit):
    link.sendall((json.dumps({"bit": bit, "clock": log.clock}) + "\n").encode())


def receive(lines, log):
    message = json.loads(next(lines))
    log.learn(message["clock"])
    return message["bit"]


def sender(link, path, messages, timer):
    log = Log(path, "sender")
    lines = iter(link.makefile())
    bit, sent = 0, 0
    for _ in range(messages):
        while True:
            log.event("send", bit)
            send(link, log, bit)
            sent += 1
            if wait_for(link, timer):
                break
        answer = receive(lines, log)
        log.event("acked", answer)
        if answer == bit:
            bit = 1 - bit
    link.close()


def wait_for(link, timer):
    deadline = time.monotonic() + timer
    link.setblocking(False)
    try:
        while time.monotonic() < deadline:
            try:
                if link.recv(1, socket.MSG_PEEK):
                    return True
            except BlockingIOError:
                time.sleep(timer / 20)
        return False
    finally:
        link.setblocking(True)


def receiver(link, path, slow):
    log = Log(path, "receiver")
    lines = iter(link.makefile())
    try:
        while True:
            bit = receive(lines, log)
            log.event("got", bit)
            time.sleep(slow)
            log.event("answer", bit)
            send(link, log, bit)
    except (StopIteration, OSError):
        pass  # the sender has gone


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("log")
    parser.add_argument("--messages", type=int, default=20)
    parser.add_argument("--timer", type=float, default=5)
    parser.add_argument("--slow", type=float, default=0)
    arguments = parser.parse_args()
    open(arguments.log, "w", encoding="utf-8").close()
    near, far = socket.socketpair()
    other = multiprocessing.Process(target=serve, args=(far, near, arguments))
    other.start()
    far.close()
    sender(near, arguments.log, arguments.messages, arguments.timer)
    other.join()


def serve(link, other, arguments):
    other.close()
    receiver(link, arguments.log, arguments.slow)


if __name__ == "__main__":
    main()
