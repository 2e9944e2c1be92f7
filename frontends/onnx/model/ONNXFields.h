// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Field numbers of the messages of onnx.proto that a model is read from and
// written as. Fields that are not here (documentation, training information)
// are skipped and not written.
#ifndef ZENITH_FRONTENDS_ONNX_MODEL_ONNXFIELDS_H
#define ZENITH_FRONTENDS_ONNX_MODEL_ONNXFIELDS_H

#include <protozero/types.hpp>

namespace zenith::onnx {

using FieldNumber = protozero::pbf_tag_type;

enum class ModelField : FieldNumber {
  IRVersion = 1,
  ProducerName = 2,
  ProducerVersion = 3,
  Domain = 4,
  ModelVersion = 5,
  Graph = 7,
  OpsetImport = 8,
  MetadataProps = 14,
  Functions = 25
};

enum class EntryField : FieldNumber { Key = 1, Value = 2 };

enum class OpsetField : FieldNumber { Domain = 1, Version = 2 };

enum class FunctionField : FieldNumber {
  Name = 1,
  Input = 4,
  Output = 5,
  Attribute = 6,
  Node = 7,
  OpsetImport = 9,
  Domain = 10,
  AttributeProto = 11
};

enum class GraphField : FieldNumber {
  Node = 1,
  Name = 2,
  Initializer = 5,
  Input = 11,
  Output = 12,
  ValueInfo = 13,
  SparseInitializer = 15
};

enum class NodeField : FieldNumber {
  Input = 1,
  Output = 2,
  Name = 3,
  OpType = 4,
  Attribute = 5,
  Domain = 7
};

enum class AttributeField : FieldNumber {
  Name = 1,
  F = 2,
  I = 3,
  S = 4,
  T = 5,
  G = 6,
  Floats = 7,
  Ints = 8,
  Strings = 9,
  Tensors = 10,
  Graphs = 11,
  Type = 20,
  RefAttrName = 21
};

enum class TensorField : FieldNumber {
  Dims = 1,
  DataType = 2,
  Segment = 3,
  FloatData = 4,
  Int32Data = 5,
  StringData = 6,
  Int64Data = 7,
  Name = 8,
  RawData = 9,
  DoubleData = 10,
  UInt64Data = 11,
  ExternalData = 13,
  DataLocation = 14
};
/// TensorProto.DataLocation: the data is in a file beside the model.
constexpr int32_t externalLocation = 1;

enum class ValueField : FieldNumber { Name = 1, Type = 2 };

enum class TypeField : FieldNumber {
  Tensor = 1,
  Sequence = 4,
  Map = 5,
  SparseTensor = 8,
  Optional = 9
};

/// Of dense and sparse tensors alike.
enum class TensorTypeField : FieldNumber { ElementType = 1, Shape = 2 };

/// Of sequences and optionals alike.
enum class ContainerTypeField : FieldNumber { ElementType = 1 };

enum class ShapeField : FieldNumber { Dim = 1 };

enum class DimField : FieldNumber { Value = 1, Symbol = 2 };

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_MODEL_ONNXFIELDS_H
