#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs seeded ONNX programs of open dimensions with sizes that agree, broadcast or contradict, on several targets.

usage: random_sizes.py LIBZENITH FIRST COUNT [--targets=interp,cpu,opencl] [--formats=stablehlo,graphir,onnx] [--keep=DIR]

The interpreter says what a program means: other targets, and cpu with one thread and three, give equal values or the same
refusal (code and message). A quarter of the programs is written in another format first and read again. A finding is a
crash, a hang, an internal error, other values, another refusal, or a program that does not run with the sizes that it was
made for. Exits 1 where there are findings; --keep writes their models to DIR.
"""
import collections
import ctypes as C
import os
import random
import select
import signal
import struct
import sys
import time

import size_programs
from onnx_writer import FLOAT

BLOCK = 20
RUN_FAILED = 6
SECONDS = 120
LETTERS = {1: "?", 4: "b", 6: "i", 7: "q", 8: "B", 14: "f", 15: "d"}
DTYPES = {1: 14, 7: 7, 9: 1}


class Failure(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message


class View(C.Structure):
    _fields_ = [("struct_size", C.c_uint64), ("dtype", C.c_int32), ("rank", C.c_int32), ("dims", C.POINTER(C.c_int64)),
                ("strides", C.POINTER(C.c_int64)), ("data", C.c_void_p), ("capacity", C.c_int64)]


def options(*fields):
    """A struct of options with these fields set, the size first."""
    class Options(C.Structure):
        _fields_ = [("struct_size", C.c_uint64)] + [(name, kind) for name, kind, _ in fields]
    return Options(C.sizeof(Options), *[value for _, _, value in fields])


class Library:
    def __init__(self, path):
        self.lib = C.CDLL(path)
        self.lib.zenith_status_message.restype = C.c_char_p
        self.lib.zenith_status_place.restype = C.c_char_p
        self.lib.zenith_status_code.restype = C.c_int32
        self.lib.zenith_array_data.restype = self.lib.zenith_blob_data.restype = C.c_void_p
        self.lib.zenith_array_bytes.restype = C.c_int64
        self.lib.zenith_blob_size.restype = self.lib.zenith_executable_count.restype = C.c_size_t
        self.context = C.c_void_p()
        threads = options(("allocator", C.c_void_p, None), ("parallel", C.c_void_p, None), ("threads", C.c_int32, 3),
                          ("reserved", C.c_int32, 0))
        self.call("zenith_context_create", C.c_uint32(1 << 16), C.byref(threads), C.byref(self.context))

    def call(self, name, *arguments):
        function = getattr(self.lib, name)
        function.restype = C.c_void_p
        status = function(*arguments)
        if status:
            handle = C.c_void_p(status)
            texts = [part(handle).decode() for part in (self.lib.zenith_status_place, self.lib.zenith_status_message)]
            failure = Failure(self.lib.zenith_status_code(handle), ": ".join(filter(None, texts)))
            self.lib.zenith_status_free(handle)
            raise failure

    def load(self, data, form):
        module = C.c_void_p()
        self.call("zenith_module_load_memory", self.context, data, C.c_size_t(len(data)),
                  C.byref(options(("format", C.c_char_p, form.encode()))), C.byref(module))
        return module

    def written(self, module, form):
        blob = C.c_void_p()
        self.call("zenith_module_write", module, form.encode(), None, None, C.byref(blob))
        data = C.string_at(self.lib.zenith_blob_data(blob), self.lib.zenith_blob_size(blob))
        self.lib.zenith_blob_free(blob)
        return data

    def session(self, module, target):
        executable, session = C.c_void_p(), C.c_void_p()
        self.call("zenith_compile", module, C.byref(options(("target", C.c_char_p, target.encode()))), C.byref(executable))
        self.call("zenith_session_create", executable, None, C.byref(session))
        count = self.lib.zenith_executable_count(executable, None, C.c_int32(1))
        self.lib.zenith_executable_free(executable)
        return session, count

    def array(self, kind, shape, data):
        array, dims = C.c_void_p(), (C.c_int64 * max(1, len(shape)))(*shape)
        view = View(C.sizeof(View), DTYPES[kind], len(shape), dims, None, C.cast(C.c_char_p(data), C.c_void_p), 0)
        self.call("zenith_array_wrap", self.context, C.byref(view), C.c_int32(0), None, None, C.byref(array))
        return array

    def run(self, session, count, arrays, threads):
        """Results as (dtype, shape, bytes)."""
        outputs = (C.c_void_p * count)()
        how = options(("entry", C.c_char_p, None), ("flags", C.c_int32, 0), ("threads", C.c_int32, threads))
        self.call("zenith_run", session, C.byref(how), (C.c_void_p * len(arrays))(*[one.value for one in arrays]),
                  C.c_size_t(len(arrays)), outputs, C.c_size_t(count))
        results = []
        for output in map(C.c_void_p, outputs):
            view = View(struct_size=C.sizeof(View))
            self.lib.zenith_array_view(output, C.byref(view))
            size = self.lib.zenith_array_bytes(output)
            data = C.string_at(self.lib.zenith_array_data(output), size) if size else b""
            results.append((view.dtype, tuple(view.dims[:view.rank]), data))
            self.lib.zenith_array_free(output)
        return results

    def free(self, kind, handle):
        getattr(self.lib, "zenith_%s_free" % kind)(handle)


def elements(rng, kind, shape, values, bounds):
    count = 1
    for size in shape:
        count *= size
    if values is not None:
        return struct.pack("<%dq" % len(values), *values)
    if kind == FLOAT:
        return struct.pack("<%df" % count, *[rng.uniform(-2, 2) for _ in range(count)])
    return struct.pack("<%dq" % count, *[rng.randrange(*bounds) for _ in range(count)])


def difference(got, expected):
    """None, or a sentence."""
    for k, (one, other) in enumerate(zip(got, expected)):
        if one[:2] != other[:2]:
            return "result %d is %s instead of %s" % (k, one[:2], other[:2])
        letter = LETTERS[one[0]]
        a, b = ([item[0] for item in struct.iter_unpack("<" + letter, data)] for data in (one[2], other[2]))
        finite = [abs(item) for item in b if item == item and abs(item) < 1e38]
        # The logarithm of a sum that is about 1 is about 0, whatever was summed.
        slack = max(2e-5 * max(finite, default=0), 1e-6) if letter == "f" else 0
        for at, (x, y) in enumerate(zip(a, b)):
            if x != y and (x == x or y == y) and not abs(x - y) <= slack + 2e-4 * abs(y):
                return "result %d, element %d is %r instead of %r" % (k, at, x, y)
    return None


class Block:
    """Runs programs and reports on a pipe, so that a crash tells which one it was."""

    def __init__(self, path, targets, formats, out):
        self.library, self.targets, self.formats, self.out = Library(path), targets, formats, out
        self.counts = collections.Counter()

    def say(self, word, *rest):
        self.out.write("\t".join((word,) + tuple(str(item).replace("\n", " ") for item in rest)) + "\n")
        self.out.flush()

    def sessions(self, seed, data):
        """(label, session, results, threads) for all targets; findings where one refuses what another one takes."""
        module = self.library.load(data, "onnx")
        modules = {"": module}
        for form in self.formats:
            if seed % 4 == 0:
                try:
                    modules[form + " "] = self.library.load(self.library.written(module, form), form)
                except Failure as failure:
                    self.counts["%s: code %d" % (form, failure.code)] += 1
                    if failure.code != 3:
                        self.say("F", seed, "written as %s: %d: %s" % (form, failure.code, failure.message))
        made = []
        for form, one in modules.items():
            for target in self.targets if not form else ("interp", "cpu"):
                try:
                    session, count = self.library.session(one, target)
                except Failure as failure:
                    self.counts["%s%s: compile code %d" % (form, target, failure.code)] += 1
                    if failure.code != 3 or target != "opencl":
                        self.say("F", seed, "%s%s does not compile: %d: %s" % (form, target, failure.code, failure.message))
                    continue
                for threads in (1, 3) if form + target == "cpu" else (3,):
                    made.append((form, "%s%s/%d" % (form, target, threads), session, count, threads))
            self.library.free("module", one)
        return made

    def outcome(self, session, count, threads, run, rng):
        arrays = []
        try:
            for shape, values, one in run:
                arrays.append(self.library.array(one.kind, shape, elements(rng, one.kind, shape, values, one.bounds)))
            return 0, "", self.library.run(session, count, arrays, threads)
        except Failure as failure:
            return failure.code, failure.message, []
        finally:
            for array in arrays:
                self.library.free("array", array)

    def program(self, seed):
        rng = random.Random(seed)
        program = size_programs.Program(rng)
        try:
            sessions = self.sessions(seed, program.bytes())
        except Failure as failure:
            self.counts["import: code %d" % failure.code] += 1
            self.say("F", seed, "%d: %s" % (failure.code, failure.message))
            return
        if not sessions:
            return
        for number, kind in enumerate(size_programs.RUNS):
            run = program.run(kind)
            key = "%d %d" % (seed, number)
            outcomes = [(form, label, self.outcome(session, count, threads, run, random.Random(key)))
                        for form, label, session, count, threads in sessions]
            _, first, (code, message, results) = outcomes[0]
            self.counts["run %s" % ("equal values" if not code else "refused, %d" % code)] += 1
            if kind == "as made" and code:
                self.say("F", seed, "refused as made by %s: %d: %s" % (first, code, message))
            for form, label, (other, words, values) in outcomes[1:]:
                why = None
                if form == "stablehlo " and code == RUN_FAILED:
                    continue  # an index out of range is no error there
                if other != code and not (other and code and self.is_first_of_several(program, words + message)):
                    why = "%d: %s instead of %d: %s" % (other, words, code, message)
                elif other == code and words != message and not form and not self.is_first_of_several(program):
                    why = "%s instead of %s" % (words, message)
                elif not code and not other:
                    why = difference(values, results)
                if why:
                    self.say("F", seed, "run %d (%s), %s and %s: %s; %s" % (
                        number, kind, first, label, why, [shape if one is None else one for shape, one, _ in run]))
                    break
        for session in {one[2].value for one in sessions}:
            self.library.free("session", C.c_void_p(session))

    @staticmethod
    def is_first_of_several(program, messages=None):
        """Where several sizes contradict, those that arguments decide are found before those of data, regions and indices."""
        return program.has_regions or program.asks_data if messages is None else "out of range" in messages

    def programs(self, first, last):
        for seed in range(first, last):
            self.say("S", seed)
            self.program(seed)
        for name, count in self.counts.items():
            self.say("C", name, count)


def block(path, targets, formats, first, last):
    """In a process of its own: (lines, None) or (lines, how it ended)."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        try:
            with os.fdopen(write, "w") as out:
                Block(path, targets, formats, out).programs(first, last)
        except BaseException as error:
            sys.stderr.write("%s: %s\n" % (type(error).__name__, error))
            os._exit(99)
        os._exit(0)
    os.close(write)
    text, deadline = b"", time.monotonic() + SECONDS
    while True:
        if not select.select([read], [], [], max(0, deadline - time.monotonic()))[0]:
            os.kill(child, signal.SIGKILL)
            break
        part = os.read(read, 65536)
        if not part:
            break
        text, deadline = text + part, time.monotonic() + SECONDS
    os.close(read)
    status = os.waitpid(child, 0)[1]
    lines = [line.split("\t") for line in text.decode(errors="replace").splitlines()]
    return lines, None if not status else "ended by %s" % (
        "signal %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else "exit %d" % os.WEXITSTATUS(status))


def main(path, first, count, asked):
    targets = asked.get("targets", "interp,cpu").split(",")
    formats = [one for one in asked.get("formats", "stablehlo,graphir").split(",") if one]
    counts, findings, seed = collections.Counter(), 0, first
    while seed < first + count:
        last = min(seed + BLOCK, first + count)
        lines, ended = block(os.path.abspath(path), targets, formats, seed, last)
        reached = seed
        for word, *rest in lines:
            if word == "S":
                reached = int(rest[0])
            elif word == "C":
                counts[rest[0]] += int(rest[1])
        found = [(int(rest[0]), rest[1]) for word, *rest in lines if word == "F"]
        if ended:
            found.append((reached, ended))
        for at, why in found:
            findings += 1
            print("program %d: %s" % (at, why[:400]), flush=True)
            if "keep" in asked:
                os.makedirs(asked["keep"], exist_ok=True)
                with open(os.path.join(asked["keep"], "%d.onnx" % at), "wb") as file:
                    file.write(size_programs.Program(random.Random(at)).bytes())
        seed = reached + 1 if ended else last
    print("%d programs, %d findings: %s" % (count, findings, dict(sorted(counts.items()))))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]),
                  dict(argument[2:].split("=", 1) for argument in sys.argv[4:] if argument.startswith("--"))))
