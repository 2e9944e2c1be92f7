// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Components of indices that count along a dimension: inside, beyond the
// operand, and in a type that can't count as far.
//
// RUN: zenith-run %s --entry=inside --random-inputs --compare=interp --print=0
// RUN: zenith-run %s --entry=beyond --random-inputs --compare=interp --print=0
// RUN: zenith-run %s --entry=wraps --random-inputs --compare=interp --print=0
// RUN: zenith-run %s --entry=unknown --dim=n=5 --random-inputs --compare=interp --print=0

func.func @inside(%x: tensor<9x7x33xf32>, %i: tensor<9x7x33x1xi64>) -> tensor<9x7x33xf32> {
  %1 = graph.iota 1 : tensor<9x7x33x1xi64>
  %2 = graph.iota 2 : tensor<9x7x33x1xi64>
  %3 = graph.concat 3, %i, %1, %2 : (tensor<9x7x33x1xi64>, tensor<9x7x33x1xi64>, tensor<9x7x33x1xi64>) -> tensor<9x7x33x3xi64>
  %4 = graph.gather %x, %3 <offset = [], collapsed = [0, 1, 2], batching = [] x [], index_map = [0, 1, 2], index_vector_dim = 3> sizes [1, 1, 1] : (tensor<9x7x33xf32>, tensor<9x7x33x3xi64>) -> tensor<9x7x33xf32>
  return %4 : tensor<9x7x33xf32>
}

func.func @beyond(%x: tensor<5x7xf32>, %i: tensor<33x1xi64>) -> tensor<33xf32> {
  %1 = graph.iota 0 : tensor<33x1xi64>
  %2 = graph.concat 1, %i, %1 : (tensor<33x1xi64>, tensor<33x1xi64>) -> tensor<33x2xi64>
  %3 = graph.gather %x, %2 <offset = [], collapsed = [0, 1], batching = [] x [], index_map = [0, 1], index_vector_dim = 1> sizes [1, 1] : (tensor<5x7xf32>, tensor<33x2xi64>) -> tensor<33xf32>
  return %3 : tensor<33xf32>
}

func.func @wraps(%x: tensor<3x200xf32>, %i: tensor<200x1xi8>, %u: tensor<200xf32>) -> (tensor<200xf32>, tensor<3x200xf32>) {
  %1 = graph.iota 0 : tensor<200x1xi8>
  %2 = graph.concat 1, %i, %1 : (tensor<200x1xi8>, tensor<200x1xi8>) -> tensor<200x2xi8>
  %3 = graph.gather %x, %2 <offset = [], collapsed = [0, 1], batching = [] x [], index_map = [0, 1], index_vector_dim = 1> sizes [1, 1] : (tensor<3x200xf32>, tensor<200x2xi8>) -> tensor<200xf32>
  %4 = graph.scatter sum, %x, %2, %u <window = [], inserted = [0, 1], batching = [] x [], index_map = [0, 1], index_vector_dim = 1> : (tensor<3x200xf32>, tensor<200x2xi8>, tensor<200xf32>) -> tensor<3x200xf32>
  return %3, %4 : tensor<200xf32>, tensor<3x200xf32>
}

func.func @unknown(%x: tensor<?x33xf32> {graph.dims = ["n", "33"]}, %i: tensor<17x33x1xi64>) -> tensor<17x33xf32> {
  %1 = graph.iota 1 : tensor<17x33x1xi64>
  %2 = graph.concat 2, %i, %1 : (tensor<17x33x1xi64>, tensor<17x33x1xi64>) -> tensor<17x33x2xi64>
  %3 = graph.gather %x, %2 <offset = [], collapsed = [0, 1], batching = [] x [], index_map = [0, 1], index_vector_dim = 2> sizes [1, 1] : (tensor<?x33xf32>, tensor<17x33x2xi64>) -> tensor<17x33xf32>
  return %3 : tensor<17x33xf32>
}
