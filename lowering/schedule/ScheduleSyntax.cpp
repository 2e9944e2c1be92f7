// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of the values of keys, and of choices.

#include "lowering/schedule/Schedule.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sched;

namespace {
/// A word that stands for a value of an enum.
template <typename Enum> struct Word {
  StringRef text;
  Enum value;
};
} // namespace

static constexpr Word<graph::RunOn> placeWords[] = {
    {"task", graph::RunOn::Task},
    {"group", graph::RunOn::Group},
    {"host", graph::RunOn::Host}};
static constexpr Word<Store> storeWords[] = {{"plain", Store::Plain},
                                             {"streaming", Store::Streaming}};
static constexpr Word<ScatterBy> scatterWords[] = {
    {"destination", ScatterBy::Destination}, {"sort", ScatterBy::Sort}};
static constexpr Word<WindowForm> windowWords[] = {
    {"channels", WindowForm::Channels},
    {"rows", WindowForm::Rows},
    {"planes", WindowForm::Planes},
    {"interleaved", WindowForm::Interleaved},
    {"dots", WindowForm::Dots}};
static constexpr Word<Operand::Form> operandWords[] = {
    {"open", Operand::Open},     {"rows", Operand::Rows},
    {"panels", Operand::Panels}, {"widened", Operand::Widened},
    {"copied", Operand::Copied}, {"dots", Operand::Dots},
    {"padded", Operand::Padded}, {"transposed", Operand::Transposed},
    {"local", Operand::Local}};
static constexpr Word<KLoop::Kind> loopWords[] = {
    {"whole", KLoop::Whole}, {"panels", KLoop::Panels},
    {"tiles", KLoop::Tiles}, {"packed", KLoop::Packed},
    {"short", KLoop::Short}, {"sweep", KLoop::Sweep}};
static constexpr Word<Joined::Along> joinedWords[] = {
    {"panels", Joined::Panels}, {"rows", Joined::Rows}};
static constexpr Word<Prefetch::Kind> prefetchWords[] = {
    {"none", Prefetch::None},
    {"lines", Prefetch::Lines},
    {"panel", Prefetch::Panel},
    {"rows", Prefetch::Rows}};
static constexpr Word<ConvForm::Kind> formWords[] = {
    {"direct", ConvForm::Direct},
    {"indirect", ConvForm::Indirect},
    {"winograd", ConvForm::Winograd},
    {"depthwise", ConvForm::Depthwise}};

template <typename Enum, size_t count>
static StringRef wordOf(const Word<Enum> (&words)[count], Enum value) {
  for (const Word<Enum> &word : words)
    if (word.value == value)
      return word.text;
  return "open";
}

template <typename Enum, size_t count>
static FailureOr<Enum> parseWord(AsmParser &parser,
                                 const Word<Enum> (&words)[count]) {
  SMLoc place = parser.getCurrentLocation();
  StringRef text;
  if (failed(parser.parseKeyword(&text)))
    return failure();
  std::string known;
  for (const Word<Enum> &word : words) {
    if (word.text == text)
      return word.value;
    known += (known.empty() ? "" : ", ") + word.text.str();
  }
  return parser.emitError(place, "got '")
         << text << "', expected one of " << known;
}

namespace zenith::graph {
AsmPrinter &operator<<(AsmPrinter &printer, RunOn on) {
  printer << wordOf(placeWords, on);
  return printer;
}
} // namespace zenith::graph

namespace zenith::sched {

AsmPrinter &operator<<(AsmPrinter &printer, const Stores &stores) {
  printer << wordOf(storeWords, stores.how);
  if (!stores.results)
    return printer;
  printer << '<';
  llvm::interleaveComma(stores.results.asArrayRef(), printer);
  return printer << '>';
}

AsmPrinter &operator<<(AsmPrinter &printer, ScatterBy by) {
  printer << wordOf(scatterWords, by);
  return printer;
}

AsmPrinter &operator<<(AsmPrinter &printer, WindowForm form) {
  printer << wordOf(windowWords, form);
  return printer;
}

static void print(AsmPrinter &printer, const Operand &operand) {
  printer << wordOf(operandWords, operand.form);
  bool hasWidth = operand.width != 0, hasDepth = operand.depth != 1,
       hasPad = operand.pad != 0;
  if (!hasWidth && !hasDepth && !hasPad)
    return;
  printer << '<';
  if (hasWidth)
    printer << operand.width;
  if (hasDepth)
    printer << (hasWidth ? ", " : "") << "depth = " << operand.depth;
  if (hasPad)
    printer << (hasWidth || hasDepth ? ", " : "") << "pad = " << operand.pad;
  printer << '>';
}

AsmPrinter &operator<<(AsmPrinter &printer, const Operands &operands) {
  printer << '[';
  print(printer, operands.a);
  printer << ", ";
  print(printer, operands.b);
  printer << ']';
  return printer;
}

/// `word`, or `word<number>` where there is a number.
static AsmPrinter &printNumbered(AsmPrinter &printer, StringRef word,
                                 int64_t number) {
  printer << word;
  if (number)
    printer << '<' << number << '>';
  return printer;
}

AsmPrinter &operator<<(AsmPrinter &printer, const KLoop &loop) {
  return printNumbered(printer, wordOf(loopWords, loop.kind), loop.step);
}

AsmPrinter &operator<<(AsmPrinter &printer, const Joined &joined) {
  return printNumbered(printer, wordOf(joinedWords, joined.along),
                       joined.count);
}

AsmPrinter &operator<<(AsmPrinter &printer, const Prefetch &prefetch) {
  if (!prefetch.ahead)
    return printNumbered(printer, wordOf(prefetchWords, prefetch.kind),
                         prefetch.number);
  return printer << wordOf(prefetchWords, prefetch.kind) << '<'
                 << prefetch.number << ", " << prefetch.ahead << '>';
}

/// A single word, or both in brackets where those of half panels have their
/// own.
AsmPrinter &operator<<(AsmPrinter &printer, const Prefetches &prefetches) {
  if (prefetches.rest == Prefetch())
    return printer << prefetches.tiles;
  return printer << '[' << prefetches.tiles << ", " << prefetches.rest << ']';
}

AsmPrinter &operator<<(AsmPrinter &printer, const ConvForm &form) {
  if (form.window != WindowForm::Open)
    return printer << wordOf(formWords, form.kind) << '<' << form.window << '>';
  return printNumbered(printer, wordOf(formWords, form.kind), form.results);
}

AsmPrinter &operator<<(AsmPrinter &printer, const Fragment &fragment) {
  if (fragment.element)
    printer << "m16n8k16<" << fragment.element << '>';
  else
    printer << "none";
  return printer;
}

} // namespace zenith::sched

/// `<32, depth = 4>`: what follows the word of an operand's form.
static ParseResult parseOperandSizes(AsmParser &parser, Operand &operand) {
  if (failed(parser.parseOptionalLess()))
    return success();
  auto size = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("depth")))
      return failure(failed(parser.parseEqual()) ||
                     failed(parser.parseInteger(operand.depth)));
    if (succeeded(parser.parseOptionalKeyword("pad")))
      return failure(failed(parser.parseEqual()) ||
                     failed(parser.parseInteger(operand.pad)));
    return parser.parseInteger(operand.width);
  };
  if (failed(parser.parseCommaSeparatedList(size)))
    return failure();
  return parser.parseGreater();
}

/// A word, and a number after it where there is one.
template <typename Value, typename Enum, size_t count>
static FailureOr<Value> parseNumbered(AsmParser &parser,
                                      const Word<Enum> (&words)[count]) {
  FailureOr<Enum> word = parseWord(parser, words);
  if (failed(word))
    return failure();
  int64_t number = 0;
  if (succeeded(parser.parseOptionalLess()) &&
      (failed(parser.parseInteger(number)) || failed(parser.parseGreater())))
    return failure();
  return Value{*word, number};
}

static ParseResult parseOperand(AsmParser &parser, Operand &operand) {
  FailureOr<Operand::Form> form = parseWord(parser, operandWords);
  if (failed(form))
    return failure();
  operand.form = *form;
  return parseOperandSizes(parser, operand);
}

namespace mlir {

FailureOr<graph::RunOn> FieldParser<graph::RunOn>::parse(AsmParser &parser) {
  return parseWord(parser, placeWords);
}

FailureOr<Stores> FieldParser<Stores>::parse(AsmParser &parser) {
  FailureOr<Store> how = parseWord(parser, storeWords);
  if (failed(how))
    return failure();
  if (*how == Store::Plain || failed(parser.parseOptionalLess()))
    return Stores(*how);
  SmallVector<int64_t> results;
  auto result = [&] { return parser.parseInteger(results.emplace_back()); };
  if (failed(parser.parseCommaSeparatedList(result)) ||
      failed(parser.parseGreater()))
    return failure();
  return Stores(*how, parser.getBuilder().getDenseI64ArrayAttr(results));
}

FailureOr<ScatterBy> FieldParser<ScatterBy>::parse(AsmParser &parser) {
  return parseWord(parser, scatterWords);
}

FailureOr<WindowForm> FieldParser<WindowForm>::parse(AsmParser &parser) {
  return parseWord(parser, windowWords);
}

FailureOr<Operands> FieldParser<Operands>::parse(AsmParser &parser) {
  Operands operands;
  if (failed(parser.parseLSquare()) ||
      failed(parseOperand(parser, operands.a)) || failed(parser.parseComma()) ||
      failed(parseOperand(parser, operands.b)) || failed(parser.parseRSquare()))
    return failure();
  return operands;
}

FailureOr<KLoop> FieldParser<KLoop>::parse(AsmParser &parser) {
  return parseNumbered<KLoop>(parser, loopWords);
}

FailureOr<Joined> FieldParser<Joined>::parse(AsmParser &parser) {
  return parseNumbered<Joined>(parser, joinedWords);
}

FailureOr<Prefetch> FieldParser<Prefetch>::parse(AsmParser &parser) {
  if (succeeded(parser.parseOptionalKeyword("open")))
    return Prefetch();
  FailureOr<Prefetch::Kind> kind = parseWord(parser, prefetchWords);
  if (failed(kind))
    return failure();
  Prefetch prefetch{*kind, 0, 0};
  if (failed(parser.parseOptionalLess()))
    return prefetch;
  if (failed(parser.parseInteger(prefetch.number)) ||
      (succeeded(parser.parseOptionalComma()) &&
       failed(parser.parseInteger(prefetch.ahead))) ||
      failed(parser.parseGreater()))
    return failure();
  return prefetch;
}

FailureOr<Prefetches> FieldParser<Prefetches>::parse(AsmParser &parser) {
  bool isPair = succeeded(parser.parseOptionalLSquare());
  FailureOr<Prefetch> tiles = FieldParser<Prefetch>::parse(parser);
  if (failed(tiles))
    return failure();
  if (!isPair)
    return Prefetches{*tiles, {}};
  if (failed(parser.parseComma()))
    return failure();
  FailureOr<Prefetch> rest = FieldParser<Prefetch>::parse(parser);
  if (failed(rest) || failed(parser.parseRSquare()))
    return failure();
  return Prefetches{*tiles, *rest};
}

FailureOr<ConvForm> FieldParser<ConvForm>::parse(AsmParser &parser) {
  FailureOr<ConvForm::Kind> kind = parseWord(parser, formWords);
  if (failed(kind))
    return failure();
  ConvForm form{*kind, 0, WindowForm::Open};
  if (failed(parser.parseOptionalLess()))
    return form;
  if (*kind == ConvForm::Depthwise) {
    FailureOr<WindowForm> window = parseWord(parser, windowWords);
    if (failed(window))
      return failure();
    form.window = *window;
  } else if (failed(parser.parseInteger(form.results))) {
    return failure();
  }
  if (failed(parser.parseGreater()))
    return failure();
  return form;
}

FailureOr<Fragment> FieldParser<Fragment>::parse(AsmParser &parser) {
  Fragment fragment;
  if (succeeded(parser.parseOptionalKeyword("none")))
    return fragment;
  if (failed(parser.parseKeyword("m16n8k16")) || failed(parser.parseLess()) ||
      failed(parser.parseType(fragment.element)) ||
      failed(parser.parseGreater()))
    return failure();
  return fragment;
}

} // namespace mlir

namespace zenith::sched {

/// The guard of the last variant of a choice.
static constexpr StringLiteral elseWord = "else";

Attribute ChoiceAttr::parse(AsmParser &parser, Type) {
  SmallVector<Attribute> guards, variants;
  Builder &builder = parser.getBuilder();
  auto variant = [&]() -> ParseResult {
    std::string guard;
    if (succeeded(parser.parseOptionalKeyword(elseWord)))
      guard = elseWord.str();
    else if (failed(parser.parseString(&guard)))
      return failure();
    guards.push_back(builder.getStringAttr(guard));
    return failure(failed(parser.parseColon()) ||
                   failed(parser.parseAttribute(variants.emplace_back())));
  };
  if (failed(parser.parseLess()) ||
      failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            variant)) ||
      failed(parser.parseGreater()))
    return {};
  return get(parser.getContext(), builder.getArrayAttr(guards),
             builder.getArrayAttr(variants));
}

void ChoiceAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(
      llvm::zip(getGuards(), getVariants()), printer, [&](auto pair) {
        auto [guard, variant] = pair;
        if (llvm::cast<StringAttr>(guard).getValue() == elseWord)
          printer << elseWord;
        else
          printer << guard;
        printer << " : " << variant;
      });
  printer << "]>";
}

} // namespace zenith::sched
