// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of a .npy file is a Python dictionary; exactly its three keys are
// read, by a parser of the few literals that NumPy writes.

#include "frontends/tensors/NpyFile.h"

#include "frontends/files/AtomicFile.h"
#include "frontends/files/ElementNames.h"
#include "ir/LLVMError.h"
#include "ir/interpreter/StridedCopy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <algorithm>

using namespace mlir;
using namespace zenith;
using namespace zenith::files;
using namespace zenith::tensors;
using llvm::Expected;

static constexpr llvm::StringLiteral magic = "\x93NUMPY";

namespace {
struct NpyHeader {
  std::string descr;
  bool fortran = false;
  SmallVector<int64_t> shape;
};

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  bool parse(NpyHeader &header) {
    if (!take('{'))
      return false;
    unsigned seen = 0;
    while (!take('}')) {
      std::string key;
      if (!parseString(key) || !take(':'))
        return false;
      unsigned bit = key == "descr"           ? 1
                     : key == "fortran_order" ? 2
                     : key == "shape"         ? 4
                                              : 0;
      if (bit == 0 || (seen & bit) || !parseValue(bit, header))
        return false;
      seen |= bit;
      if (!take(',') && !rest.ltrim().starts_with("}"))
        return false;
    }
    return seen == 7 && rest.trim().empty();
  }

private:
  bool take(char c) {
    rest = rest.ltrim();
    return rest.consume_front(StringRef(&c, 1));
  }
  bool parseString(std::string &value) {
    rest = rest.ltrim();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return false;
    size_t end = rest.find(rest[0], 1);
    if (end == StringRef::npos)
      return false;
    value = rest.substr(1, end - 1).str();
    rest = rest.drop_front(end + 1);
    return true;
  }
  bool parseValue(unsigned bit, NpyHeader &header) {
    if (bit == 1)
      return parseString(header.descr);
    if (bit == 4)
      return parseShape(header.shape);
    rest = rest.ltrim();
    header.fortran = rest.starts_with("True");
    return rest.consume_front("True") || rest.consume_front("False");
  }
  bool parseShape(SmallVectorImpl<int64_t> &shape) {
    if (!take('('))
      return false;
    while (!take(')')) {
      rest = rest.ltrim();
      int64_t size;
      if (rest.consumeInteger(10, size) || size < 0)
        return false;
      rest.consume_front("L"); // the spelling of Python 2
      shape.push_back(size);
      if (!take(',') && !rest.ltrim().starts_with(")"))
        return false;
    }
    return true;
  }

  StringRef rest;
};
} // namespace

// The element type of a dtype string without its byte order; `wanted` decides
// what raw bytes (V1, V2) are.
static Type elementOf(StringRef code, Type wanted, MLIRContext *context) {
  if (wanted && (code == "V1" || code == "V2") &&
      fileElement(wanted) != wanted &&
      elementBytes(wanted) == unsigned(code[1] - '0'))
    return fileElement(wanted);
  static constexpr std::pair<StringLiteral, StringLiteral> names[] = {
      {"b1", "i1"},           {"i1", "i8"},           {"i2", "i16"},
      {"i4", "i32"},          {"i8", "i64"},          {"u1", "ui8"},
      {"u2", "ui16"},         {"u4", "ui32"},         {"u8", "ui64"},
      {"f2", "f16"},          {"f4", "f32"},          {"f8", "f64"},
      {"c8", "complex<f32>"}, {"c16", "complex<f64>"}};
  for (auto [npy, name] : names)
    if (npy == code)
      return elementTypeNamed(name, context);
  return Type();
}

// Splits the file into header and elements.
static llvm::Error splitFile(StringRef path, StringRef bytes, NpyHeader &header,
                             StringRef &elements) {
  if (!bytes.consume_front(magic) || bytes.size() < 2)
    return makeError(ErrorCode::Invalid, "is not a .npy file", path);
  unsigned major = uint8_t(bytes[0]);
  bytes = bytes.drop_front(2);
  if (major < 1 || major > 3)
    return makeError(ErrorCode::Unsupported,
                     "has .npy version " + std::to_string(major) +
                         ", known are 1 to 3",
                     path);
  unsigned lengthBytes = major == 1 ? 2 : 4;
  if (bytes.size() < lengthBytes)
    return makeError(ErrorCode::Invalid, "ends within the header", path);
  size_t length = major == 1 ? llvm::support::endian::read16le(bytes.data())
                             : llvm::support::endian::read32le(bytes.data());
  bytes = bytes.drop_front(lengthBytes);
  if (bytes.size() < length)
    return makeError(ErrorCode::Invalid, "ends within the header", path);
  if (!HeaderParser(bytes.take_front(length)).parse(header))
    return makeError(ErrorCode::Invalid, "has a header that is no .npy header",
                     path);
  elements = bytes.drop_front(length);
  return llvm::Error::success();
}

static void swapBytes(Tensor &tensor, unsigned part) {
  char *to = tensor.writable();
  for (int64_t i = 0, end = tensor.byteSize(); i < end; i += part)
    std::reverse(to + i, to + i + part);
}

// Column-major elements in row-major order.
static Tensor fromFortran(const Tensor &tensor) {
  SmallVector<int64_t> box(tensor.shape());
  interpreter::StridedView from{0, interpreter::Shape(box.size())};
  int64_t step = 1;
  for (size_t i = 0; i < box.size(); step *= box[i++])
    from.strides[i] = step;
  Tensor result(tensor.type());
  interpreter::copyStrided(result.writable(), {0, interpreter::stridesOf(box)},
                           tensor.bytes(), from, box,
                           elementBytes(tensor.elementType()));
  return result;
}

Expected<Tensor> zenith::tensors::readNpy(const files::ByteSource &file,
                                          Type wanted, MLIRContext *context) {
  NpyHeader header;
  StringRef elements, path = file.path();
  if (llvm::Error error = splitFile(path, file.bytes(), header, elements))
    return std::move(error);
  StringRef descr = header.descr;
  bool bigEndian = descr.starts_with(">");
  if (descr.empty() || StringRef("<>|=").find(descr[0]) == StringRef::npos)
    return makeError(ErrorCode::Unsupported,
                     "has elements of type '" + header.descr + "'", path);
  Type element = elementOf(descr.drop_front(), wanted, context);
  if (!element)
    return makeError(ErrorCode::Unsupported,
                     "has elements of type '" + header.descr + "'", path);
  auto type = RankedTensorType::get(header.shape, element);
  std::optional<int64_t> bytes = tensorBytes(type);
  if (!bytes || uint64_t(*bytes) != elements.size())
    return makeError(ErrorCode::Invalid,
                     "has " + std::to_string(elements.size()) +
                         " bytes of elements, " + typeText(type) + " takes " +
                         (bytes ? std::to_string(*bytes) : "more than 2^63"),
                     path);
  Tensor tensor(type, ArrayRef<char>(elements.data(), elements.size()));
  if (!tensor)
    return makeError(ErrorCode::Invalid, "is larger than the free memory",
                     path);
  unsigned part = isa<ComplexType>(element) ? elementBytes(element) / 2
                                            : elementBytes(element);
  if (bigEndian && part > 1)
    swapBytes(tensor, part);
  if (element.isInteger(1))
    for (char &byte :
         MutableArrayRef<char>(tensor.writable(), size_t(tensor.size())))
      byte = byte != 0;
  if (header.fortran && header.shape.size() > 1)
    tensor = fromFortran(tensor);
  return wanted ? asWanted(std::move(tensor), wanted) : tensor;
}

static std::string descrOf(Type element) {
  if (element.isInteger(1))
    return "|b1";
  Type stored = fileElement(element);
  unsigned bytes = elementBytes(stored);
  char kind = isa<ComplexType>(stored)     ? 'c'
              : isa<FloatType>(stored)     ? 'f'
              : stored.isUnsignedInteger() ? 'u'
                                           : 'i';
  return std::string(1, bytes == 1 ? '|' : '<') + kind + std::to_string(bytes);
}

llvm::Error zenith::tensors::writeNpy(const std::string &path,
                                      const Tensor &tensor) {
  std::string shape;
  for (int64_t size : tensor.shape())
    shape += std::to_string(size) + (tensor.shape().size() == 1 ? "," : ", ");
  if (tensor.shape().size() > 1)
    shape.resize(shape.size() - 2);
  std::string header = "{'descr': '" + descrOf(tensor.elementType()) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr size_t prefix = 10, alignment = 64;
  header.append(alignment - 1 - (prefix + header.size()) % alignment, ' ');
  header += '\n';
  char length[2];
  llvm::support::endian::write16le(length, uint16_t(header.size()));
  std::string start = magic.str() + '\x01' + std::string(1, '\0') +
                      std::string(length, 2) + header;
  files::AtomicFile file(path);
  Status status = file.open();
  if (status)
    status = file.write(start);
  if (status)
    status =
        file.write(std::string_view(tensor.bytes(), size_t(tensor.byteSize())));
  if (status)
    status = file.commit();
  if (!status)
    return makeError(status.error().ofFile(path));
  return llvm::Error::success();
}
