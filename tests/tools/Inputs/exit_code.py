# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: exit_code.py CODE COMMAND...: runs the command; its standard error goes to standard output, and the
# exit code must be CODE.
import subprocess
import sys

done = subprocess.run(sys.argv[2:], stderr=subprocess.STDOUT)
if done.returncode != int(sys.argv[1]):
    sys.exit(f"exit code {done.returncode}, expected {sys.argv[1]}")
