// Estimates count the products that one instruction adds in a lane: four of bytes, two of bf16, by the operands before they
// are widened.
//
// RUN: zenith-compile %s --target-model=znver4 --emit=graphir --to=schedule --dump-schedules=%t.json -o %t.mlir
// RUN: FileCheck %s < %t.json

// CHECK: "kernel": "k0_contraction",
// CHECK: "estimate_us": 338.
// CHECK: "kernel": "k1_contraction",
// CHECK: "estimate_us": 673.
// CHECK: "kernel": "k2_contraction",
// CHECK: "estimate_us": 1344.
graph.param @w : tensor<512x512xi8> = dense<3> : tensor<512x512xi8>
func.func @main(%a: tensor<512x512xui8>, %p: tensor<512x512xbf16>, %q: tensor<512x512xbf16>, %x: tensor<512x512xf32>, %y: tensor<512x512xf32>)
    -> (tensor<512x512xi32>, tensor<512x512xf32>, tensor<512x512xf32>) {
  %b = graph.get_param @w : tensor<512x512xi8>
  %i = graph.convert %a : tensor<512x512xui8> -> tensor<512x512xi32>
  %j = graph.convert %b : tensor<512x512xi8> -> tensor<512x512xi32>
  %0 = graph.dot_general %i, %j <batching = [] x [], contracting = [1] x [0]> : (tensor<512x512xi32>, tensor<512x512xi32>) -> tensor<512x512xi32>
  %1 = graph.dot_general %p, %q <batching = [] x [], contracting = [1] x [0]> : (tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x512xf32>
  %2 = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0, %1, %2 : tensor<512x512xi32>, tensor<512x512xf32>, tensor<512x512xf32>
}
