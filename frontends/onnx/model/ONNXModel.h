// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ONNX model as plain structs, read from and written to .onnx files. Weights
// are ranges of the mapped files that they came from. A Model that loadModel
// returned is sound: names, types, byte counts and order are checked.
#ifndef ZENITH_FRONTENDS_ONNX_MODEL_ONNXMODEL_H
#define ZENITH_FRONTENDS_ONNX_MODEL_ONNXMODEL_H

#include "frontends/files/MappedBytes.h"
#include <optional>
#include <vector>

namespace zenith::files {
class AtomicFile;
}

namespace zenith::onnx {

/// TensorProto.DataType of the newest schema; the packaged schema ends at
/// BFloat16, but newer codes are read and written unchanged.
enum class DataType : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
  Float8E4M3FN = 17,
  Float8E4M3FNUZ = 18,
  Float8E5M2 = 19,
  Float8E5M2FNUZ = 20,
  UInt4 = 21,
  Int4 = 22,
  Float4E2M1 = 23,
  Float8E8M0 = 24,
  UInt2 = 25,
  Int2 = 26
};

/// Lower-case name as the ONNX documents spell it (`float16`); empty for codes
/// that are no data type.
std::string_view dataTypeName(DataType type);
/// Bits of one element; 0 for strings and unknown types. Types below 8 bits are
/// packed, low bits first.
unsigned dataTypeBits(DataType type);
/// Product of `dims`; nothing if a dimension is negative or the product exceeds
/// 2^60.
std::optional<uint64_t> elementCount(const std::vector<int64_t> &dims);
/// Bytes of a tensor of these dims; nothing on overflow or for types without a
/// fixed width.
std::optional<uint64_t> byteCount(DataType type,
                                  const std::vector<int64_t> &dims);

struct Tensor {
  std::string name;
  DataType type = DataType::Undefined;
  std::vector<int64_t> dims;
  files::ByteRange data; // little-endian elements, packed below 8 bits;
                         // byteCount(type, dims) bytes
  std::vector<std::string> strings; // of String only
};

/// A dimension: a constant, a symbol, or neither.
struct Dim {
  std::optional<int64_t> value;
  std::string symbol;
};

struct ValueType {
  enum Kind {
    Missing,
    TensorKind,
    SparseTensorKind,
    SequenceKind,
    MapKind,
    OptionalKind
  };
  Kind kind = Missing;
  DataType element = DataType::Undefined; // of tensors
  bool hasShape = false;
  std::vector<Dim> dims;
  std::vector<ValueType> inner; // of sequences and optionals: one
};

struct ValueInfo {
  std::string name;
  ValueType type;
};

struct Graph;

struct NodeAttribute {
  /// AttributeProto.AttributeType; a file may say any other number.
  enum Kind : int32_t {
    Undefined = 0,
    Float = 1,
    Int = 2,
    String = 3,
    TensorValue = 4,
    GraphValue = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
    Tensors = 9,
    Graphs = 10,
    SparseTensor = 11,
    SparseTensors = 12,
    TypeValue = 13,
    Types = 14
  };
  std::string name;
  std::string reference; // inside functions: the function's attribute that
                         // gives the value
  Kind kind = Undefined;
  float f = 0;
  int64_t i = 0;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings; // String: one
  std::vector<Tensor> tensors;      // TensorValue: one
  std::vector<Graph> graphs;        // GraphValue: one
};

struct Node {
  std::string name, op, domain;
  std::vector<std::string> inputs, outputs; // "" = absent
  std::vector<NodeAttribute> attributes;

  const NodeAttribute *attribute(std::string_view key) const;
  /// `node 'name' (Op)`; unnamed nodes are named by their first result.
  std::string location() const;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<ValueInfo> inputs, outputs, values;
};

struct OpsetImport {
  std::string domain;
  int64_t version = 0;
};

struct Function {
  std::string name, domain;
  std::vector<std::string> inputs, outputs, attributes;
  std::vector<NodeAttribute> defaults; // attributes with a default value
  std::vector<Node> nodes;
  std::vector<OpsetImport> opsets;
};

struct Model {
  std::string path; // as given; empty for memory
  int64_t irVersion = 0;
  std::string producerName, producerVersion, domain;
  int64_t modelVersion = 0;
  std::vector<OpsetImport> opsets;
  Graph graph;
  std::vector<Function> functions;
  std::vector<std::pair<std::string, std::string>> metadata;

  /// Imported version of a domain ("" = "ai.onnx"); 0 if it is not imported.
  int64_t opset(std::string_view domain) const;
};

/// Reads and checks a model. External data is looked for in the file's folder
/// and nowhere above it.
Result<Model> loadModel(const std::string &path);
/// The same for a model in memory (standard input); `folder` is where its
/// external data is, "" = it may have none.
Result<Model> parseModel(std::shared_ptr<const files::ByteSource> source,
                         const std::string &folder = "");

struct SaveOptions {
  /// Weights of at least this many bytes go into `FILE.data` beside the model.
  std::optional<uint64_t> externalBytes;
};
/// Writes a model, streaming weights from their sources; files appear complete
/// or not at all.
Status saveModel(const Model &model, const std::string &path,
                 const SaveOptions &options = {});

/// The contents of a file with all weights inside.
Result<std::string> modelBytes(const Model &model);

/// A single serialised TensorProto; without a folder it may have no external
/// data.
Result<Tensor> parseTensor(std::shared_ptr<const files::ByteSource> source,
                           const std::string &folder = "");
Status writeTensor(const Tensor &tensor, files::AtomicFile &file);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_MODEL_ONNXMODEL_H
