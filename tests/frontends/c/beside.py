#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs libzenith in one process with other libraries that hold an LLVM or a protobuf, in several orders, at once.

usage: beside.py LIBRARY MODEL [--all]

Others are jaxlib, onnxruntime, llvmlite and Debian's LLVM 19 with all its symbols in the global scope. Each order is a
process: libraries work once in order of loading, then all at once on threads; results of MODEL have the same bits each
time and in each order. --all takes every order of five, else a few. Exits 77 where none of the others is installed.
"""
import ctypes as C
import hashlib
import itertools
import os
import subprocess
import sys
import threading

LLVM = "/usr/lib/llvm-19/lib/"


class View(C.Structure):
    _fields_ = [("struct_size", C.c_uint64), ("dtype", C.c_int32), ("rank", C.c_int32), ("dims", C.POINTER(C.c_int64)),
                ("strides", C.POINTER(C.c_int64)), ("data", C.c_void_p), ("capacity", C.c_int64)]


class Info(C.Structure):
    _fields_ = [("struct_size", C.c_uint64), ("name", C.c_char_p), ("dtype", C.c_int32), ("rank", C.c_int32),
                ("dims", C.POINTER(C.c_int64)), ("dim_texts", C.POINTER(C.c_char_p)), ("has_default", C.c_int32),
                ("donatable", C.c_int32)]


def zenith(library, model):
    """The bits of the results of the model on a fixed input of f32."""
    lib = C.CDLL(library)
    lib.zenith_status_message.restype = C.c_char_p
    lib.zenith_array_data.restype = C.c_void_p
    lib.zenith_array_bytes.restype = C.c_int64

    def call(name, *arguments):
        function = getattr(lib, name)
        function.restype = C.c_void_p
        status = function(*arguments)
        if status:
            sys.exit(f"{name}: {lib.zenith_status_message(C.c_void_p(status)).decode()}")

    context, module, executable, session, array = (C.c_void_p() for _ in range(5))
    call("zenith_context_create", C.c_uint32(1 << 16), None, C.byref(context))
    call("zenith_module_load_file", context, model.encode(), None, C.byref(module))
    call("zenith_compile", module, None, C.byref(executable))
    call("zenith_session_create", executable, None, C.byref(session))
    info = Info(struct_size=C.sizeof(Info))
    call("zenith_executable_value", executable, None, C.c_int32(0), C.c_size_t(0), C.byref(info))
    dims = (C.c_int64 * info.rank)(*[max(info.dims[i], 1) for i in range(info.rank)])
    count = 1
    for dim in dims:
        count *= dim
    values = (C.c_float * count)(*[(i * 7 % 31) / 31 for i in range(count)])
    view = View(C.sizeof(View), info.dtype, info.rank, dims, None, C.cast(values, C.c_void_p), 0)
    call("zenith_array_wrap", context, C.byref(view), C.c_int32(0), None, None, C.byref(array))
    lib.zenith_executable_count.restype = C.c_size_t
    count = lib.zenith_executable_count(executable, None, C.c_int32(1))
    inputs, outputs = (C.c_void_p * 1)(array.value), (C.c_void_p * count)()
    call("zenith_run", session, None, inputs, C.c_size_t(1), outputs, C.c_size_t(count))
    bits = hashlib.sha256()
    for output in outputs:
        result = C.c_void_p(output)
        bits.update(C.string_at(lib.zenith_array_data(result), lib.zenith_array_bytes(result)))
        lib.zenith_array_free(result)
    for name, handle in (("array", array), ("session", session), ("executable", executable), ("module", module),
                         ("context", context)):
        getattr(lib, f"zenith_{name}_free")(handle)
    return bits.hexdigest()


def jaxlib(_):
    import jax
    import jax.numpy as jnp
    return float(jax.jit(lambda a: (a @ a.T).sum())(jnp.ones((8, 8)))) == 512


def onnxruntime(model):
    import numpy
    import onnxruntime as runtime
    session = runtime.InferenceSession(model)
    first = session.get_inputs()[0]
    shape = [size if isinstance(size, int) else 1 for size in first.shape]
    return bool(session.run(None, {first.name: numpy.zeros(shape, numpy.float32)}))


def llvmlite(_):
    import llvmlite.binding as binding
    try:
        binding.initialize()
    except RuntimeError:
        pass  # newer ones do so themselves
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine()
    engine = binding.create_mcjit_compiler(binding.parse_assembly("define i32 @f() { ret i32 7 }"), machine)
    engine.finalize_object()
    return C.CFUNCTYPE(C.c_int)(engine.get_function_address("f"))() == 7


def llvm(_):
    for name in ("libLLVM.so.1", "libMLIR.so.19.1"):
        C.CDLL(LLVM + name, C.RTLD_GLOBAL)
    return True


OTHERS = {"jaxlib": jaxlib, "onnxruntime": onnxruntime, "llvmlite": llvmlite, "llvm": llvm}


def one_order(library, model, order):
    """In a process of its own; prints the hash of the bits."""
    def work(name):
        if name == "zenith":
            return zenith(library, model)
        return OTHERS[name](model)

    first = {name: work(name) for name in order}
    at_once = {}
    threads = [threading.Thread(target=lambda name=name: at_once.__setitem__(name, work(name))) for name in order]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if at_once != first or not all(first.values()):
        sys.exit(f"{order}: {first}, then {at_once}")
    print(first["zenith"])


def is_here(name):
    if name == "llvm":
        return os.path.exists(LLVM + "libLLVM.so.1") and os.path.exists(LLVM + "libMLIR.so.19.1")
    return subprocess.run([sys.executable, "-c", f"import {'jax' if name == 'jaxlib' else name}"],
                          stderr=subprocess.DEVNULL).returncode == 0


def main():
    if sys.argv[1] == "--order":
        return one_order(sys.argv[2], sys.argv[3], sys.argv[4].split(","))
    library, model = map(os.path.abspath, sys.argv[1:3])
    here = [name for name in OTHERS if is_here(name)]
    if here in ([], ["llvm"]):
        print("none of jaxlib, onnxruntime, llvmlite is here")
        sys.exit(77)
    orders = list(itertools.permutations(["zenith", *here]))
    if "--all" not in sys.argv:
        orders = [orders[0], orders[len(orders) // 2], orders[-1]]
    bits = set()
    for order in orders:
        done = subprocess.run([sys.executable, __file__, "--order", library, model, ",".join(order)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"{order}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        bits.add(done.stdout.split()[-1])
    print(f"{len(orders)} orders of zenith and {', '.join(here)}: {len(bits)} result")
    sys.exit(len(bits) != 1)


main()
