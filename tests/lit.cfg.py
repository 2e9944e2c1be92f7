# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Text tests: every .mlir file with a RUN line, with zenith tools and FileCheck on the path.

import glob
import os

import lit.formats

config.name = "Zenith"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.zenith_build_dir, "tests", "lit")
config.excludes = ["Inputs"]

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.zenith_build_dir, "bin"), config.llvm_tools_dir, config.environment["PATH"]])
for name in ("OCL_ICD_VENDORS", "POCL_CACHE_DIR", "HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%shared", config.shared_data_dir))
config.substitutions.append(("%python", config.python_executable))
config.substitutions.append(("%source", config.zenith_source_dir))

vendors = os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors")
installed = os.path.isfile(vendors) or glob.glob(os.path.join(vendors, "*.icd"))
# The runtime lists no devices where drivers cannot see the machine.
if installed and os.path.isdir("/sys/devices/system/cpu"):
    config.available_features.add("opencl")
if config.shared_data_dir:
    config.available_features.add("shared-data")
