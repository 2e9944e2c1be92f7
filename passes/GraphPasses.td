// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Table of contents of every pass from GraphIR to GraphIR: what it does, when, what it refuses, an example, options.

#ifndef ZENITH_PASSES_GRAPHPASSES_TD
#define ZENITH_PASSES_GRAPHPASSES_TD

include "mlir/Pass/PassBase.td"

class ZenithPass<string argument, string anchor> : Pass<argument, anchor> {
  let dependentDialects = ["::zenith::graph::GraphDialect", "::mlir::func::FuncDialect"];
  // "file#function" under tests/: docs/generated/passes.md shows the function and its checks as before and after.
  string exampleTest = "";
}

//===- simplify ----------------------------------------------------------------------------------------------===//

def InlineCallsPass : ZenithPass<"zenith-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Replace each call by the ops of the called function";
  let description = [{
    Callees are inlined first, so that each function is visited once; symbol-dce erases functions that nobody calls any more. The
    first pass of the clean phase, because all others look at one function at a time. Refuses functions without a body, functions
    that call themselves, and callers that would grow beyond a million ops.
  }];
  let exampleTest = "passes/simplify/inline-calls.mlir#calls";
  let options = [Option<"keepOperators", "keep-operators", "bool", "false", "keep calls of functions that stand for an operator">];
}

def CanonicalizePass : ZenithPass<"zenith-canonicalize", "::mlir::ModuleOp"> {
  let summary = "Apply the canonical forms of all dialects and erase dead ops";
  let description = [{
    The patterns and folders of MLIR's canonicalize, which takes time that is quadratic in the depth of nested branches and loops:
    deep nests are rewritten region by region, the innermost first. Runs wherever earlier passes have left ops that are dead, equal
    to their operands or of constant value. Refuses nothing.
  }];
  let exampleTest = "passes/simplify/canonicalize.mlir#identities";
}

def InsertSizeChecksPass : ZenithPass<"zenith-insert-size-checks", "::mlir::func::FuncOp"> {
  let summary = "State what ops require of sizes as assertions, where it is not proved";
  let description = [{
    Sizes of the operands of an op may have to be equal, or 1, or at most as large as others. What dimension analysis does not prove
    becomes a graph.assert before the op, so that no other pass can lose it: the run ends with the op's place, both sizes and the
    operands' shapes. Conditions that an assertion states already are left alone. The first pass after zenith-inline-calls, before
    anything folds; frontends state theirs themselves, in the source's words. Refuses nothing.
  }];
  let exampleTest = "passes/simplify/insert-size-checks.mlir#sizes_of_two_arguments";
}

def FoldConstantsPass : ZenithPass<"zenith-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "Replace ops on constants by their results as the interpreter computes them";
  let description = [{
    Evaluates each pure op whose operands are all constants, where its result takes at most `max-result-bytes`; a broadcast of one
    element and elementwise ops on splats become splats of any size. Runs early, so that later patterns see constants. Refuses nothing: an op that the
    interpreter cannot evaluate stays.
  }];
  let exampleTest = "passes/simplify/fold-constants.mlir#sum";
  let options = [Option<"maxResultBytes", "max-result-bytes", "int64_t", "65536",
                        "largest result, in bytes, that is written into the program">];
}

def SimplifySizesPass : ZenithPass<"zenith-simplify-sizes", "::mlir::func::FuncOp"> {
  let summary = "Write sizes in terms of the dimensions that the signature names";
  let description = [{
    Scalars that dimension analysis knows become sums of products of dimensions of arguments, each written once; reshapes and
    broadcasts that keep shape and order go. Runs before zenith-simplify-algebra, whose patterns compare sizes as values, and after
    it and after zenith-raise-composites, because sizes of values that these erase would keep the values alive. Refuses nothing: a
    size that depends on data stays.
  }];
  let exampleTest = "passes/simplify/simplify-sizes.mlir#same_shape_by_another_name";
}

def MergeEqualOpsPass : ZenithPass<"zenith-merge-equal-ops", "::mlir::func::FuncOp"> {
  let summary = "Replace each op by an equal one before it, and erase ops that nobody reads";
  let description = [{
    Common subexpression elimination for ops without effects, in time that grows with the number of ops also where thousands of
    branches and loops, one after the other or inside each other, read the same condition: those are told apart by the ops inside
    of them. Runs after passes that leave equal or unused ops behind. Refuses nothing.
  }];
  let exampleTest = "passes/simplify/merge-equal-ops.mlir#equal_branches";
}

def SimplifyAlgebraPass : ZenithPass<"zenith-simplify-algebra", "::mlir::func::FuncOp"> {
  let summary = "Rewrite ops into cheaper ones with the same bits";
  let description = [{
    Five groups of rewrites reach one fixed point together, because each makes matches for the others: two transposes become one
    where a quantization between them is dropped, a merged broadcast is the splat that algebra looks for. `without` leaves groups out.

    - algebra: x * 1, x + (-0.0), x - 0, pow(x, 2), division by a power of two, max and min with infinities, and, or and select
      with constants;
    - movement: reshape of reshape, transpose of transpose, transposes that only move dimensions of size 1, broadcasts of broadcasts,
      a transposed matmul as the matmul of exchanged operands;
    - outer-products: matmuls whose K is tiny as elementwise multiplications and additions;
    - padding: zeros around an input feature map as padding of the convolution that reads it;
    - quantization: quantizing again by the scale and zero point that a value was just dequantized with.

    Runs after constant folding, before anything looks for composites. Refuses an unknown name in `without`.
  }];
  let exampleTest = "passes/simplify/simplify-algebra.mlir#square";
  let options = [ListOption<"without", "without", "std::string",
                            "groups to leave out: algebra, movement, outer-products, padding, quantization">];
}

def SimplifyControlPass : ZenithPass<"zenith-simplify-control", "::mlir::func::FuncOp"> {
  let summary = "Decide branches with known conditions and drop loop-carried values that nothing needs";
  let description = [{
    An if or case whose condition is known becomes the ops of its region; a while that never runs becomes its initial values.
    Loop-carried values that the body passes on unchanged become captures; those that no result, condition or effect needs go. So do
    results of branches that are unused, or that all branches yield alike. An if in the region of a reduction, a sort or a scatter,
    whose arguments are single elements, becomes a select. Runs after constant folding, which makes conditions known.
    Refuses nothing.
  }];
  let exampleTest = "passes/simplify/simplify-control.mlir#carried_unchanged";
}

//===- raise -------------------------------------------------------------------------------------------------===//

def RaiseRegionsPass : ZenithPass<"zenith-raise-regions", "::mlir::func::FuncOp"> {
  let summary = "Replace ops with a region by the reduction, scatter or sort that the region computes";
  let description = [{
    reduce_with, reduce_window_with and scatter_with whose region is one known op become reduce, reduce_window and scatter. A
    reduce_window that reaches from the first element to its own becomes cumulative; one that spans every dimension that it could
    move along becomes reduce. sort_with becomes sort where the comparator orders by one key after the other, each of integers or of
    floats in total order with one zero and one NaN. A reduce_with that keeps the index of the largest element becomes arg_reduce, and
    so does a top_k with k = 1 on rows. Runs before every pass that asks for the kind of a reduction. A region of another meaning
    stays.
  }];
  let exampleTest = "passes/raise/raise-regions.mlir#sum";
}

def RaiseCompositesPass : ZenithPass<"zenith-raise-composites", "::mlir::func::FuncOp"> {
  let summary = "Recognise gelu, norms, softmax and attention that arrive spelled out";
  let description = [{
    Finds the formulas as exporters write them: gelu by erf or tanh, layer_norm and rms_norm from means, softmax from exp and
    sums, attention as two matmuls around a softmax, with scales, masks and any order of the heads' dimensions. The patterns reach one
    fixed point together, because attention is built of softmaxes and softmaxes of reductions. Runs on simplified graphs, because it
    looks for the plainest spelling, and before layout, so that fusion, export and gradients see one op. A formula whose inner values
    have other uses stays. Gradients of a training step read the weights of attention again: its forward part is raised all the same,
    and the gradients recompute the scores. tanh of softplus (mish) becomes a quotient with one exponential.

    With `explain` each formula that is nearly one of these is a remark at its op, with the condition that failed
    (FUS201 to FUS204 of [remarks](remarks.md)).
  }];
  let exampleTest = "passes/raise/raise-composites.mlir#gelu_erf";
  let options = [Option<"explain", "explain", "bool", "false", "emit a remark for each formula that stays spelled out">];
}

//===- expand ------------------------------------------------------------------------------------------------===//

def DecomposeCompositesPass : ZenithPass<"zenith-decompose-composites", "::mlir::func::FuncOp"> {
  let summary = "Write composites out in core ops";
  let description = [{
    Replaces each composite by its formula (ir/ops/CompositeFormulas.h). `only` names the mnemonics to replace; empty means all.
    The layout phase decomposes batch_norm alone, because zenith-fold-batch-norm has then folded what it can; fusion writes the other
    composites out inside its regions. Refuses nothing.
  }];
  let exampleTest = "passes/expand/decompose-composites.mlir#gelu_tanh";
  let options = [ListOption<"only", "only", "std::string", "mnemonics to replace, without the dialect's name">];
}

def CheckKeysPass : ZenithPass<"zenith-check-keys", "::mlir::func::FuncOp"> {
  let summary = "Report keys of random numbers that are used twice";
  let description = [{
    Two ops that consume one key give the same bits; the remark (RNG101) is on the later one and says where the other one is. Ops in
    different branches of an if or case don't meet. An op in a loop that consumes a key from outside of it gives the same bits in
    each step (RNG102). fold_in consumes nothing: with different integers it gives different keys, with equal ones the same. Rows that
    constant slices take from split_key are keys of their own. Runs on demand only, after zenith-inline-calls, on programs as they were
    written: differentiation uses keys again, which is right. Changes and refuses nothing.
  }];
  let exampleTest = "passes/expand/check-keys.mlir#consumed_twice";
}

def DecomposeRandomPass : ZenithPass<"zenith-decompose-random", "::mlir::func::FuncOp"> {
  let summary = "Write random numbers as integer arithmetic on counters";
  let description = [{
    Threefry and Philox become additions, rotations and exclusive ors of 32-bit words, which fuse with the readers of the bits; ops that
    take keys become their formulas on such bits (ir/random/RandomFormulas.h). Runs in the clean phase, before its second round of
    constant folding: bits of a constant key may be constant. Refuses nothing.
  }];
  let exampleTest = "passes/expand/decompose-random.mlir#philox";
}

def SplitComplexPass : ZenithPass<"zenith-split-complex", "::mlir::func::FuncOp"> {
  let summary = "Replace every complex value by its real and its imaginary part";
  let description = [{
    Arithmetic, functions, movement, reductions, sorts and control on complex tensors become ops on their real and imaginary parts.
    Complex tensors remain where they enter or leave (arguments, results, parameters) and around factorizations and transforms, with
    graph.real, graph.imag and graph.complex next to them. Functions of complex<f32> are computed in f64. Runs at the end of
    the clean phase, after the passes that recognise formulas of complex ops. An op without a rule keeps its complex operands.
  }];
  let exampleTest = "passes/expand/split-complex.mlir#product";
}

//===- quantize ----------------------------------------------------------------------------------------------===//

def LowerQDQPass : ZenithPass<"zenith-lower-qdq", "::mlir::func::FuncOp"> {
  let summary = "Compute matmuls and convolutions of dequantized values on the integers";
  let description = [{
    A matmul or convolution of f32 values that are integers times a scale, with weights that depend on parameters only, becomes one of
    the integers, summed in i32, times the product of the scales: one scale for the left side, one for all weights or one per column
    of the result. QuantizeLinear and DequantizeLinear around a matmul mean the same, with more rounding. Grouped convolutions
    sum in f32, as far as it holds integers exactly.

    Requantization folding: a division of the scaled sums by a positive constant, the scale of the next layer, divides the scale and
    what is added in between, instead. It is an option and no pass of its own: it changes the rounding of a scale, and only a scale
    that this pass has made is not the program's.

    Runs before layouts are chosen, while dequantizations still stand next to their readers. Leaves alone integers of more than 16 bits,
    sums that could overflow i32, and batched matmuls.
  }];
  let exampleTest = "passes/quantize/lower-qdq.mlir#dot";
  let options = [Option<"foldsRequantize", "fold-requantize", "bool", "true",
                        "divide the scales where scaled sums are divided by the next scale">];
}

def LowerBlockwiseScalesPass : ZenithPass<"zenith-lower-blockwise-scales", "::mlir::func::FuncOp"> {
  let summary = "Sum each block of a row times block-wise quantized weights before scaling it";
  let description = [{
    A matmul of one row and weights that are integers times a scale per block of K becomes, for each block, the sum of the row times
    the integers, times the scale. The weights lie in panels of columns and stay as narrow in memory as they are: with one row, the time
    is that of reading them. Runs after zenith-lower-qdq, which takes the scales that are the same for all of K. Leaves several rows
    alone, and dynamic shapes. Where cores have caches of their own zenith-pack-block-codes does it instead, for any rows.
  }];
  let exampleTest = "passes/quantize/lower-blockwise-scales.mlir#main";
}

def PackBlockCodesPass : ZenithPass<"zenith-pack-block-codes", "::mlir::func::FuncOp"> {
  let summary = "Pack block-wise quantized weights as the integers that they are";
  let description = [{
    Weights of a matmul that are integers times a scale per block of K lie in panels of columns with as many bits as they have, codes of
    4 bits two to a byte (ir/encodings/CodedPanels.h). A GEMM computes a block of a panel in f32 once for all rows of a task, so that the
    values are those of weights in f32; up to 8 rows, or one where only a run knows how many there are, meet integers in registers, and a
    block's sums are scaled.
    Runs before zenith-pack-matmuls, for targets whose cores have caches
    of their own. Leaves alone integers of more than a byte and fewer columns than half a panel.
  }];
  let exampleTest = "passes/quantize/pack-block-codes.mlir#main";
  let options = [Option<"panel", "panel", "int64_t", "0", "columns of a panel; 0: the target's NR">];
}

def KeepIntegerWeightsPass : ZenithPass<"zenith-keep-integer-weights", "::mlir::func::FuncOp"> {
  let summary = "Scale results of matmuls instead of weights, so that these stay integers in memory";
  let description = [{
    The weights of an f32 matmul that are integers times one scale, or times one per column, are read as integers and widened by the
    kernel; the result is multiplied by the scale. Runs after zenith-lower-qdq and zenith-lower-blockwise-scales, which take the matmuls
    whose left side is quantized too. Leaves batched matmuls and other scales alone.
  }];
  let exampleTest = "passes/quantize/keep-integer-weights.mlir#one_scale";
}

def LowerInt8MatmulsPass : ZenithPass<"zenith-lower-int8-matmuls", "::mlir::func::FuncOp"> {
  let summary = "Build i32 matmuls and convolutions anew on unsigned and signed bytes";
  let description = [{
    Dot-product instructions of four bytes (VNNI) take unsigned bytes on the left and signed ones on the right: (x - zero) w =
    x w - zero * (sums of w's columns), with 128 added to x and to the zero point where x is signed. K is padded to a multiple of
    four; padding of a convolution becomes the zero point. For targets that have such instructions. Runs before zenith-lower-int16-matmuls,
    which takes the others. Leaves contractions alone whose weights are no parameters or do not fit i8, grouped and batched ones, and
    short sums whose K no four divides.
  }];
  let exampleTest = "passes/quantize/lower-int8-matmuls.mlir#zero_point";
}

def LowerInt16MatmulsPass : ZenithPass<"zenith-lower-int16-matmuls", "::mlir::func::FuncOp"> {
  let summary = "Let i32 matmuls and convolutions read operands that fit i16 as i16";
  let description = [{
    Quantized values minus their zero point fit 16 bits, and targets multiply and add pairs of them at once; the sums stay i32.
    Runs before weights are packed, so that they are packed narrow. Leaves grouped convolutions alone, and with `keep-int8` what
    zenith-lower-int8-matmuls built.
  }];
  let exampleTest = "passes/quantize/lower-int16-matmuls.mlir#narrow_integers";
  let options = [Option<"keepInt8", "keep-int8", "bool", "false", "leave matmuls of ui8 by i8 as they are">];
}

def NarrowDepthwiseFiltersPass : ZenithPass<"zenith-narrow-depthwise-filters", "::mlir::func::FuncOp"> {
  let summary = "Let depthwise convolutions of bytes read their filters as bytes";
  let description = [{
    An f32 depthwise convolution of widened bytes, with a filter that is widened before it is moved, gets the filter moved first and
    widened last: the form that int8 depthwise kernels read (ir/encodings/DepthwiseDots.h). For targets with dot products of four
    bytes. Runs before zenith-hoist-prepare, which would store the filter widened. Leaves alone what does not become that form.
  }];
  let exampleTest = "passes/quantize/narrow-depthwise-filters.mlir#main";
}

def TabulateBytesPass : ZenithPass<"zenith-tabulate-bytes", "::mlir::func::FuncOp"> {
  let summary = "Look functions of a byte up that give a byte";
  let description = [{
    Between a quantization and the next one a value is a byte: what scales it, clips or activates it and quantizes it again is a
    function with 256 results. A table of them, which zenith-hoist-prepare computes by the same ops, and a gather take the place of six
    and more elementwise ops, all of whose other operands are one number each. For targets that look bytes up in registers. Runs after
    layouts are chosen, since transposes move through elementwise ops. Refuses nothing.
  }];
  let exampleTest = "passes/quantize/tabulate-bytes.mlir#requantized";
}

//===- layout ------------------------------------------------------------------------------------------------===//

def ChooseLayoutsPass : ZenithPass<"zenith-choose-layouts", "::mlir::func::FuncOp"> {
  let summary = "Make convolutions channels-last";
  let description = [{
    Gives every convolution a channels-last input and result and a filter with the features last ([spatial..., I, O]), between
    transposes that are marked `graph.sinkable` for zenith-sink-transposes. A function whose convolutions are all depthwise and run as
    fast along rows stays as it is. Filters that are parameters are transposed in @prepare. Runs on whole composites, while
    a network is still convolutions with elementwise ops between them. Refuses nothing.
  }];
  let exampleTest = "passes/layout/choose-layouts.mlir#one_dimension";
}

def SplitDilatedInputsPass : ZenithPass<"zenith-split-dilated-inputs", "::mlir::func::FuncOp"> {
  let summary = "Compute a convolution of a dilated input phase by phase on the undilated one";
  let description = [{
    A transposed convolution multiplies mostly zeros. With input dilation d, results at distance d meet the same taps of the filter:
    these d phases become channels of a plain convolution, whose result is reordered; phases with fewer taps than others become
    convolutions of their own where their zeros would be much of the work. Runs after zenith-choose-layouts, since phases are put
    beside channels, and before zenith-sink-transposes, which moves transposes past the result. Leaves grouped convolutions, strides and
    filters of dynamic shape alone. Where padding alone may make results of an empty input feature map, they are filled up with zeros.
  }];
  let exampleTest = "passes/layout/split-dilated-inputs.mlir#transposed_convolution";
}

def SinkTransposesPass : ZenithPass<"zenith-sink-transposes", "::mlir::func::FuncOp"> {
  let summary = "Move the transposes of zenith-choose-layouts down until they meet their inverse";
  let description = [{
    op(transpose(x)) becomes transpose(op'(x)) for elementwise ops, batch_norm, softmax, concat, pad, slice, reduce_window, cumulative,
    reduce, arg_reduce, broadcast and reshapes that keep channels apart, where that adds no more transposes than it saves. A norm over
    dimensions that do not come last any more is written out. Only transposes marked `graph.sinkable` move: those of the
    program say how it wants its results. Runs right after the marks are made, and removes them. Refuses nothing: a transpose that no
    rule takes stays where it is.
  }];
  let exampleTest = "passes/layout/sink-transposes.mlir#pooling_concat_and_average";
}

def SplitWindowsPass : ZenithPass<"zenith-split-windows", "::mlir::func::FuncOp"> {
  let summary = "Reduce large windows along one dimension after the other";
  let description = [{
    The maximum (or minimum) over a rectangle is that over the maxima of its rows: a k x k window compares 2k elements instead of k * k.
    Runs after zenith-sink-transposes, because the layout decides: kernels with lanes along the rows reduce the last two
    dimensions of a window together. Leaves sums alone, which would round in another order, dilated inputs and windows of fewer than 16
    elements.
  }];
  let exampleTest = "passes/layout/split-windows.mlir#large_rectangle";
}

//===- precision ---------------------------------------------------------------------------------------------===//

def LowerPrecisionPass : ZenithPass<"zenith-lower-precision", "::mlir::func::FuncOp"> {
  let summary = "Choose how the target multiplies narrow operands";
  let description = [{
    zenith-assign-precision has written which values are rounded; here the target says how it multiplies them. Where it has dot
    products of bf16 pairs, products with weights keep their operands, unless they are convolutions that Winograd tiles of f32 compute
    in less time; all others get operands widened to f32, a convert that GEMM kernels do in registers, while zenith-hoist-prepare
    stores the narrow form of weights. The result is rounded where the product's was, so the meaning is the same on every target. Runs
    before the packing passes, and before zenith-transform-winograd-filters, which looks for f32. Refuses nothing.

    With `explain` there is a remark (PRE201 of [remarks](remarks.md)) on each product that is no faster than in f32.
  }];
  let exampleTest = "passes/precision/lower-precision.mlir#dot";
  let options = [Option<"pairs", "pairs", "bool", "false", "take the target to have dot products of bf16 pairs">,
                 Option<"explain", "explain", "bool", "false", "emit a remark where the target has no such products">];
}

def LegalizeTypesPass : ZenithPass<"zenith-legalize-types", "::mlir::func::FuncOp"> {
  let summary = "Compute types that the target lacks by types that it has, with the same bits";
  let description = [{
    `types` are what the target cannot compute: i64, ui64, f64, f16, bf16, f8.

    f16, bf16 and f8: each op that computes on them widens its operands to f32 and rounds its result once. For +, -, *, / and sqrt this
    is the result of the narrow op: f32 has at least 2p + 2 bits for a narrow type of p bits, so that rounding twice rounds once. Values
    keep their types in memory; movement moves them as they are. Running sums and scatters, which round at each element, do so still.

    i64, ui64: a value is a pair of ui32, its low and its high word: carries, products of halves, shifts, comparisons, long division. What
    wraps around wraps around as before. Arguments, results and parameters stay what they are; they are split where they enter and
    joined where they leave. Scalars that sizes and positions are made of are the host's and stay.

    f64 is refused with the type and the op, unless `f64-as` says f32: then each result has the precision of f32, and a remark says so.
    Nothing is narrowed that was not asked for. An op on pairs that this pass has no rule for is refused by name.

    Last of the passes that choose types: what comes before it may make any of these.
  }];
  let exampleTest = "passes/precision/legalize-types.mlir#sum";
  let options = [ListOption<"types", "types", "std::string", "types that the target lacks">,
                 Option<"f64As", "f64-as", "std::string", "\"\"", "f32, or empty: refused">];
}

//===- parameters --------------------------------------------------------------------------------------------===//

def HoistLoopInvariantsPass : ZenithPass<"zenith-hoist-loop-invariants", "::mlir::func::FuncOp"> {
  let summary = "Compute and pack before a loop what every iteration would compute alike";
  let description = [{
    Ops of a loop's body whose operands come from outside move before the loop, where their results take no more memory than they
    read; right-hand sides that the body multiplies by are packed there. Inner loops first: what leaves them may leave outer loops
    too, so both rewrites are one pass. Runs before zenith-outline-regions, while bodies are regions. Parameters are left to
    the packing passes of the layout phase.
  }];
  let exampleTest = "passes/parameters/hoist-loop-invariants.mlir#invariant";
  let options = [Option<"panel", "panel", "int64_t", "0", "columns of a panel; 0: the target's NR, and nothing is packed where there is no target">];
}

def FoldBatchNormPass : ZenithPass<"zenith-fold-batch-norm", "::mlir::func::FuncOp"> {
  let summary = "Fold batch norm into the weights of the contraction before it";
  let description = [{
    batch_norm(conv(x, w) + b) = conv(x, w * factor) + (b * factor + shift), where w, b and the statistics depend on parameters only; the new
    weights are ops that zenith-hoist-prepare moves. The same for dot_general. Other batch norms become a multiplication and an
    addition. Values change by rounding only. Runs after layouts are chosen, so that weights are scaled in their final order. Leaves a
    batch_norm whose contraction has other users to decomposition, and with `group` 4 convolutions whose filters are integers, which int8
    kernels read as they are.
  }];
  let exampleTest = "passes/parameters/fold-batch-norm.mlir#convolution";
  let options = [Option<"group", "group", "int64_t", "0", "K values of narrow integers that one instruction multiplies: 1, 2 or 4; 0: the target's">];
}

def TransformWinogradFiltersPass : ZenithPass<"zenith-transform-winograd-filters", "::mlir::func::FuncOp"> {
  let summary = "Store the Winograd transform of 3x3 filters beside the filters";
  let description = [{
    Winograd convolution F(m x m, 3 x 3) computes tiles of 2x2 or 4x4 results with 16 or 36 multiplications for a pair of channels instead of
    36 or 144 (ir/encodings/Winograd.h); a filter of 3 taps takes 4 or 6 instead of 6 or 12. Planes of a filter of three dimensions
    are summed over like channels; with dilation d, each of the d phases is tiled separately. Filters that depend on parameters only are
    transformed by ops that zenith-hoist-prepare moves; the transform is packed into panels, followed by the filter itself, which the
    convolution reads through a slice. The attribute `graph.winograd_tile` says that a kernel may compute with the transform instead;
    results change by rounding, by about 2e-6 of the largest one. A separate pass, since only some targets have such a kernel.
    Runs before the packing passes, and before zenith-lower-precision where f32 is fastest. Leaves alone what is estimated to gain
    nothing: few channels or positions, strides, groups, types other than f32.
  }];
  let exampleTest = "passes/parameters/transform-winograd-filters.mlir#convolution";
  let options = [Option<"panel", "panel", "int64_t", "0", "columns of a panel; 0: the target's NR">,
                 Option<"lanes", "lanes", "int64_t", "0", "f32 lanes of a vector; 0: the target's">];
}

def ReduceSingleColumnsPass : ZenithPass<"zenith-reduce-single-columns", "::mlir::func::FuncOp"> {
  let summary = "Write matmuls with a single column as sums along rows";
  let description = [{
    A matmul with N = 1 uses one lane of each vector; multiplied by the broadcast column and summed along each row, it fuses with the
    ops that compute the rows, such as the last norm of a predictor. Runs before zenith-pack-matmuls, which would pack the column.
    Leaves batched matmuls alone, rows that are not computed here, and types other than f32 and f64.
  }];
  let exampleTest = "passes/parameters/reduce-single-columns.mlir#single_column";
}

def PackBatchedMatmulsPass : ZenithPass<"zenith-pack-batched-matmuls", "::mlir::func::FuncOp"> {
  let summary = "Store batched right-hand sides as [batch, N/panel, K, panel]";
  let description = [{
    The columns that a tile reads of one matrix of the batch then lie next to each other; the matmul multiplies by the panels as they are,
    and its result is reshaped. Runs before zenith-hoist-prepare, which moves the packing. Leaves alone right-hand sides that are no
    parameters, few rows, and columns that make one panel only or part of one.
  }];
  let exampleTest = "passes/parameters/pack-batched-matmuls.mlir#batched";
  let options = [Option<"panel", "panel", "int64_t", "0", "columns of a panel; 0: the target's NR">];
}

def PackMatmulsPass : ZenithPass<"zenith-pack-matmuls", "::mlir::func::FuncOp"> {
  let summary = "Pack right-hand sides of matmuls into panels of columns";
  let description = [{
    A right-hand side that depends on parameters only is packed as [ceil(N/panel), K, panel] and read back through the inverse movement
    (ir/encodings/PackedPanels.h), which GEMM kernels recognise. With `group`, K values of a column lie side by side, as dot-product
    instructions take them: [ceil(N/panel), K/group, panel, group]. A small-M matmul, or one of dynamic M, takes half of a wide panel.
    Very few columns are transposed instead, so that vectors run along K. A large right-hand side that is no parameter is packed where four
    matmuls read it alike, as those of devices with the same weights do: each would pack it for itself. Runs after the passes that change
    weights and before zenith-hoist-prepare. Leaves batched matmuls and several contracted dimensions alone.
  }];
  let exampleTest = "passes/parameters/pack-matmuls.mlir#dot";
  let options = [Option<"panel", "panel", "int64_t", "0", "columns of a panel; 0: the target's NR">,
                 Option<"group", "group", "int64_t", "0", "K values that lie side by side for one instruction: 1, 2 or 4; 0: the target's">];
}

def PackFewOutputsPass : ZenithPass<"zenith-pack-few-outputs", "::mlir::func::FuncOp"> {
  let summary = "Store filters of a few outputs output by output";
  let description = [{
    A channels-last convolution with at most four outputs leaves most lanes of a vector of outputs empty; with the filter stored output by
    output, vectors run along K. Runs before zenith-pack-filters, which leaves such filters alone. Leaves alone filters that are no
    parameters, grouped convolutions, short sums and few results.
  }];
  let exampleTest = "passes/parameters/pack-few-outputs.mlir#few_outputs";
  let options = [Option<"panel", "panel", "int64_t", "0", "columns of a panel; 0: the target's NR">];
}

def PackGroupsPass : ZenithPass<"zenith-pack-groups", "::mlir::func::FuncOp"> {
  let summary = "Store filters of grouped convolutions group by group";
  let description = [{
    Small groups are first joined into block-diagonal ones until their outputs fill a vector; then the filter is stored group by group and
    panel by panel, and read through the inverse movement. Zeros beside the blocks are multiplied like other weights (decision
    0025). Runs before zenith-pack-filters, which packs the filter where all groups have become one. Leaves alone groups of
    fewer than four inputs, which run as depthwise convolutions, and filters that are no parameters.
  }];
  let exampleTest = "passes/parameters/pack-groups.mlir#groups";
  let options = [Option<"panel", "panel", "int64_t", "0", "columns of a panel; 0: the target's NR">];
}

def PackFiltersPass : ZenithPass<"zenith-pack-filters", "::mlir::func::FuncOp"> {
  let summary = "Pack filters of convolutions into panels of outputs";
  let description = [{
    The filter of a channels-last convolution is a matrix of K = taps * inputs rows and N = outputs columns; it is packed and read back as
    zenith-pack-matmuls does for right-hand sides. A group of K values does not reach from one tap to the next. Runs after the other
    passes on filters. Leaves alone filters that are neither parameters nor large and read alike by four convolutions, grouped
    convolutions, transformed filters and those that zenith-pack-few-outputs stored.
  }];
  let exampleTest = "passes/parameters/pack-filters.mlir#convolution";
  let options = [Option<"panel", "panel", "int64_t", "0", "columns of a panel; 0: the target's NR">,
                 Option<"group", "group", "int64_t", "0", "K values that lie side by side for one instruction: 1, 2 or 4; 0: the target's">];
}

def PackTablesPass : ZenithPass<"zenith-pack-tables", "::mlir::func::FuncOp"> {
  let summary = "Store large tables whose gathered rows are summed by blocks of columns";
  let description = [{
    A table that outgrows the first-level cache is stored by blocks of two or four panels of columns, so that a block of all rows
    stays in a cache while many sums read it (decision 0016). Runs with the other packing passes, before zenith-hoist-prepare. Leaves
    alone small tables, tables that are no parameters, and rows that are used otherwise than reduced.
  }];
  let exampleTest = "passes/parameters/pack-tables.mlir#summed_rows";
  let options = [Option<"panel", "panel", "int64_t", "0", "columns of a panel; 0: the target's NR">];
}

def HoistPreparePass : ZenithPass<"zenith-hoist-prepare", "::mlir::ModuleOp"> {
  let summary = "Move what depends on parameters only into @prepare";
  let description = [{
    Collects ops on parameters and constants, over all functions, in one private function @prepare, whose results become derived
    parameters. Broadcasts, slices and reshapes at the end of such a chain stay behind: they cost nothing where they are fused. The movement
    by which kernels read packed weights stays too. Constants of at least `constant-bytes` become parameters with their values inline. The
    last pass of the layout phase, because the passes before it leave the ops that it moves. Refuses a module that has a function @prepare
    already.
  }];
  let exampleTest = "passes/parameters/hoist-prepare.mlir#transposed_weight";
  let options = [Option<"constantBytes", "constant-bytes", "int64_t", "1024",
                        "constants of this many bytes become parameters">];
}

//===- search ------------------------------------------------------------------------------------------------===//

def ChooseStateKeysPass : ZenithPass<"zenith-choose-state-keys", "::mlir::func::FuncOp"> {
  let dependentDialects = ["::zenith::graph::GraphDialect", "::zenith::search::SearchDialect", "::mlir::func::FuncDialect"];
  let summary = "Run breadth-first loops on packed keys or on bits of a dense index instead of rows";
  let description = [{
    Finds loops that carry a layer of states, rows of small integers, and whose body takes their neighbours along permutations of
    positions, drops repeated rows and those of earlier layers, and counts what is left (unique, is_in, compact). Where only the counts
    are used, states become keys: the positions that some generator moves, in as many bits as their values need, packed into one
    or several ui64; a neighbour is a few shifts and masks; one `search.dedup` op takes the place of the set operations. Where every generator
    has its inverse among the others and bits are left, a key has a mask of inverse generators, so that the layer before last is not
    needed, nor the last one where all generators are odd. Where all states that could be reached have numbers (permutations,
    lists of two values) and `dense-bytes` holds three bits for each, layers are sets of bits instead (`search.bitset_difference`). Many generators
    are a table that candidates look their shifts up in, so that code does not grow with them. Permutation groups whose elements fit the
    budget as bits are rows of bits, one per coset of a stabiliser, which generators move to other rows (`search.coset_bit_rows`); lists of few
    bits of which few are states are marked in a set of bits (`search.test_and_set`). Where keys might take more than `memory-bytes`, a layer whose
    step would is expanded block by block, once for each of several ranges of hashes, so that the temporary lists fit.
    Where an involution of positions takes generators to generators and starts to starts, values renamed, one of each two states that it
    exchanges is kept: layers are half as long, and a bit marks the states that it fixes.
    Where there are more such permutations, a group of them, `search.dedup` keeps the least of each candidate's images under all.
    Positions that always move together (cubies: blocks of imprimitivity) share a code for their values where keys get shorter by it.
    Where the exit predicate says that a layer is the last one, its states are counted and not stored.
    Where all earlier layers must be known, because a generator has no inverse, their states are one list with an index, which
    `search.append_new` extends where it is: a step costs as much as its own candidates. So it is where states stay rows.
    Rows from before the loop that are looked up in each next layer (is_in) are packed or ranked once, before the loop, and then looked up
    as keys or bits; halved keys, images, marks and dense indices are not chosen then. A list that only keeps the number of a row's step, as
    distances are, is noted among rows of bits by their words (`search.index_bits`, `search.note_bits`), at most 40 bytes a row and 32
    more while the index is made, so that a layer costs a pass over the words that have such rows, and not a test of each row.
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
                            "symmetry-group, pieces, last-count, known-index">];
}

def GrowListsPass : ZenithPass<"zenith-grow-lists", "::mlir::func::FuncOp"> {
  let dependentDialects = ["::zenith::graph::GraphDialect", "::zenith::search::SearchDialect"];
  let summary = "Keep room in lists to which the steps of a loop append";
  let description = [{
    Finds loop-carried lists of integers, with a dynamic dimension 0, that each step only joins with more rows (concat) and nothing else
    in the loop reads. A concat copies the list, so that n steps take n^2 time; `search.append_new` without compared parts adds the rows where
    the list is, and a list that is full becomes half as long again. The loop carries how many rows count, and what reads its result takes
    these. Runs at the end of the clean phase, on processors. Other lists stay as they are.
  }];
  let exampleTest = "passes/search/states/grow-lists.mlir#squares";
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
    Where the program asks how many different candidates there are, such neighbours are counted without being made, too
    (`search.count_neighbours`), which tells the first of equal ones: only these are chosen from, so that nothing is left to
    deduplicate. Steps whose other candidates are counted or used for more than being scored stay as they are.

    With `explain` each step has a remark (SEA301, SEA302 and SEA401 of [remarks](remarks.md)).

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
    has. A scalar that comes out of other ops gets a graph.host_read, where the host waits for it and reads it; all that
    the host needs then rests on host_read, arguments, constants and dimensions. Runs before fusion, which keeps host_read
    and the host's arithmetic out of kernels. Refuses nothing.
  }];
  let exampleTest = "passes/fusion/fetch-scalars.mlir#size_from_data";
}

def DecomposeAttentionPass : ZenithPass<"zenith-decompose-attention", "::mlir::func::FuncOp"> {
  let summary = "Write out attention that no kernel computes whole";
  let description = [{
    Replaces graph.attention by its formula where the head size is dynamic or above 512, because a task keeps a query and an
    accumulator row on its stack, or, with `all`, everywhere, for targets without such a kernel. Runs before fusion: what is
    left becomes one kernel each. With `explain` each replacement is a remark "fusion: FUS204: text". Refuses nothing.
  }];
  let exampleTest = "passes/fusion/decompose-attention.mlir#dynamic_head_size";
  let options = [Option<"all", "all", "bool", "false", "write out all attention, also where the target has a kernel for it, whose tasks keep blocks of weights on their stacks">,
                 Option<"explain", "explain", "bool", "false", "emit a remark for each attention that is written out">];
}

def ReadKVSegmentsPass : ZenithPass<"zenith-read-kv-segments", "::mlir::func::FuncOp"> {
  let summary = "Let attention of few queries read the segments of a KV cache where they lie";
  let description = [{
    Gives attention a concatenation of its own of the cache and the appended keys and values, which its kernel reads segment by
    segment: nothing is joined in memory unless another reader needs it. Where groups of heads share keys, the segments are
    repeated instead of the joined keys. Attention of more queries stays: it reads keys often enough to join them. Runs before
    fusion, which sees the concatenation as metadata. Refuses nothing.
  }];
  let exampleTest = "passes/fusion/read-kv-segments.mlir#cache";
}

def SinkScalesPass : ZenithPass<"zenith-sink-scales", "::mlir::func::FuncOp"> {
  let summary = "Move constant factors of a matmul's operands into its epilogue";
  let description = [{
    dot(move(x * c), y) becomes dot(move(x), y) * c: fusion puts the factor into the epilogue, and the operand needs no pass
    over memory. Only for f32 and f64 and for factors between 1e-3 and 1e3 in magnitude: others could overflow sums of finite
    terms, or lose bits. Results may differ from the unscaled order of rounding as sums do. Refuses nothing.
  }];
  let exampleTest = "passes/fusion/sink-scales.mlir#scaled_query";
}

def KeepInt8OperandsPass : ZenithPass<"zenith-keep-int8-operands", "::mlir::func::FuncOp"> {
  let summary = "Give each int8 matmul its own widening convert";
  let description = [{
    An int8 matmul, whose weights lie in K-interleaved groups of four, reads its left operand as int8. Where other readers need
    the same value widened, the convert is cloned, so that memory keeps the int8 value and the others widen it on their own.
    Refuses nothing.
  }];
  let exampleTest = "passes/fusion/keep-int8-operands.mlir#shared_convert";
}

def ResolveDimsPass : ZenithPass<"zenith-resolve-dims", "::mlir::func::FuncOp"> {
  let summary = "Rewrite dimensions of intermediate values as dimensions of arguments";
  let description = [{
    A graph.dim of a value that fusion would put inside a kernel needs that value in memory, only for its shape. Where shape
    inference knows the dimension as an expression over the dimensions of arguments, that expression replaces it. Refuses
    nothing: other dimensions stay.
  }];
  let exampleTest = "passes/fusion/resolve-dims.mlir#intermediate";
}

def FormFusionsPass : ZenithPass<"zenith-form-fusions", "::mlir::func::FuncOp"> {
  let summary = "Partition a function into regions that become one kernel each";
  let description = [{
    Greedy fusion. Afterwards a function consists of graph.fusion ops, get_param, constants, what the host computes (dim, host_read
    and arithmetic on integer scalars), barriers, control and its return.
    Contractions and windows take their epilogue, reductions their producers and the consumers of the same rows, and pointwise ops
    merge along their uses; what each op may do is its FusionRule. Movement is cloned into each reader; contraction operands absorb it
    where it stays strided, other readers of memory get a copy. Values with several readers are written once, as one more result.
    Fails where an op has no fusion rule, naming it.

    Two rewrites are part of the outlining and no passes of their own. Composites are written out inside the regions, because a
    region is made for a kernel and kernels consist of core ops. Transposes and reshapes move from the front of an epilogue to its
    end, because the plan let the epilogue join on that condition: without it the contraction has no kernel.

    With `explain` each decision is a remark (FUS001 to FUS106 of [remarks](remarks.md)).
  }];
  let exampleTest = "passes/fusion/form-fusions.mlir#dot_bias_relu";
  let options = [Option<"explain", "explain", "bool", "false", "emit a remark for each decision">,
                 Option<"maxReads", "max-reads", "unsigned", "128",
                        "distinct (value, index map) pairs that one region may evaluate">];
}

def CheapRematerializationPass : ZenithPass<"zenith-cheap-rematerialization", "::mlir::func::FuncOp"> {
  let summary = "Compute results of a kernel again in their readers where that costs less than memory";
  let description = [{
    A result of a region that follows from what is in memory anyway by a few elementwise ops is computed again by its readers, and
    never written: what a forward pass keeps for the backward pass is then few arrays. What "a few" means depends on where the value
    would be kept (passes/cost/RematerializationCosts.h). Where an early reader needs it in memory, readers of the backward pass alone
    compute it again, from what waits for them anyway or is narrower, so that it need not wait. What they only compare with a constant,
    as the derivative of relu does, is compared where it is made, and a byte waits. Runs on fused functions, because only then it is
    known which values are in memory. With `explain` each such result is a remark "fusion: FUS106: text". Refuses nothing.
  }];
  let exampleTest = "passes/fusion/cheap-rematerialization.mlir#forward_and_backward";
  let options = [Option<"explain", "explain", "bool", "false", "emit a remark for each result that is computed again">];
}

def CopyReturnedValuesPass : ZenithPass<"zenith-copy-returned-values", "::mlir::func::FuncOp"> {
  let summary = "Give each returned value a buffer of its own";
  let description = [{
    The caller owns the buffers of results, so each is written by a kernel: an argument, constant or parameter that is returned is
    copied, and so is a value that is returned twice. Scalars of the host need no kernel. Runs last in its phase: earlier passes may
    change who computes a result. Refuses nothing.
  }];
  let exampleTest = "passes/fusion/copy-returned-values.mlir#returned_argument";
}

#endif // ZENITH_PASSES_GRAPHPASSES_TD
