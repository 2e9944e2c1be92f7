// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect of host programs: which kernels run in which order on which bytes.

#ifndef ZENITH_LOWERING_HOST_HOSTDIALECT_TD
#define ZENITH_LOWERING_HOST_HOSTDIALECT_TD

include "mlir/IR/DialectBase.td"

def Host_Dialect : Dialect {
  let name = "host";
  let cppNamespace = "::zenith::host";
  let summary = "launches of kernels, in order, on assigned buffers";
  let description = [{
    What is left of GraphIR after the kernels phase. A program has no SSA values: sizes are expressions over the
    dimensions that its arguments name ("batch*12") and over symbols that its steps bind ("%0"), buffers are parts of
    the arena, arguments, results or parameters, slots and cells. The kernels are functions of the nested
    `module @kernels`. Between the outline and the kernels phase, `branch` and `loop` stand for control in functions
    of graph ops.
  }];
  let useDefaultAttributePrinterParser = 1;
  // Sizes are #graph.dim.
  let dependentDialects = ["::zenith::graph::GraphDialect"];
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

#endif // ZENITH_LOWERING_HOST_HOSTDIALECT_TD
