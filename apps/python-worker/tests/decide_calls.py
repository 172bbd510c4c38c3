"""
Interprets the seccomp filter of both architectures and prints, as JSON, {architecture: {call: decision}} for the calls
on standard input: [[name, number on x86_64, number on aarch64, [arguments]]]. Decisions: "allow", "kill", or an errno.
"""

import errno
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from millrace_worker.sealing import seccomp  # noqa: E402

PID = 4711


def decide(program, words):
    accumulator, position = 0, 0
    while True:
        code, true, false, k = program[position]
        position += 1
        if code == 0x20:
            accumulator = words[k // 4]
        elif code == 0x54:
            accumulator &= k
        elif code == 0x15:
            position += true if accumulator == k else false
        elif code == 0x35:
            position += true if accumulator >= k else false
        elif k == 0x7FFF0000:
            return "allow"
        else:
            return "kill" if k == 0x80000000 else errno.errorcode[k & 0xFFFF]


def main():
    calls = json.load(sys.stdin)
    machines = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
    decisions = {}
    for index, (machine, audit) in enumerate(machines.items()):
        program = seccomp.program(machine, PID, (1, 2), True)
        for name, *numbers, arguments in calls:
            values = [part for one in [*arguments, *[0] * (6 - len(arguments))] for part in (one & 0xFFFFFFFF, one >> 32)]
            decision = decide(program, [numbers[index], audit, 0, 0, *values])
            decisions.setdefault(machine, {})[name] = decision
    print(json.dumps(decisions))


if __name__ == "__main__":
    main()
