// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands of zenith-plan: plans, offsets, exit codes and messages.
//
// Three values of 64 bytes in a chain; the first is read again at the end.
// RUN: rm -rf %t && mkdir %t
// RUN: echo '{"format":"memory-graph","version":1,"name":"chain","values":[64,64,64,64],"steps":[{"cost":2,"reads":[],"writes":[0]},{"cost":1,"reads":[0],"writes":[1]},{"cost":1,"reads":[1],"writes":[2],"scratch":32},{"cost":1,"reads":[0,2],"writes":[3]}],"keep":[3]}' > %t/g.json
// RUN: zenith-plan graph %t/g.json | FileCheck --check-prefix=ONCE %s
// ONCE: {"cost":5,"lower_bound":192,"order":[0,1,2,3],"peak":224,"solve_ms":{{.*}}}
// RUN: zenith-plan graph %t/g.json --max-memory=200 -o - | FileCheck --check-prefix=AGAIN %s
// AGAIN: {"cost":7,"lower_bound":192,"order":[0,1,2,0,3],"peak":192,
// RUN: zenith-plan graph %t/g.json --frontier | FileCheck --check-prefix=LIST %s
// LIST: {{\[\[}}224,5],[192,7]]
// RUN: %python %S/Inputs/exit_code.py 5 zenith-plan graph %t/g.json --max-memory=200 --remat=off | FileCheck --check-prefix=OFF %s
// OFF: {"least_found":224,"lower_bound":224}
// RUN: %python %S/Inputs/exit_code.py 5 zenith-plan graph %t/g.json --max-memory=191 | FileCheck --check-prefix=LOW %s
// LOW: --max-memory=191 cannot be met: lower bound 192, least found 192
//
// Mistakes.
// RUN: %python %S/Inputs/exit_code.py 1 zenith-plan graph %t/g.json --max-memory=0 | FileCheck --check-prefix=ZERO %s
// ZERO: --max-memory
// RUN: %python %S/Inputs/exit_code.py 1 zenith-plan | FileCheck --check-prefix=COMMAND %s
// COMMAND: zenith-plan: error:
// RUN: sed 's/"reads":\[1\]/"reads":[3]/' %t/g.json > %t/cycle.json
// RUN: %python %S/Inputs/exit_code.py 2 zenith-plan graph %t/cycle.json | FileCheck --check-prefix=CYCLE %s
// CYCLE: cycle.json: error: steps[{{[23]}}]: the step is part of a cycle
// RUN: echo '{"format":' > %t/cut.json
// RUN: %python %S/Inputs/exit_code.py 2 zenith-plan graph %t/cut.json | FileCheck --check-prefix=CUT %s
// CUT: cut.json: error: {{\[}}2:0
// RUN: %python %S/Inputs/exit_code.py 2 zenith-plan graph %t/none.json | FileCheck --check-prefix=NONE %s
// NONE: none.json
//
// Offsets.
// RUN: printf 'id,lower,upper,size\nx,0,3,64\ny,3,5,128\nz,2,4,64\n' > %t/b.csv
// RUN: zenith-plan arena %t/b.csv | FileCheck --check-prefix=ARENA %s
// ARENA: id,lower,upper,size,offset
// ARENA-NEXT: x,0,3,64,0
// ARENA-NEXT: y,3,5,128,0
// ARENA-NEXT: z,2,4,64,128
// RUN: %python %S/Inputs/exit_code.py 5 zenith-plan arena %t/b.csv --capacity=191 | FileCheck --check-prefix=FULL %s
// FULL: {"least_found":192,"lower_bound":192}
// RUN: printf 'id,lower,upper,size\nx,0,3,64\n\nx,3,5,128\n' > %t/double.csv
// RUN: %python %S/Inputs/exit_code.py 2 zenith-plan arena %t/double.csv | FileCheck --check-prefix=DOUBLE %s
// DOUBLE: double.csv: error: 4: there are two buffers 'x'
// RUN: printf 'id,lower,upper,size\nx,9,2,64\n' > %t/reversed.csv
// RUN: %python %S/Inputs/exit_code.py 2 zenith-plan arena %t/reversed.csv | FileCheck --check-prefix=REVERSED %s
// REVERSED: 2: buffer 'x' lives from 9 to before 2
// RUN: printf 'id,begin,end\n0,1,2\n' > %t/header.csv
// RUN: %python %S/Inputs/exit_code.py 2 zenith-plan arena %t/header.csv | FileCheck --check-prefix=HEADER %s
// HEADER: 1: there is no column 'lower', expected id, lower, upper and size
