// Transposed squares write parts of cache lines where vectors are shorter: they advance along a piece of a few rows, which the
// schedule says and emission reads.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v3 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: sed 's/, piece = 256//' %t.mlir | zenith-opt --from=schedule --to=schedule --target=cpu:x86-64-v3 | FileCheck %s
// RUN: zenith-opt %t.mlir --from=schedule --to=kernels --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=KERNELS
// RUN: sed 's/piece = 256/piece = 64/' %t.mlir > %t-given.mlir
// RUN: zenith-opt %t-given.mlir --from=schedule --to=kernels --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=GIVEN
// RUN: zenith-run %t-given.mlir --from=schedule --random-inputs --compare=interp --print=0
// RUN: sed 's/piece = 256/piece = 8/' %t.mlir | zenith-opt --from=schedule --to=kernels --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=NONE
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v4 | FileCheck %s --check-prefix=WIDE

// CHECK: schedule = #sched.elements<{{.*}}, tile = [8, 8], piece = 256, {{.*}}>
// WIDE: schedule = #sched.elements<{{.*}}, tile = [16, 16], piece = 16, {{.*}}>
// KERNELS: scf.for %{{.*}} step %c256
// GIVEN: scf.for %{{.*}} step %c64
// NONE-NOT: step %c{{64|256}}
func.func @main(%x: tensor<1000x320xf32>) -> tensor<320x1000xf32> {
  %0 = graph.transpose %x [1, 0] : tensor<1000x320xf32> -> tensor<320x1000xf32>
  return %0 : tensor<320x1000xf32>
}
