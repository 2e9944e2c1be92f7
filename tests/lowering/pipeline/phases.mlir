// RUN: zenith-opt --list-phases | FileCheck %s --check-prefix=LIST
// RUN: zenith-opt --list-phases=json | FileCheck %s --check-prefix=JSON
// RUN: zenith-opt --list-passes | FileCheck %s --check-prefix=PASSES
// RUN: zenith-opt %s --to=clean --explain --without=keys,marks --dense-index-bytes=64K -o /dev/null
// RUN: not zenith-opt %s --mixed-precision=fp8 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not zenith-opt %s --dense-index-bytes=many 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: rm -rf %t && zenith-opt %s --to=kernels --target=cpu:x86-64-v3 --dump-phases=%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=FUSE < %t/07-fuse.mlir
// RUN: zenith-opt %t/07-fuse.mlir --from=schedule --to=kernels --target=cpu:x86-64-v3 | FileCheck %s
// RUN: zenith-opt %t/10-plan.mlir --from=kernels --to=kernels --target=cpu:x86-64-v3 | FileCheck %s
// RUN: not zenith-opt %s --from=plan 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not zenith-opt %s --from=polish 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not zenith-opt %s --target=cpu:znver9 2>&1 | FileCheck %s --check-prefix=TARGET

// LIST: import: What the frontend built
// LIST: clean:
// LIST: propagate:
// LIST: partition:
// LIST: precision:
// LIST: outline:
// LIST: layout:
// LIST: fuse:
// LIST: schedule:
// LIST: remat:
// LIST: plan:
// LIST: kernels:
// LIST: cpu:

// FUSE: graph.target = #graph.target<"cpu:x86-64-v3", kind = cpu, device = false, units = 16, lanes = 8,
// FUSE: graph.fusion
// FUSE-NOT: graph.softmax

// JSON: {"exit":"{{.*}}","passes":[{{.*}}{"option":"mixed-precision","pass":"zenith-lower-precision"},
// JSON-SAME: {"pass":"zenith-pack-matmuls"},{{.*}}{"pass":"zenith-pack-tables"},{"pass":"zenith-merge-equal-ops"},{"pass":"zenith-hoist-prepare"},{"pass":"zenith-merge-equal-ops"}],"phase":"layout"
// PASSES: canonicalize: Canonicalize operations
// PASSES: zenith-form-fusions: {{.+}}
// VALUE: error: --mixed-precision: 'fp8' is no preset, the nearest is 'fp16'
// BYTES: error: --dense-index-bytes does not take 'many'
// EARLY: error: 'graph.softmax' op is not part of a fusion and has a value in memory
// UNKNOWN: error: unknown phase 'polish'; there are import, clean, propagate, partition, precision, outline, layout, fuse, schedule, remat, plan, kernels, cpu
// TARGET: error: unknown processor 'znver9'; did you mean 'znver

// CHECK: host.program @main
// CHECK: host.launch
func.func @main(%x: tensor<4x40xf32>) -> tensor<4x40xf32> {
  %r = graph.softmax %x [1] : tensor<4x40xf32>
  return %r : tensor<4x40xf32>
}
