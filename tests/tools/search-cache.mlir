// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits and the starts of paths and beams are arguments of a program: one compiled program serves them all.
//
// KEPT: CAC002
// FOUND: CAC001
// RUN: rm -rf %t && zenith-search bfs lrx:7 --max-layers=3 --cache=%t --explain=cache 2>&1 | FileCheck --check-prefix=KEPT %s
// RUN: zenith-search bfs lrx:7 --max-layers=5 --cache=%t --explain=cache 2>&1 | FileCheck --check-prefixes=FOUND,FIVE %s
// RUN: zenith-search bfs lrx:7 --cache=%t --explain=cache 2>&1 | FileCheck --check-prefix=FOUND %s
// RUN: zenith-search bfs lrx:7 --max-layers=3 --stepwise --cache=%t --explain=cache 2>&1 | FileCheck --check-prefix=KEPT %s
// RUN: zenith-search bfs lrx:7 --max-layers=5 --stepwise=2 --cache=%t --explain=cache 2>&1 | FileCheck --check-prefixes=FOUND,FIVE %s
// FIVE: layers: [1, 3, 6, 12, 22, 42]
//
// RUN: zenith-search path lrx:6 --from=543210 --max-steps=2 --cache=%t --explain=cache 2>&1 | FileCheck --check-prefix=KEPT %s
// RUN: zenith-search path lrx:6 --from=543210 --max-steps=20 --cache=%t --explain=cache 2>&1 | FileCheck --check-prefixes=FOUND,PATH %s
// RUN: zenith-search path lrx:6 --from=102345 --cache=%t --explain=cache 2>&1 | FileCheck --check-prefixes=FOUND,PATH %s
// PATH: path:
//
// The memory for the links of a beam is that of the next power of two of steps.
// RUN: zenith-search beam lrx:6 --from=543210 --width=50 --score=zero --max-steps=600 --cache=%t --explain=cache 2>&1 | FileCheck --check-prefix=KEPT %s
// RUN: zenith-search beam lrx:6 --from=543210 --width=50 --score=zero --max-steps=900 --cache=%t --explain=cache 2>&1 | FileCheck --check-prefix=FOUND %s
// RUN: zenith-search beam lrx:6 --from=102345 --width=50 --score=zero --cache=%t --explain=cache 2>&1 | FileCheck --check-prefixes=FOUND,PATH %s
