// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nobody reads the results of these ops: what they require of sizes is required all the same, by every target as by the
// interpreter.
//
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=gather --random-inputs --dim n=0 --dim k=2 --target=interp | FileCheck --check-prefix=GATHER %s
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=gather --random-inputs --dim n=0 --dim k=2 --target=cpu | FileCheck --check-prefix=GATHER %s
// GATHER: graph.gather: the size of a slice, 1 ({{.*}}), exceeds 0 ('n')
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=fits --random-inputs --dim n=3 --dim k=1 --target=interp | FileCheck --check-prefix=FITS %s
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=fits --random-inputs --dim n=3 --dim k=1 --target=cpu | FileCheck --check-prefix=FITS %s
// FITS: graph.gather: the size of a slice, 4 ({{.*}}), exceeds 3 ('n')
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=least --random-inputs --dim n=0 --target=interp | FileCheck --check-prefix=LEAST %s
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=least --random-inputs --dim n=0 --target=cpu | FileCheck --check-prefix=LEAST %s
// LEAST: graph.arg_reduce: the least size of a reduced dimension, 1, exceeds 0 ('n')
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=draw --random-inputs --dim n=0 --target=interp | FileCheck --check-prefix=DRAW %s
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=draw --random-inputs --dim n=0 --target=cpu | FileCheck --check-prefix=DRAW %s
// DRAW: graph.random_categorical: the least number of categories, 1, exceeds 0 ('n')
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=padded --random-inputs --dim n=1 --target=interp | FileCheck --check-prefix=PADDED %s
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=padded --random-inputs --dim n=1 --target=cpu | FileCheck --check-prefix=PADDED %s
// PADDED: graph.convolution: a padded size is negative: -2 ('n - 3')
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=keys --random-inputs --dim n=2 --dim k=3 --target=interp | FileCheck --check-prefix=KEYS %s
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=keys --random-inputs --dim n=2 --dim k=3 --target=cpu | FileCheck --check-prefix=KEYS %s
// KEYS: search.dedup: sizes 2 ('n') and 3 ('k') differ
// RUN: zenith-run %s --entry=gather --random-inputs --dim n=0 --dim k=0 --compare=interp
// RUN: zenith-run %s --entry=gather --random-inputs --dim n=1 --dim k=2 --compare=interp
// RUN: zenith-run %s --entry=fits --random-inputs --dim n=4 --dim k=1 --compare=interp
// RUN: zenith-run %s --entry=least --random-inputs --dim n=1 --compare=interp
// RUN: zenith-run %s --entry=draw --random-inputs --dim n=1 --compare=interp
// RUN: zenith-run %s --entry=padded --random-inputs --dim n=3 --compare=interp
// RUN: zenith-run %s --entry=keys --random-inputs --dim n=3 --dim k=3 --compare=interp

func.func @gather(%x: tensor<?x3xf32> {graph.dims = ["n", "3"]}, %i: tensor<?xi64> {graph.dims = ["k"]}) -> tensor<?xi64> {
  %r = graph.gather %x, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 3]
    : (tensor<?x3xf32>, tensor<?xi64>) -> tensor<?x3xf32>
  return %i : tensor<?xi64>
}

func.func @fits(%x: tensor<?x3xf32> {graph.dims = ["n", "3"]}, %i: tensor<?x1xi64> {graph.dims = ["k", "1"]}) -> tensor<?x1xi64> {
  %r = graph.gather %x, %i <offset = [1, 2], collapsed = [], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [4, 3]
    : (tensor<?x3xf32>, tensor<?x1xi64>) -> tensor<?x4x3xf32>
  return %i : tensor<?x1xi64>
}

func.func @least(%x: tensor<?x3xf32> {graph.dims = ["n", "3"]}) -> tensor<?x3xf32> {
  %r = graph.arg_reduce max, %x 0 : tensor<?x3xf32> -> tensor<3xi64>
  return %x : tensor<?x3xf32>
}

func.func @draw(%k: tensor<2xui32>, %x: tensor<4x?xf32> {graph.dims = ["4", "n"]}) -> tensor<4x?xf32> {
  %r = graph.random_categorical %k, %x {axis = 1 : i64} : (tensor<2xui32>, tensor<4x?xf32>) -> tensor<4xi32>
  return %x : tensor<4x?xf32>
}

func.func @padded(%x: tensor<1x2x?xf32> {graph.dims = ["1", "2", "n"]}, %k: tensor<3x2x1xf32>) -> tensor<1x2x?xf32> {
  %r = graph.convolution %x, %k <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [-2] high [-1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x?xf32>, tensor<3x2x1xf32>) -> tensor<1x3x?xf32>
  return %x : tensor<1x2x?xf32>
}

func.func @keys(%a: tensor<?xui64> {graph.dims = ["n"]}, %b: tensor<?xui64> {graph.dims = ["k"]}) -> tensor<?xui64> {
  %r = search.dedup (%a, %b) key [255] : (tensor<?xui64>, tensor<?xui64>) -> tensor<?xui64>
  return %a : tensor<?xui64>
}
