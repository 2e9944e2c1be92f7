// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of the graph dialect: where a parameter's bytes lie and how an op numbers its dimensions.

#ifndef ZENITH_IR_GRAPHATTRS_TD
#define ZENITH_IR_GRAPHATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "ir/GraphDialect.td"

class Graph_Attr<string name, string attrMnemonic> : AttrDef<Graph_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Graph_ExternalAttr : Graph_Attr<"External", "external"> {
  let summary = "bytes of a parameter in a file, mapped on first use";
  let description = [{
    `file` is relative to the IR file, `offset` and `length` count bytes;
    elements are little-endian and row-major.
  }];
  let parameters = (ins StringRefParameter<"path relative to the IR file">:$file,
                        "int64_t":$offset, "int64_t":$length);
  let assemblyFormat = "`<` $file `,` $offset `,` $length `>`";
}

def Graph_DotDimsAttr : Graph_Attr<"DotDims", "dot"> {
  let summary = "which dimensions a dot_general batches over and contracts";
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$lhsBatching,
    OptionalArrayRefParameter<"int64_t">:$rhsBatching,
    OptionalArrayRefParameter<"int64_t">:$lhsContracting,
    OptionalArrayRefParameter<"int64_t">:$rhsContracting);
  let assemblyFormat = [{
    `<` `batching` `=` custom<IntegerList>($lhsBatching) `x` custom<IntegerList>($rhsBatching) `,`
        `contracting` `=` custom<IntegerList>($lhsContracting) `x` custom<IntegerList>($rhsContracting) `>`
  }];
}

def Graph_ConvDimsAttr : Graph_Attr<"ConvDims", "conv"> {
  let summary = "the meaning of each dimension of a convolution's operands and result";
  let parameters = (ins
    "int64_t":$inputBatch, "int64_t":$inputFeature,
    OptionalArrayRefParameter<"int64_t">:$inputSpatial,
    "int64_t":$kernelInput, "int64_t":$kernelOutput,
    OptionalArrayRefParameter<"int64_t">:$kernelSpatial,
    "int64_t":$outputBatch, "int64_t":$outputFeature,
    OptionalArrayRefParameter<"int64_t">:$outputSpatial);
  let assemblyFormat = [{
    `<` `input` `=` `(` $inputBatch `,` $inputFeature `,` custom<IntegerList>($inputSpatial) `)` `,`
        `kernel` `=` `(` $kernelInput `,` $kernelOutput `,` custom<IntegerList>($kernelSpatial) `)` `,`
        `output` `=` `(` $outputBatch `,` $outputFeature `,` custom<IntegerList>($outputSpatial) `)` `>`
  }];
}

def Graph_GatherDimsAttr : Graph_Attr<"GatherDims", "gather"> {
  let summary = "how a gather maps start indices and slices to dimensions (as in StableHLO)";
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$offsetDims,
    OptionalArrayRefParameter<"int64_t">:$collapsedSliceDims,
    OptionalArrayRefParameter<"int64_t">:$operandBatchingDims,
    OptionalArrayRefParameter<"int64_t">:$startIndicesBatchingDims,
    OptionalArrayRefParameter<"int64_t">:$startIndexMap,
    "int64_t":$indexVectorDim);
  let assemblyFormat = [{
    `<` `offset` `=` custom<IntegerList>($offsetDims) `,` `collapsed` `=` custom<IntegerList>($collapsedSliceDims) `,`
        `batching` `=` custom<IntegerList>($operandBatchingDims) `x` custom<IntegerList>($startIndicesBatchingDims) `,`
        `index_map` `=` custom<IntegerList>($startIndexMap) `,` `index_vector_dim` `=` $indexVectorDim `>`
  }];
}

def Graph_ScatterDimsAttr : Graph_Attr<"ScatterDims", "scatter"> {
  let summary = "how a scatter maps indices and windows of updates to dimensions (as in StableHLO)";
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$updateWindowDims,
    OptionalArrayRefParameter<"int64_t">:$insertedWindowDims,
    OptionalArrayRefParameter<"int64_t">:$inputBatchingDims,
    OptionalArrayRefParameter<"int64_t">:$indicesBatchingDims,
    OptionalArrayRefParameter<"int64_t">:$indexMap,
    "int64_t":$indexVectorDim);
  let assemblyFormat = [{
    `<` `window` `=` custom<IntegerList>($updateWindowDims) `,` `inserted` `=` custom<IntegerList>($insertedWindowDims) `,`
        `batching` `=` custom<IntegerList>($inputBatchingDims) `x` custom<IntegerList>($indicesBatchingDims) `,`
        `index_map` `=` custom<IntegerList>($indexMap) `,` `index_vector_dim` `=` $indexVectorDim `>`
  }];
}

#endif // ZENITH_IR_GRAPHATTRS_TD
