// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dialect sched: what the kernel of a fusion will do, one attribute per kind of kernel.

#ifndef ZENITH_LOWERING_SCHEDULE_SCHEDULE_TD
#define ZENITH_LOWERING_SCHEDULE_SCHEDULE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"

def Sched_Dialect : Dialect {
  let name = "sched";
  let cppNamespace = "::zenith::sched";
  let summary = "what the kernel of a fusion will do";
  let description = [{
    Attributes that a graph.fusion holds as `schedule`. The schedule phase writes them, an edited dump may bring them;
    planning and emission read them. Keys come in any order, and those of default value are left out. A key that is left
    out is decided by shapes and target. docs/schedules.md says what keys mean and lists the constraints sched_c1 to
    sched_c14.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

def OnParameter : AttrParameter<"::zenith::graph::RunOn", "who does a task: task, group or host">;
class IntegersParameter<string text> : OptionalParameter<"::mlir::DenseI64ArrayAttr", text>;
class IntegerParameter<string text> : OptionalParameter<"int64_t", text>;
class OneParameter<string text> : DefaultValuedParameter<"int64_t", "1", text>;
def StoreParameter : OptionalParameter<"::zenith::sched::Stores", "plain or streaming, the latter for some results or all">;
def PrefetchParameter : OptionalParameter<"::zenith::sched::Prefetches", "what tiles ask memory for ahead of its use">;
def OperandsParameter : OptionalParameter<"::zenith::sched::Operands", "how A and B come">;

// Keys of all kinds stand around those of one.
class Sched_Kind<string name, string attrMnemonic, dag own> : AttrDef<Sched_Dialect, name> {
  let mnemonic = attrMnemonic;
  let parameters = !con(
    (ins OnParameter:$on, IntegersParameter<"items of a group along x, y and z">:$group),
    own,
    (ins OptionalParameter<"::mlir::StringAttr", "number of tasks or groups, an expression over dimensions">:$tasks,
         OptionalParameter<"::mlir::ArrayAttr", "bytes of each scratch buffer, expressions over dimensions">:$scratch,
         OptionalParameter<"::mlir::ArrayAttr", "[result, operand]: results that may take over bytes">:$shares,
         StoreParameter:$store));
  let assemblyFormat = "`<` struct(params) `>`";
}

def Sched_ElementsAttr : Sched_Kind<"Elements", "elements", (ins
    IntegerParameter<"elements of a task, or of an item">:$block,
    IntegersParameter<"rows and columns of a square that is transposed in registers">:$tile,
    IntegerParameter<"elements of written rows that squares advance along">:$piece,
    OneParameter<"vectors that are computed at a time">:$item,
    IntegerParameter<"lanes of a vector">:$lanes)> {
  let summary = "each element of the results on its own: pointwise ops, copies, movement";
  let description = [{
    `block` elements are a task, `item * lanes` of them are computed at a time. `tile` is there where what is read and what
    is written have no contiguous dimension in common. Where written rows are the longer ones, squares advance along `piece`
    elements of a few rows at a time; a piece of one square is none.
    Example: `#sched.elements<on = task, block = 4096, lanes = 32>`
  }];
}

def Sched_ReduceAttr : Sched_Kind<"Reduce", "reduce", (ins
    IntegerParameter<"rows of a task or group">:$rows,
    IntegerParameter<"numbers of a row that an item keeps in registers">:$keep,
    IntegerParameter<"blocks of rows whose column sums have slots in scratch">:$slots,
    IntegerParameter<"steps of the reduced loop that share a slot">:$chunk,
    IntegersParameter<"of each pass over a row: vectors that are summed side by side">:$sums,
    IntegerParameter<"rows that are reduced side by side">:$together,
    OptionalParameter<"::zenith::sched::Prefetch", "rows<n> or none: a second pass asks memory for rows that are reduced n steps later">:$prefetch,
    IntegersParameter<"int8 operands whose lines are asked for ahead of their use">:$streams,
    IntegerParameter<"bytes that these lines are ahead">:$ahead,
    OneParameter<"vectors that are computed at a time">:$item,
    IntegerParameter<"lanes of a vector">:$lanes)> {
  let summary = "reductions along rows or columns, and what is computed from them";
  let description = [{
    Without `chunk`, a task reduces whole rows, or all of some columns. With it, each chunk has a slot in scratch, and a
    second launch adds the slots in order. Each pass has `sums` vectors of running sums, which are joined at its end; a step
    of the loop over rows reduces `together` of them.
    Example: `#sched.reduce<on = task, rows = 8, sums = [4], lanes = 16>`
  }];
}

class Sched_Product<string name, string attrMnemonic, dag own> : Sched_Kind<name, attrMnemonic, !con(own, (ins
    IntegersParameter<"rows and columns of a tile, and k of a block">:$tile,
    IntegersParameter<"rows and columns of an item">:$item,
    IntegerParameter<"lanes of a vector">:$lanes,
    OperandsParameter:$operands,
    IntegersParameter<"tiles of rows, and panels of columns, of a task">:$block,
    OptionalParameter<"::zenith::sched::KLoop", "how a task goes through K">:$k_loop,
    OptionalParameter<"::zenith::sched::Joined", "neighbouring tasks that a thread which has them all runs as one">:$joined,
    PrefetchParameter:$prefetch,
    IntegersParameter<"rows of the micro-kernels that sum tiles, the highest first">:$heights,
    IntegersParameter<"tiles and rows that are finished at once where rows of results are contiguous">:$finish,
    IntegerParameter<"sets of accumulators of a tile, to which k are added in turn; left out, shapes and target see no use in several">:$sums,
    OneParameter<"tiles of local memory that are loaded ahead">:$stages,
    OneParameter<"elements that an item reads at once">:$vector,
    OneParameter<"slices of K with a slot each, added in order">:$k_slices,
    OptionalParameter<"::zenith::sched::Fragment", "shape of a matrix instruction">:$fragment))>;

def Sched_GemmAttr : Sched_Product<"Gemm", "gemm", (ins
    IntegerParameter<"symmetric results: rows of the squares that are mirrored">:$mirror)> {
  let summary = "a matrix product with its epilogue";
  let description = [{
    A task's register tile is `tile`; a group's tile lies in local memory, and each item has `item` of it. `k_loop = whole`
    sums over K in registers. All other loops add blocks of K, of which `tile` says the size where no taps of a filter do:
    `panels`, all tiles of a task meet a block of a panel of B before the next panel; `tiles`, a tile meets the blocks of all
    panels of the task; `packed<n>`, like panels, with the rows of A copied first, which ask memory for those of n k later;
    `short`, like panels, with blocks so short that
    rows of A stay in the first-level cache; `sweep<n>`, a block of B is read along its rows, n panels at a time.
    `prefetch` is what a tile asks memory for: `lines<n, bytes>` of B so far ahead, by tiles of n rows and more; its share of
    the next `panel`; `rows<n>`, those of A that are n further on; or `none`. Left out, shapes and target see no use in any. In
    brackets, the second is that of tiles of half panels, which are left to the last rows of many.
    A comes as `rows` where it lies, `widened` or `padded` from a copy that a launch of its own makes, or `copied` by the
    tasks of a packed loop.
    `heights` is there where a run says how many rows the last tile has: its micro-kernel is the lowest that is enough. The
    highest computes the last row again where most tiles are full, the others skip rows that are not there, where they
    multiply single k. Where the last rows are left to half panels, the heights are those of such tiles. Tiles of all
    heights have the same `sums`, so that equal rows are rounded alike.
    Example: `#sched.gemm<on = task, tile = [14, 32], lanes = 16, operands = [rows, panels<32>]>`
  }];
}

def Sched_ConvAttr : Sched_Product<"Conv", "conv", (ins
    OptionalParameter<"::zenith::sched::ConvForm", "direct, indirect, winograd<m> or depthwise<form of a window>">:$form,
    IntegerParameter<"depthwise<planes>: vectors of sums in registers">:$keep,
    IntegerParameter<"winograd: tasks that panels are divided for where blocks are fewer">:$fewest_tasks,
    IntegerParameter<"winograd: tiles of a task of the launch that transforms the input">:$input_tiles)> {
  let summary = "a convolution with its epilogue";
  let description = [{
    `form` direct is a product whose rows are positions; winograd<m> transforms tiles of m results; depthwise moves the
    filter along each channel alone. Other keys as in gemm, but for two forms. winograd: `block` is the tiles, and the planes
    of a volume, that a task aims at; A comes as `rows` of an input that a launch of its own transforms, or is `copied` where
    each task transforms what it needs, and then has all panels; its next `panel` is that of the next point. depthwise: `tile`, `block` and `keep` as in window.
    Example: `#sched.conv<on = task, form = winograd<4>, tile = [14, 32], lanes = 16, operands = [rows, panels<32>], block = [24, 1]>`
  }];
}

class Sched_Blocked<string name, string attrMnemonic, dag own> : Sched_Kind<name, attrMnemonic, !con(own, (ins
    IntegersParameter<"rows and columns of a tile">:$tile,
    IntegerParameter<"elements of a task">:$block,
    OneParameter<"vectors that are computed at a time">:$item,
    IntegerParameter<"lanes of a vector">:$lanes))>;

def Sched_WindowAttr : Sched_Kind<"Window", "window", (ins
    OptionalParameter<"::zenith::sched::WindowForm", "channels, rows, planes, interleaved or dots">:$form,
    IntegersParameter<"results that are computed at a time">:$tile,
    IntegersParameter<"results of a task, as the form counts them">:$block,
    IntegerParameter<"planes: vectors of sums in registers">:$keep,
    OneParameter<"vectors that are computed at a time">:$item,
    IntegerParameter<"lanes of a vector">:$lanes)> {
  let summary = "reductions of windows that move over a tensor: pooling";
  let description = [{
    `form` is what lanes run along. `channels`: `tile` is the positions of a row, and the channels, that are computed at a
    time, `block` the results that are work enough for a task, and those that its part of the cache holds. `rows`: along a
    row, which is read where it lies; `tile` is one row, and its columns that are computed at a time, `block` the results of a
    task. `planes`: along the rows of planes that are copied with their padding; `block` is the planes of a task, or, where
    only a run knows their size, the tiles of planes, and the rows and columns of one; `keep` vectors of sums are in
    registers. Tiles of volumes, those of one vector, and those that windows read too seldom, are not copied. `interleaved`: along
    as many neighbouring planes as there are lanes, which are transposed into a copy of at most `block` positions; `tile` is
    the columns, and the lanes, that are computed at a time. `dots`: along
    channels, with bytes of four rows side by side for dot products; `tile` is the rows and columns that are computed at a
    time, `block` the blocks of rows, and the channels, of a task.
    Windows whose region says how elements combine have no form.
    Example: `#sched.window<on = task, form = channels, tile = [14, 16], block = [40960, 131072], lanes = 16>`
  }];
}

def Sched_ScanAttr : Sched_Blocked<"Scan", "scan", (ins)> {
  let summary = "running reductions along a dimension";
  let description = [{
    A task has `block` elements of a row of lanes, or, with one lane, rows of so many elements; `item * lanes` of them are
    scanned at a time. With `tile = [1, block]` it finishes a row of lanes before the next one and reads the state of the
    scan from the result, since so many lanes would not stay in registers; a run whose rows are short keeps them there.
    Example: `#sched.scan<on = task, tile = [1, 1024], block = 1024, lanes = 32>`
  }];
}

def Sched_ScatterAttr : Sched_Blocked<"Scatter", "scatter", (ins
    OptionalParameter<"::zenith::sched::ScatterBy", "destination or sort">:$by,
    IntegerParameter<"parts of the results, a task each">:$parts)> {
  let summary = "updates at places that data name";
  let description = [{
    By destination, tasks divide the results. With `block`, each has so many columns of all windows. With `parts`, they divide
    a dimension of the results: one along which update i goes to index i, of which there are no more tasks than updates; or
    one whose indices data name, where each task looks at all updates. Without both, one task has everything.
    Example: `#sched.scatter<on = task, block = 256, lanes = 32>`
  }];
}

def Sched_AttentionAttr : Sched_Kind<"Attention", "attention", (ins
    IntegerParameter<"rows of a block of scores">:$rows,
    IntegerParameter<"keys of a block of scores">:$keys,
    IntegersParameter<"rows and columns of a tile">:$tile,
    IntegersParameter<"rows and columns of an item">:$item,
    IntegerParameter<"lanes of a vector">:$lanes,
    OptionalParameter<"::zenith::sched::Operands", "how keys and values come">:$operands,
    IntegerParameter<"queries up to which a run reads both where they lie">:$in_place,
    OneParameter<"parts of the keys, which are combined in order">:$split)> {
  let summary = "attention: both products and the softmax between them";
  let description = [{
    Keys and values are read as `rows` where they lie, or `copied` first, in panels as wide as the tile. Both are rows, or
    keys are copied. Where only a run knows how many queries there are, up to `in_place` of them read both where they lie, and
    copies are made for more only.
    Example: `#sched.attention<on = task, rows = 42, keys = 512, tile = [14, 32], lanes = 16, operands = [copied<32>, rows]>`
  }];
}

class Sched_Ordering<string name, string attrMnemonic> : Sched_Kind<name, attrMnemonic, (ins
    IntegerParameter<"bits of a digit of the keys">:$digits,
    IntegerParameter<"elements of a block">:$block,
    IntegerParameter<"elements that a block keeps">:$keep)>;

def Sched_SortAttr : Sched_Ordering<"Sort", "sort"> {
  let summary = "stable sorts";
  let description = "Example: `#sched.sort<on = host, scratch = [\"16*n\"]>`";
}
def Sched_TopKAttr : Sched_Ordering<"TopK", "top_k"> {
  let summary = "the largest elements of rows";
  let description = "Example: `#sched.top_k<on = host, scratch = [\"64\"]>`";
}
def Sched_SetAttr : Sched_Ordering<"Set", "set"> {
  let summary = "sets of rows: unique, membership, layers of searches";
  let description = "Example: `#sched.set<on = host, scratch = [\"24*n\"]>`";
}

def Sched_RoutineAttr : AttrDef<Sched_Dialect, "Routine"> {
  let mnemonic = "routine";
  let summary = "an op that a routine of the runtime computes";
  let description = "Example: `#sched.routine<\"fourier\", on = host>`";
  let parameters = (ins StringRefParameter<"the op">:$name, OnParameter:$on,
    OptionalParameter<"::mlir::StringAttr", "number of tasks, an expression over dimensions">:$tasks,
    OptionalParameter<"::mlir::ArrayAttr", "bytes of each scratch buffer, expressions over dimensions">:$scratch,
    OptionalParameter<"::mlir::ArrayAttr", "[result, operand]: results that may take over bytes">:$shares);
  let assemblyFormat = "`<` $name `,` struct($on, $tasks, $scratch, $shares) `>`";
}

def Sched_ChoiceAttr : AttrDef<Sched_Dialect, "Choice"> {
  let mnemonic = "choice";
  let summary = "variants of which a run takes one by its sizes";
  let description = [{
    The first variant whose guard holds; the last one has the guard `else`, which is written without quotes.
    Example: `#sched.choice<["n <= 28" : #sched.gemm<on = task, tile = [14, 16], lanes = 16>, else : #sched.gemm<on = task, tile = [14, 32], lanes = 16>]>`
  }];
  let parameters = (ins "::mlir::ArrayAttr":$guards, "::mlir::ArrayAttr":$variants);
  let hasCustomAssemblyFormat = 1;
}

#endif // ZENITH_LOWERING_SCHEDULE_SCHEDULE_TD
