// The dump has the tasks of kernels whose loops emission divides, and a schedule that gives other tasks is refused there.
//
// RUN: zenith-compile %s --target=cpu:x86-64-v3 --emit=graphir --to=schedule --dump-schedules=%t.json -o %t.mlir
// RUN: FileCheck %s < %t.json
// RUN: sed 's/#sched.scan<on = task/#sched.scan<on = task, tasks = "1"/' %t.mlir > %t-one.mlir
// RUN: zenith-run %t-one.mlir --from=schedule --target=cpu:x86-64-v3 --random-inputs --compare=interp --print=0
// RUN: sed 's/#sched.scan<on = task/#sched.scan<on = task, tasks = "7"/' %t.mlir > %t-seven.mlir
// RUN: not zenith-run %t-seven.mlir --from=schedule --target=cpu:x86-64-v3 --random-inputs 2>&1 | FileCheck %s --check-prefix=SEVEN
// Without the phase, keys that are left open are not decided.
// RUN: sed 's/form = channels, tile = .*, lanes = 8>/form = channels, lanes = 8>/' %t.mlir > %t-open.mlir
// RUN: not zenith-run %t-open.mlir --from=plan --target=cpu:x86-64-v3 --random-inputs 2>&1 | FileCheck %s --check-prefix=OPEN

// CHECK: "kind": "scan",
// CHECK: "tasks": "1",
// CHECK: "kind": "window",
// CHECK: "tasks": "{{[0-9]+}}",
// CHECK: "kind": "reduce",
// CHECK: "tasks": "{{[0-9]+}}",
// SEVEN: error: 'graph.fusion' op schedule: tasks: got "7", expected "1" (sched_c8)
// OPEN: error: 'graph.fusion' op schedule: form: got keys that are not all of a form of these loops (sched_c1)
func.func @main(%x: tensor<4x100xf32>, %y: tensor<1x8x8x16xf32>, %z: tensor<50x60xf32>) -> (tensor<4x100xf32>, tensor<1x4x4x16xf32>, tensor<50x60xf32>) {
  %0 = graph.cumulative sum, %x 1 : tensor<4x100xf32>
  %1 = graph.reduce_window max, %y window [1, 2, 2, 1] strides [1, 2, 2, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x8x8x16xf32> -> tensor<1x4x4x16xf32>
  %2 = graph.softmax %z [1] : tensor<50x60xf32>
  return %0, %1, %2 : tensor<4x100xf32>, tensor<1x4x4x16xf32>, tensor<50x60xf32>
}
