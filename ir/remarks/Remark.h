// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remarks: decisions that users ask about, each with a code, a topic and the
// values in its sentence. RemarkCodes.def has them all.

#ifndef ZENITH_IR_REMARKS_REMARK_H
#define ZENITH_IR_REMARKS_REMARK_H

#include "ir/remarks/RemarkTopic.h"
#include "mlir/IR/Diagnostics.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace zenith::remarks {

enum class Code {
#define ZENITH_REMARK(code, topic, maker, sentence) code,
#include "ir/remarks/RemarkCodes.def"
};

/// A row of the table.
struct Entry {
  Code code;
  llvm::StringRef name; ///< the code as a text
  Topic topic;
  llvm::StringRef maker;    ///< a pass or a tool
  llvm::StringRef sentence; ///< with {names} for values

  /// The names in the sentence, in order.
  llvm::SmallVector<llvm::StringRef> fields() const;
};
llvm::ArrayRef<Entry> entries();
const Entry &entryOf(Code code);

/// A value in a sentence: an integer, a number or a text.
class Value {
public:
  template <typename Integer,
            typename = std::enable_if_t<std::is_integral_v<Integer>>>
  Value(Integer value) : data(int64_t(value)) {}
  Value(double number) : data(number) {}
  Value(const llvm::Twine &text) : data(text.str()) {}
  Value(llvm::StringRef text) : data(text.str()) {}
  Value(const std::string &text) : data(text) {}
  Value(const char *text) : data(std::string(text)) {}

  const int64_t *integer() const { return std::get_if<int64_t>(&data); }
  const double *number() const { return std::get_if<double>(&data); }
  std::string text() const;

private:
  std::variant<int64_t, double, std::string> data;
};

/// The values of a sentence by name, in its order.
using Payload = std::vector<std::pair<std::string, Value>>;

/// The sentence of `code` with `values` for its names.
std::string sentenceOf(Code code, llvm::ArrayRef<Value> values);
Payload payloadOf(Code code, llvm::ArrayRef<Value> values);

/// Emits the remark as the diagnostic "topic: CODE: sentence". There are as
/// many values as names in the sentence.
void emit(mlir::Location location, Code code,
          llvm::ArrayRef<Value> values = {});
void emit(mlir::Operation *op, Code code, llvm::ArrayRef<Value> values = {});

/// A remark as emit() made it.
struct Emitted {
  const Entry *entry;
  std::string text; ///< the sentence with its values
  Payload payload;
};
/// Nullopt for remarks of others. Reads the arguments of the diagnostic, not
/// its text.
std::optional<Emitted> read(mlir::Diagnostic &diagnostic);

} // namespace zenith::remarks

#endif // ZENITH_IR_REMARKS_REMARK_H
