// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a pointwise kernel: a loop over values of vectors, the rest by masked single ones, and an entry that gives
// each work-item a task. Widths depend on the device, and so does the size of a group.
//
// RUN: zenith-compile %s --emit=opencl --target=opencl | FileCheck %s --enable-var-scope
// RUN: zenith-compile %s --emit=opencl | FileCheck %s --enable-var-scope

// CHECK: #pragma OPENCL FP_CONTRACT OFF
// CHECK-NOT: cl_khr_fp64

// CHECK: static inline float[[W:8|16]] zenith_load_first_global_float[[W]](__global const float *from, long count, float[[W]] other) {
// CHECK: static inline void zenith_store_first_global_float[[W]](

// CHECK: static inline void [[NAME:.*]]_tasks(__global float *restrict [[X:v[0-9]+]], __global float *restrict [[Y:v[0-9]+]], __global float *restrict [[R:v[0-9]+]], long [[N:v[0-9]+]],
// CHECK: for (long [[TASK:v[0-9]+]] =
// CHECK: for (long [[I:v[0-9]+]] =
// CHECK-NEXT: const float[[V:8|16]] [[A:v[0-9]+]] = vload[[V]](0, [[X]] + [[I]]);
// CHECK-NEXT: const float[[V]] [[B:v[0-9]+]] = vload[[V]](0, [[Y]] + [[I]]);
// CHECK-NEXT: const float[[V]] [[S:v[0-9]+]] = [[A]] + [[B]];
// CHECK-NEXT: const float[[V]] [[P:v[0-9]+]] = [[S]] * [[A]];
// CHECK-NEXT: vstore[[V]]([[P]], 0, [[R]] + [[I]]);
// CHECK: zenith_load_first_global_float[[W]]([[X]] +
// CHECK: zenith_store_first_global_float[[W]]([[R]] +

// CHECK: __attribute__((reqd_work_group_size({{[0-9]+}}, 1, 1)))
// CHECK-NEXT: __kernel void [[NAME]](__global uchar *buffer0, long offset0, __global uchar *buffer1, long offset1, __global uchar *buffer2, long offset2, {{.*}}long begin, long tasks) {
// CHECK: const long item = get_global_id(0);
// CHECK-NEXT: if (item >= tasks)
// CHECK: [[NAME]]_tasks((__global float *)(buffer0 + offset0), {{.*}}begin + item, begin + item + 1);
func.func @main(%x: tensor<?xf32> {graph.dims = ["n"]}, %y: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<?xf32> {
  %s = graph.add %x, %y : tensor<?xf32>
  %r = graph.mul %s, %x : tensor<?xf32>
  return %r : tensor<?xf32>
}
