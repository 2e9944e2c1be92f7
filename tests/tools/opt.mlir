// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of zenith-opt: order, spellings, StableHLO, printing, reproducers.
//
// RUN: rm -rf %t && split-file %s %t
//
// Phases and passes run in the order given; where --from or --to is first, the phases are.
// RUN: zenith-opt %t/graph.mlir --target=cpu:x86-64-v3 --cse --to=clean --canonicalize --from=import --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck --check-prefix=ORDER %s
// ORDER: builtin.module(cse,zenith-import-stablehlo,zenith-phases{{[{].*}} from=import {{.*}}to=clean{{.*[}]}},canonicalize{{.*}})
// RUN: zenith-opt %t/graph.mlir -to=fuse | FileCheck --check-prefix=FUSED %s
// RUN: zenith-opt %t/graph.mlir --to fuse | FileCheck --check-prefix=FUSED %s
// RUN: zenith-opt %t/graph.mlir -to fuse -target cpu:x86-64-v3 -explain 2>/dev/null | FileCheck --check-prefix=FUSED %s
// FUSED: graph.phase = "fuse"
// FUSED: graph.fusion pointwise
//
// RUN: zenith-opt %t/graph.mlir --to=fuse --mlir-print-ir-before=zenith-form-fusions -o /dev/null 2>&1 | FileCheck --check-prefix=BEFORE %s
// BEFORE: IR Dump Before FormFusionsPass (zenith-form-fusions)
// BEFORE-NOT: graph.fusion
// RUN: zenith-opt %t/graph.mlir --to=fuse --mlir-print-ir-after=zenith-form-fusions -o /dev/null 2>&1 | FileCheck --check-prefix=AFTER %s
// AFTER: IR Dump After FormFusionsPass (zenith-form-fusions)
// AFTER: graph.fusion
//
// RUN: zenith-opt --list-passes | FileCheck --check-prefix=LIST %s
// RUN: zenith-opt -list-passes | FileCheck --check-prefix=LIST %s
// LIST: cse: Eliminate common sub-expressions
// LIST: zenith-import-stablehlo: StableHLO to GraphIR
// LIST: zenith-phases: The phases from..to
//
// StableHLO as a newer JAX writes it, with ranges in locations.
// RUN: zenith-opt %t/hlo.mlir --to=clean | FileCheck --check-prefix=HLO %s
// RUN: zenith-opt %t/hlo.mlir --zenith-import-stablehlo --cse | FileCheck --check-prefix=HLO %s
// HLO: graph.tanh
// HLO-NOT: stablehlo
// RUN: zenith-opt %t/hlo.mlir | FileCheck --check-prefix=KEPT %s
// KEPT: stablehlo.tanh
//
// A portable artifact.
// RUN: zenith-opt %S/../frontends/stablehlo/Inputs/loop.mlir.bc | FileCheck --check-prefix=ARTIFACT %s
// ARTIFACT: stablehlo.while
// RUN: zenith-opt %S/../frontends/stablehlo/Inputs/loop.mlir.bc --to=clean | FileCheck --check-prefix=LOOP %s
// LOOP: graph.while
// RUN: head -c 300 %S/../frontends/stablehlo/Inputs/loop.mlir.bc > %t/short.mlir.bc
// RUN: not zenith-opt %t/short.mlir.bc 2>&1 | FileCheck --check-prefix=SHORT %s
// SHORT: short.mlir.bc: error:
//
// A reproducer that zenith-opt writes fails again in the same way.
// RUN: not zenith-opt %t/leak.mlir --from=plan --to=plan --mlir-pass-pipeline-crash-reproducer=%t/reproducer.mlir -o /dev/null 2>&1 | FileCheck --check-prefix=LEAK %s
// RUN: FileCheck --check-prefix=PIPELINE %s < %t/reproducer.mlir
// RUN: not zenith-opt %t/reproducer.mlir --run-reproducer -o /dev/null 2>&1 | FileCheck --check-prefix=LEAK %s
// PIPELINE: pipeline: "builtin.module({{.*}}zenith-phases{{[{]}}{{.*}}from=plan
// LEAK: error: 'graph.softmax' op is not part of a fusion and has a value in memory
//
// RUN: not zenith-opt %t/graph.mlir --to=polish 2>&1 | FileCheck --check-prefix=PHASE %s
// PHASE: error: unknown phase 'polish'

//--- graph.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = graph.exp %x : tensor<4xf32>
  %r = graph.mul %e, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
//--- hlo.mlir
func.func public @main(%arg0: tensor<4xf32> loc("x")) -> tensor<4xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<4xf32> loc(#loc1)
  return %0 : tensor<4xf32> loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc1 = loc("model.py":10:8 to :21)
//--- leak.mlir
func.func @main(%x: tensor<4x40xf32>) -> tensor<4x40xf32> {
  %r = graph.softmax %x [1] : tensor<4x40xf32>
  return %r : tensor<4x40xf32>
}
