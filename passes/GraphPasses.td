// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Table of contents of every pass from GraphIR to GraphIR: what it does, when, what it refuses, an example, options.

#ifndef ZENITH_PASSES_GRAPHPASSES_TD
#define ZENITH_PASSES_GRAPHPASSES_TD

include "mlir/Pass/PassBase.td"

class ZenithPass<string argument, string anchor> : Pass<argument, anchor> {
  let dependentDialects = ["::zenith::graph::GraphDialect", "::mlir::func::FuncDialect"];
}

//===- cleanup -----------------------------------------------------------------------------------------------===//

def InlineCallsPass : ZenithPass<"zenith-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Put the ops of a called function in the place of each call";
  let description = [{
    Callees first, so that each function is taken apart once; functions that nobody calls any more go with symbol-dce. The first pass of
    the clean phase: the others see one function at a time. Refuses functions without a body, functions that call themselves and
    callers that grow beyond a million ops.

    Before and after (tests/passes/simplify/inline-calls.mlir @calls).
  }];
}

def FoldConstantsPass : ZenithPass<"zenith-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "Replace ops on constants by what the interpreter says they give";
  let description = [{
    Evaluates each pure op whose operands are all constants, where its result takes at most `max-result-bytes`; a broadcast
    of one element becomes a splat whatever its size. Runs early, so that later patterns meet constants. Refuses nothing:
    what the interpreter cannot evaluate stays.

    Before and after (tests/passes/simplify/fold-constants.mlir @sum):
    ```mlir
    %r = graph.add %a, %b : tensor<2xi32>          // %a = [1, 2], %b = [3, 4]
    %r = graph.constant dense<[4, 6]> : tensor<2xi32>
    ```
  }];
  let options = [Option<"maxResultBytes", "max-result-bytes", "int64_t", "65536",
                        "largest result, in bytes, that is written into the program">];
}

def SimplifyAlgebraPass : ZenithPass<"zenith-simplify-algebra", "::mlir::func::FuncOp"> {
  let summary = "Rewrite ops into cheaper ones with the same bits";
  let description = [{
    x * 1, x + (-0.0), x - 0, pow(x, 2), division by a power of two, max and min with infinities, and, or and select with
    constants; reshape of reshape, transpose of
    transpose, transposes that only move dimensions of size 1, reshapes and broadcasts to the same shape; sizes written once as expressions
    over the dimensions that the signature names. Runs with constant folding, before anything looks for composites. Refuses
    nothing.

    Before and after (tests/passes/simplify/simplify-algebra.mlir @square):
    ```mlir
    %r = graph.pow %x, %two : tensor<4xf32>         // %two = 2.0
    %r = graph.mul %x, %x : tensor<4xf32>
    ```
  }];
}

def RaiseCompositesPass : ZenithPass<"zenith-raise-composites", "::mlir::func::FuncOp"> {
  let summary = "Recognise gelu, norms, softmax and attention that arrive spelled out";
  let description = [{
    Finds the formulas as exporters write them: gelu by erf or tanh, layer_norm and rms_norm from means, softmax from exp and
    sums, attention as two products around a softmax, with scales, masks and any order of the heads' dimensions. Runs after
    cleanup and before layout, so that fusion, export and gradients see one op. A formula whose inner values have other uses
    stays as it is; where gradients of a training step read the weights of attention again, the forward part becomes attention
    all the same, and the gradients compute scores of their own: nothing keeps them in between. tanh of softplus, as in mish,
    becomes a quotient with one exponential.

    With `explain` each formula that is nearly one of these is a remark at its op, with the condition that failed
    (FUS201 to FUS204 of [remarks](remarks.md)).

    Before and after (tests/passes/raise/raise-composites.mlir @gelu_erf):
    ```mlir
    %e = graph.erf %s : tensor<4xf32>               // %s = x / sqrt(2); then (e + 1) * x * 0.5
    %r = graph.gelu erf, %x : tensor<4xf32>
    ```
  }];
  let options = [Option<"explain", "explain", "bool", "false", "emit a remark for each formula that stays spelled out">];
}

def DecomposeCompositesPass : ZenithPass<"zenith-decompose-composites", "::mlir::func::FuncOp"> {
  let summary = "Write composites out in core ops";
  let description = [{
    Replaces each composite by its formula (ir/CompositeFormulas.h). `only` names the mnemonics to replace; empty means all.
    The layout phase decomposes batch_norm alone; fusion writes the others out inside its regions. Refuses nothing.

    Before and after (tests/passes/expand/decompose-composites.mlir @gelu_tanh):
    ```mlir
    %r = graph.gelu tanh, %x : tensor<4xf32>
    %r = graph.mul %half, %t : tensor<4xf32>        // x/2 (1 + tanh(...))
    ```
  }];
  let options = [ListOption<"only", "only", "std::string", "mnemonics to replace, without the dialect's name">];
}

def SimplifyControlPass : ZenithPass<"zenith-simplify-control", "::mlir::func::FuncOp"> {
  let summary = "Decide branches and drop what loops carry in vain";
  let description = [{
    An if or case whose condition is known becomes the ops of its region; a while that never runs its initial values. Carried values
    that the body passes on become captures, those that nothing needs go; so do results of branches that are not used or that all
    branches give alike. Runs when constants are folded. Refuses nothing.

    Before and after (tests/passes/simplify/simplify-control.mlir @carried_unchanged):
    ```mlir
    %r:2 = graph.while %x, %n cond { ... } do { ... graph.yield %next, %m : ... }    // %m is the body's second argument
    %r = graph.while %x cond { ... } do { ... graph.yield %next : ... }              // which was %n all along
    ```
  }];
}

def RaiseRegionsPass : ZenithPass<"zenith-raise-regions", "::mlir::func::FuncOp"> {
  let summary = "Name the fold, scatter or order that a region spells out";
  let description = [{
    reduce_with, reduce_window_with and scatter_with whose region is one known op become reduce, reduce_window and scatter; a
    reduce_window that runs from the first element to its own becomes cumulative, one that spans all dimensions that it could move
    over becomes reduce; sort_with becomes sort where the comparator orders by one key after the other, integers or floats in total
    order with one zero and one NaN; a reduce_with that keeps the place of the largest element becomes arg_reduce, and so does a top_k
    of one element of each row, which a gather then reads. Runs before anything asks for kinds. A region that means anything else stays.

    Before and after (tests/passes/raise/raise-regions.mlir @sum):
    ```mlir
    %r = graph.reduce_with (%x), (%zero) [1] { ... graph.add ... } : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %r = graph.reduce sum, %x [1] : tensor<2x3xf32> -> tensor<2xf32>
    ```
  }];
}

def DecomposeRandomPass : ZenithPass<"zenith-decompose-random", "::mlir::func::FuncOp"> {
  let summary = "Write random bits as integer arithmetic on counters";
  let description = [{
    Threefry and Philox become additions, rotations and exclusive ors of 32-bit words, which fuse with what uses the bits. Runs at
    the end of the clean phase. Refuses nothing.

    Before and after (tests/passes/expand/decompose-random.mlir @philox).
  }];
}

def SplitComplexPass : ZenithPass<"zenith-split-complex", "::mlir::func::FuncOp"> {
  let summary = "Give every complex value two real ones";
  let description = [{
    Arithmetic, functions, movement, folds, sorts and control on complex tensors become ops on their real and imaginary parts.
    Complex tensors remain where they enter or leave (arguments, results, parameters) and around factorizations and transforms, with
    graph.real, graph.imag and graph.complex next to them. Functions of complex<f32> are computed in f64. Runs at the end of
    the clean phase. An op without a rule keeps its complex operands.

    Before and after (tests/passes/expand/split-complex.mlir @product):
    ```mlir
    %r = graph.mul %x, %y : tensor<4xcomplex<f32>>
    %r = graph.complex %re, %im : tensor<4xf32> -> tensor<4xcomplex<f32>>      // %re = a * c - b * d, %im = a * d + b * c
    ```
  }];
}

//===- layout ------------------------------------------------------------------------------------------------===//

def LowerQDQPass : ZenithPass<"zenith-lower-qdq", "::mlir::func::FuncOp"> {
  let summary = "Multiply quantized values as integers";
  let description = [{
    A product or convolution of f32 values that are integers times a scale, with weights that depend on parameters only, becomes the
    product of the integers, summed in i32, times the product of the scales: one scale for the left side, one for all weights or one
    per column of the result. That is what QuantizeLinear and DequantizeLinear around a product mean, with less rounding. Grouped
    convolutions sum in f32, as far as it holds whole numbers. A division by a constant behind the scale divides the scale, and what is
    added in between, instead. Where only the weights are integers they stay so in memory, and the product is scaled. Runs before
    layouts are chosen. Leaves products alone whose integers need more than 16 bits or whose sums could leave i32, and batched ones.

    Before and after (tests/passes/quantize/multiply-integers.mlir @dot).
  }];
}

def ChooseLayoutsPass : ZenithPass<"zenith-choose-layouts", "::mlir::func::FuncOp"> {
  let summary = "Run convolution networks channels-last";
  let description = [{
    Gives every convolution a channels-last input and result and a kernel with the features last ([spatial..., I, O]), then moves the
    transposes down through elementwise ops, batch_norm, concat, pad, slice, reduce_window, reduce and reshapes that keep channels
    apart until they meet their inverse. Runs on whole composites; kernels that are parameters are transposed in @prepare.
    Refuses nothing.

    Before and after (tests/passes/layout/choose-layouts.mlir @two_convolutions): one transpose at each end.
  }];
}

def FoldBatchNormPass : ZenithPass<"zenith-fold-batch-norm", "::mlir::func::FuncOp"> {
  let summary = "Fold batch norm into the weights of the contraction before it";
  let description = [{
    batch_norm(conv(x, w) + b) = conv(x, w * factor) + (b * factor + shift), where w, b and the statistics depend on parameters only; the new
    weights are ops that zenith-hoist-prepare moves. The same for dot_general. Other batch norms become a multiplication and an
    addition. Values change by rounding only. Leaves a batch_norm whose contraction has other users to decomposition, and windows whose
    weights are integers, where these are multiplied four at a time.

    Before and after (tests/passes/parameters/fold-batch-norm.mlir @convolution).
  }];
  let options = [Option<"group", "group", "int64_t", "1", "depths of narrow integers that processors multiply at once: 1, 2 or 4">];
}

def LowerPrecisionPass : ZenithPass<"zenith-lower-precision", "::mlir::func::FuncOp"> {
  let summary = "Store weights of contractions in a narrow float type";
  let description = [{
    The weights of f32 products and convolutions are rounded to `type` and widened again where they are used; sums stay f32. The
    rounding is a convert that zenith-hoist-prepare moves, the widening a convert that contraction kernels do in registers. With
    `activations` the other operand of a product with several rows is rounded too, so that a processor with dot products of pairs
    can use them. Runs behind zenith-fold-batch-norm, which scales weights in f32, and before zenith-pack-parameters. Leaves
    weights alone that are smaller than `min-bytes`, dynamic or dependent on arguments, batched and grouped contractions, and windows
    that zenith-transform-winograd-filters put their values at points beside.

    With `explain` each decision is a remark (PRE001 to PRE105 of [remarks](remarks.md)).

    Before and after (tests/passes/precision/lower-precision.mlir @dot):
    ```mlir
    %r = graph.dot_general %x, %w ... : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
    %n = graph.convert %w : tensor<64x32xf32> -> tensor<64x32xbf16>
    %v = graph.convert %n : tensor<64x32xbf16> -> tensor<64x32xf32>
    %r = graph.dot_general %x, %v ... : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
    ```
  }];
  let options = [Option<"type", "type", "std::string", "\"bf16\"", "the narrow type: bf16 or f16">,
                 Option<"activations", "activations", "bool", "false", "round the other operand of products with several rows too">,
                 Option<"minBytes", "min-bytes", "int64_t", "4096", "smaller weights stay as they are">,
                 Option<"explain", "explain", "bool", "false", "emit a remark for each contraction">];
}

def TransformWinogradFiltersPass : ZenithPass<"zenith-transform-winograd-filters", "::mlir::func::FuncOp"> {
  let summary = "Put transformed windows beside those of 3 or 3x3 pixels";
  let description = [{
    A convolution with a 3x3 window moves over its image in tiles of 2x2 or 4x4 results. Each of them takes 16 or 36 multiplications for
    a pair of channels instead of 36 or 144, if pixels and windows are first evaluated as polynomials at some points, and results are
    interpolated (ir/encodings/Winograd.h); a window of 3 pixels takes 4 or 6 instead of 6 or 12. Planes of a window of three dimensions are
    summed over as channels are, and pixels that a dilation leaves between those of a tile are other tiles'. Windows that depend on
    parameters only are evaluated here, so that zenith-hoist-prepare moves that; the values are packed into panels with the window itself
    behind them, which the convolution reads through a slice. Its mark says that a kernel may compute with the values instead; results
    change by rounding, by about 2e-6 of the largest one. A separate pass, since only some targets have such a kernel. Leaves alone what
    is estimated to gain nothing: few channels or pixels, strides, groups, types other than f32. Runs before zenith-pack-parameters, and
    before zenith-lower-precision where f32 is fastest.

    Before and after (tests/passes/parameters/winograd-filters.mlir @convolution):
    ```mlir
    %r = graph.convolution %x, %k ... : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
    %v = graph.dot_general %points, %flat ... : (tensor<36x9xf32>, tensor<1x9x4096xf32>) -> tensor<36x1x4096xf32>
    %w = graph.slice %matrix [2304, 0] [576, 64] [1, 1] : tensor<2880x64xf32> -> tensor<576x64xf32>
    %n = graph.reshape %w : tensor<576x64xf32> -> tensor<3x3x64x64xf32>
    %r = graph.convolution %x, %n ... {graph.winograd_tile = 4} : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
    ```
  }];
  let options = [Option<"panel", "panel", "int64_t", "16", "columns of a panel: the kernel target's">,
                 Option<"lanes", "lanes", "int64_t", "8", "f32 numbers in a vector: the kernel target's">];
}

def PackParametersPass : ZenithPass<"zenith-pack-parameters", "::mlir::func::FuncOp"> {
  let summary = "Pack weights of contractions into panels of columns";
  let description = [{
    A right-hand side that depends on parameters only is packed as [ceil(N/panel), K, panel] and read back through the inverse movement
    (ir/encodings/PackedPanels.h), which contraction kernels recognise. Products of integers that fit 16 bits are narrowed first, and `group`
    depths of a column lie side by side, as instructions take them that add the products of neighbours: [ceil(N/panel), K/group,
    panel, group]. Large tables whose rows are gathered and reduced are read by blocks of two or four panels alike, so that a block of
    all rows stays in a cache. Batched right-hand sides of several panels are stored as [batch, N/panel, K, panel] and multiplied as they
    lie. Runs after FoldBatchNorm and before zenith-hoist-prepare. Leaves grouped contractions alone.

    Before and after (tests/passes/parameters/pack-parameters.mlir @dot).
  }];
  let options = [Option<"panel", "panel", "int64_t", "16", "columns of a panel: the kernel target's">,
                 Option<"group", "group", "int64_t", "1", "depths of narrow integers that lie side by side: 1, 2 or 4">];
}

def HoistPreparePass : ZenithPass<"zenith-hoist-prepare", "::mlir::ModuleOp"> {
  let summary = "Move what depends on parameters only into @prepare";
  let description = [{
    Collects ops on parameters and constants, over all functions, in one private function @prepare, whose results become derived
    parameters. Broadcasts, slices and reshapes at the end of such a chain stay behind: they cost nothing where they are fused. Constants
    of at least `constant-bytes` become parameters with their values inline. The last pass of the layout phase.
    Refuses a module that has a function @prepare already.

    Before and after (tests/passes/parameters/hoist-prepare.mlir @transposed_weight):
    ```mlir
    %t = graph.transpose %w [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    %t = graph.get_param @derived_0 : tensor<3x2xf32>
    ```
  }];
  let options = [Option<"constantBytes", "constant-bytes", "int64_t", "1024",
                        "constants of this many bytes become parameters">];
}

//===- search ------------------------------------------------------------------------------------------------===//

def ChooseStateKeysPass : ZenithPass<"zenith-choose-state-keys", "::mlir::func::FuncOp"> {
  let summary = "Run breadth-first loops on packed keys or on bits of a dense index instead of rows";
  let description = [{
    Finds loops that carry a layer of states, rows of small integers, and whose body takes their neighbours along permutations of
    positions, drops repeated rows and those of earlier layers, and counts what is left (unique, is_in, compact). Where only the counts
    are used, states become keys: the positions that some generator moves, in as many bits as their values need, packed into one
    or several ui64; a neighbour is a few shifts and masks; one fresh_keys op takes the place of the set operations. Where every generator
    has its inverse among the others and bits are left, they tell which generators lead back, so that the layer before last is not
    needed, nor the last one where all generators are odd. Where all states that could be reached have numbers (permutations,
    lists of two values) and `dense-bytes` holds three bits for each, layers are sets of bits instead (fresh_bits). Many generators
    are a table that candidates look their shifts up in, so that code does not grow with them. Permutation groups whose elements fit the
    budget as bits are rows of bits, one per coset of a stabiliser, which generators move to other rows (fresh_bit_rows); lists of few
    bits of which few are states are marked in a set of bits (mark_bits). Where keys might take more than `memory-bytes`, a layer whose
    step would is expanded block by block, once for each of several ranges of hashes, so that the temporary lists fit.
    Where a permutation of positions that undoes itself takes generators to generators and starts to starts, values renamed, one of each
    two states that it takes to each other is kept: layers are half as long, and the states that it takes to themselves have a bit.
    Where there are more such permutations, a group of them, fresh_keys keeps the least of each candidate's images under all.
    Positions that always move together, as stickers of a puzzle's piece, have one number for what they hold where keys get shorter by it.
    Where the condition says that a layer is the last one, its states are counted and not written down.
    Runs at the end of the clean phase. Other loops stay as they are.

    With `explain` each decision is a remark (SEA001 to SEA104 of [remarks](remarks.md)).

    Before and after (tests/passes/search/states/choose-state-keys.mlir @three_cycle).
  }];
  let options = [Option<"explain", "explain", "bool", "false", "emit a remark for each decision">,
                 Option<"denseBytes", "dense-bytes", "int64_t", "0",
                        "memory that the three sets of bits of a dense index may take; 0: none">,
                 Option<"memoryBytes", "memory-bytes", "int64_t", "0",
                        "memory that a step on keys should do with; 0: any">,
                 ListOption<"without", "without", "std::string",
                            "forms not to choose: keys, back-bits, generator-table, dense-index, bit-rows, marks, key-ranges, symmetry, "
                            "symmetry-group, pieces, last-count">];
}

def ScoreFirstPass : ZenithPass<"zenith-score-first", "::mlir::func::FuncOp"> {
  let summary = "Score all candidates of a beam's step, and tell only the best ones apart";
  let description = [{
    Finds, in the body of a loop, candidates each of which is taken once (unique, and perhaps compact of those that are in no set of known
    states), scored by how many of their positions differ from one state's, or whether any does (compare, convert, reduce), and of which
    the best ones are kept (top_k of as many as there are but at most a constant, gathers). Equal states have equal scores, so the first of
    equal candidates in order of score and place is the first in order of place: all candidates are scored, and unique only sees as many of
    the best ones as have enough distinct states among them; half more are taken where they were too few. How many that is, is carried
    from step to step and changes no result. Where candidates are the rows of a carried layer with their positions moved, they are scored
    without being made: they are compared with the target as each move takes it back. Only the best ones are made.
    Steps whose other candidates are used for more than being counted or scored stay as they are.

    With `explain` each step has a remark (SEA301 and SEA302 of [remarks](remarks.md)).

    Before and after (tests/passes/search/states/score-first.mlir @swaps).
  }];
  let options = [Option<"explain", "explain", "bool", "false", "emit a remark for each decision">,
                 ListOption<"without", "without", "std::string", "forms not to choose: score-first">];
}

//===- fusion ------------------------------------------------------------------------------------------------===//

def FetchScalarsPass : ZenithPass<"zenith-fetch-scalars", "::mlir::func::FuncOp"> {
  let summary = "Mark the integer scalars that kernels compute and the host needs";
  let description = [{
    Sizes, conditions, assertions and carried counters are the host's: it computes what is arithmetic on scalars that it
    has. A scalar that comes out of other ops gets a graph.barrier, where the host waits for it and reads it; all that
    the host needs then rests on barriers, arguments, constants and dimensions. Runs before fusion, which keeps barriers
    and the host's arithmetic out of kernels. Refuses nothing.

    Before and after (tests/passes/fusion/fetch-scalars.mlir @size_from_data):
    ```mlir
    %y = graph.broadcast %x [] [%n] : tensor<f32> -> tensor<?xf32>     // %n is a sum of elements
    %m = graph.barrier %n : (tensor<i64>) -> tensor<i64>
    %y = graph.broadcast %x [] [%m] : tensor<f32> -> tensor<?xf32>
    ```
  }];
}

def FormFusionsPass : ZenithPass<"zenith-form-fusions", "::mlir::func::FuncOp"> {
  let summary = "Partition a function into regions that become one kernel each";
  let description = [{
    Afterwards a function consists of graph.fusion ops, get_param, constants, what the host computes (dim, barrier and arithmetic on
    integer scalars), control and its return.
    Contractions and windows take their epilogue, reductions their prologue and everything of their shape that follows,
    pointwise ops merge along their uses. Movement is cloned into each reader; contraction operands absorb it where it stays strided, other
    readers of memory get a copy. Values with several readers are written once, as one more result. Composites are
    written out inside the regions. Fails where an op has no kernel kind, naming it.

    With `explain` each decision is a remark (FUS001 to FUS106 of [remarks](remarks.md)).

    Before and after (tests/passes/fusion/form-fusions.mlir @dot_bias_relu).
  }];
  let options = [Option<"explain", "explain", "bool", "false", "emit a remark for each decision">,
                 Option<"maxReads", "max-reads", "unsigned", "128",
                        "distinct (value, index map) pairs that one region may evaluate">,
                 Option<"attention", "attention", "bool", "true",
                        "attention becomes one region; else it is written out in core ops">];
}

#endif // ZENITH_PASSES_GRAPHPASSES_TD
