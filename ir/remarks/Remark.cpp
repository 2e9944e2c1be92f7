// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of remarks, and remarks as arguments of a diagnostic: topic, code,
// then the pieces of the sentence and its values in turn.

#include "ir/remarks/Remark.h"

#include "mlir/IR/Operation.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace zenith::remarks {

ArrayRef<Entry> entries() {
  static const Entry table[] = {
#define ZENITH_REMARK(code, topic, maker, sentence)                            \
  {Code::code, #code, Topic::topic, maker, sentence},
#include "ir/remarks/RemarkCodes.def"
  };
  return table;
}

const Entry &entryOf(Code code) { return entries()[size_t(code)]; }

StringRef topicWord(Topic topic) {
  static constexpr StringLiteral words[] = {
#define ZENITH_REMARK_TOPIC(topic, word) word,
#include "ir/remarks/RemarkCodes.def"
  };
  return words[size_t(topic)];
}

/// Calls `literal` and `field` with the parts of a sentence, in turn: one
/// literal, which may be empty, before each field and after the last.
static void forEachPart(StringRef sentence,
                        function_ref<void(StringRef)> literal,
                        function_ref<void(StringRef)> field) {
  while (true) {
    auto [before, rest] = sentence.split('{');
    literal(before);
    if (rest.empty())
      return;
    auto [name, after] = rest.split('}');
    field(name);
    sentence = after;
  }
}

SmallVector<StringRef> Entry::fields() const {
  SmallVector<StringRef> names;
  forEachPart(
      sentence, [](StringRef) {},
      [&](StringRef name) { names.push_back(name); });
  return names;
}

std::string Value::text() const {
  if (const int64_t *whole = integer())
    return std::to_string(*whole);
  if (const double *real = number())
    return llvm::formatv("{0:e3}", *real).str();
  return std::get<std::string>(data);
}

std::string sentenceOf(Code code, ArrayRef<Value> values) {
  std::string text;
  const Value *next = values.begin();
  forEachPart(
      entryOf(code).sentence, [&](StringRef literal) { text += literal; },
      [&](StringRef) { text += (next++)->text(); });
  assert(next == values.end() && "a value for each name of the sentence");
  return text;
}

Payload payloadOf(Code code, ArrayRef<Value> values) {
  Payload payload;
  for (auto [name, value] : llvm::zip_equal(entryOf(code).fields(), values))
    payload.emplace_back(name.str(), value);
  return payload;
}

void emit(Location location, Code code, ArrayRef<Value> values) {
  const Entry &entry = entryOf(code);
  assert(entry.fields().size() == values.size() &&
         "a value for each name of the sentence");
  InFlightDiagnostic diagnostic = emitRemark(location);
  diagnostic << topicWord(entry.topic) << ": " << entry.name << ": ";
  const Value *next = values.begin();
  forEachPart(
      entry.sentence, [&](StringRef literal) { diagnostic << literal; },
      [&](StringRef) {
        if (const int64_t *whole = next->integer())
          diagnostic << *whole;
        else if (const double *real = next->number())
          diagnostic << *real;
        else
          diagnostic << next->text();
        ++next;
      });
}

void emit(Operation *op, Code code, ArrayRef<Value> values) {
  emit(op->getLoc(), code, values);
}

static Value valueOf(const DiagnosticArgument &argument) {
  using Kind = DiagnosticArgument::DiagnosticArgumentKind;
  switch (argument.getKind()) {
  case Kind::Integer:
    return argument.getAsInteger();
  case Kind::Double:
    return argument.getAsDouble();
  default:
    return argument.getAsString();
  }
}

std::optional<Emitted> read(Diagnostic &diagnostic) {
  constexpr size_t codeAt = 2, sentenceAt = 4;
  using Kind = DiagnosticArgument::DiagnosticArgumentKind;
  ArrayRef<DiagnosticArgument> arguments = diagnostic.getArguments();
  if (arguments.size() <= sentenceAt ||
      arguments[codeAt].getKind() != Kind::String)
    return std::nullopt;
  StringRef name = arguments[codeAt].getAsString();
  const Entry *entry = llvm::find_if(
      entries(), [&](const Entry &known) { return known.name == name; });
  if (entry == entries().end())
    return std::nullopt;
  SmallVector<Value> values;
  for (size_t at = sentenceAt + 1; at < arguments.size(); at += 2)
    values.push_back(valueOf(arguments[at]));
  if (entry->fields().size() != values.size())
    return std::nullopt;
  return Emitted{entry, sentenceOf(entry->code, values),
                 payloadOf(entry->code, values)};
}

} // namespace zenith::remarks
