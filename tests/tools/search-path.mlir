// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shortest paths from both ends through the command line.
//
// RUN: zenith-search path lrx:6 --from=543210 --target=interp | FileCheck --check-prefix=LRX %s
// RUN: zenith-search path lrx:6 --from=543210 | FileCheck --check-prefix=LRX %s
// RUN: zenith-search path lrx:6 --from=543210 --json=- | FileCheck --check-prefix=JSON %s
// LRX: path: {{([LRX] ){12}[LRX]$}}
// JSON: "found":true
//
// States are arguments: one compiled program finds all paths.
// RUN: rm -rf %t.cache
// RUN: zenith-search path lrx:6 --from=543210 --cache=%t.cache --explain=cache 2>&1 | FileCheck --check-prefix=FIRST %s
// RUN: zenith-search path lrx:6 --from=120345 --to=503412 --cache=%t.cache --explain=cache 2>&1 | FileCheck --check-prefix=AGAIN %s
// FIRST: CAC002
// AGAIN: CAC001
//
// Generators without inverses: the other end goes backwards.
// RUN: zenith-search path lx:5 --from=43210 --to=01234 --json=- | FileCheck --check-prefix=LX %s
// LX: "found":true
// RUN: zenith-search path heisenberg:3,5 --from=1,2,3,0,1,4,0,0,1 | FileCheck --check-prefix=MATRIX %s
// MATRIX: path: {{[xy]}}
//
// Both ends are the same; there is no path, or none that is short enough.
// RUN: zenith-search path lrx:6 --from=012345 --json=- | FileCheck --check-prefix=SAME %s
// SAME: "path":[]
// RUN: zenith-search path lrx:6 --from=543211 --json=- | FileCheck --check-prefix=NONE %s
// NONE: "backward_layers":[1]{{.*}}"complete":true{{.*}}"forward_layers":[1],"found":false{{.*}}"path":null,"path_length":-1{{.*}}"reason":"unreachable"
// RUN: zenith-search path lrx:6 --from=543210 --from=543211 --metrics --json=- | FileCheck --check-prefix=AFTER %s
// AFTER: "found":true
// AFTER-NEXT: "expanded":0,{{.*}}"found":false,{{.*}}"reason":"unreachable",{{.*}}"run_ms":0,
// RUN: zenith-search path lrx:6 --from=543210 --max-steps=4 | FileCheck --check-prefix=SHORT %s
// SHORT: found: false
//
// Layers of one end come before those of the other, also where the search does not come to its end.
// RUN: zenith-search path lrx:9 --from=8,7,6,5,4,3,2,1,0 --json=- | FileCheck --check-prefix=ENDS %s
// ENDS: "layers":[1,3,6,12,24,{{.*}},1,3,6,12,24,
// RUN: not zenith-search path pancake:9 --from=8,0,7,1,6,2,5,3,4 --max-memory=100K --spill-dir=none --json=%t.json > %t.out
// RUN: cat %t.out %t.json | FileCheck --check-prefix=CUT %s
// CUT: layers: [1, 8, 56, {{.*}}1, 8, 56
// CUT: incomplete
// CUT: "complete":false{{.*}}"layers":[1,8,56,{{.*}}1,8,56{{.*}}"path":null
