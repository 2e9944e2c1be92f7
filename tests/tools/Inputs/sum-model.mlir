// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives every state of five numbers the same score.

func.func @main(%x: tensor<?x5xi64> {graph.name = "states", graph.dims = ["batch", "5"]})
    -> (tensor<?xf32> {graph.name = "scores", graph.dims = ["batch"]}) {
  %f = graph.convert %x : tensor<?x5xi64> -> tensor<?x5xf32>
  %s = graph.reduce sum, %f [1] : tensor<?x5xf32> -> tensor<?xf32>
  return %s : tensor<?xf32>
}
