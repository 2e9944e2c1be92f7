// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads values of options as CLI11 hands them over.

#include "tools/model/TableOptions.h"

using namespace zenith;
using namespace zenith::tools;
using llvm::StringRef;

std::optional<ImpliedValue> zenith::tools::impliedValue(const OptionRow &row) {
  auto [names, rest] = StringRef(row.spelling).split('[');
  if (!rest.consume_back("]"))
    return std::nullopt;
  bool takesNextWord = names.consume_back("=");
  rest.consume_front("=");
  return ImpliedValue{names.str(), rest.str(), takesNextWord};
}

CLI::Option *zenith::tools::oneEachTime(CLI::Option *option) {
  return option->type_size(1)->expected(1, 1 << 20)->allow_extra_args(false);
}

/// An option, or a flag that may have a value.
template <typename Value>
static CLI::Option *addValue(CLI::App &app, const OptionRow &row,
                             Value &value) {
  std::optional<ImpliedValue> implied = impliedValue(row);
  if (!implied)
    return app.add_option(row.spelling, value, row.help);
  if (implied->takesNextWord)
    return app.add_option(implied->names, value, row.help)
        ->expected(0, 1)
        ->default_str(implied->value);
  return app.add_flag(implied->names + "{" + implied->value + "}", value,
                      row.help);
}

template <typename Number>
static CLI::Option *addNumber(CLI::App &app, const OptionRow &row,
                              Number &value) {
  CLI::Option *option = addValue(app, row, value);
  if (row.unit.isBounded())
    option->check(CLI::Range(row.unit.least, row.unit.most));
  else if (row.unit.least == 0)
    option->check(CLI::NonNegativeNumber);
  return option;
}

CLI::Option *zenith::tools::addRow(CLI::App &app, const OptionRow &row,
                                   bool &value) {
  return app.add_flag(row.spelling, value, row.help);
}

CLI::Option *zenith::tools::addRow(CLI::App &app, const OptionRow &row,
                                   std::string &value) {
  return addValue(app, row, value);
}

CLI::Option *zenith::tools::addRow(CLI::App &app, const OptionRow &row,
                                   std::vector<std::string> &values) {
  return oneEachTime(app.add_option(row.spelling, values, row.help));
}

/// Adds the size that a text NAME=N gives.
static void addDim(DimSizes &sizes, StringRef text) {
  auto [name, digits] = text.split('=');
  int64_t size;
  if (name.empty() || digits.getAsInteger(10, size) || size < 0)
    throw CLI::ValidationError("--dim needs NAME=N with a number N, got '" +
                               text.str() + "'");
  auto [known, isNew] = sizes.emplace(name, size);
  if (!isNew && known->second != size)
    throw CLI::ValidationError("--dim gives '" + name.str() + "' two sizes");
}

CLI::Option *zenith::tools::addRow(CLI::App &app, const OptionRow &row,
                                   DimSizes &sizes) {
  return oneEachTime(app.add_option_function<std::vector<std::string>>(
      row.spelling,
      [&sizes](const std::vector<std::string> &texts) {
        for (const std::string &text : texts)
          addDim(sizes, text);
      },
      row.help));
}

/// Adds the bounds that a text NAME=LO..HI or NAME=LO..HI%K gives.
static void addBounds(graph::DimBoundsMap &all, StringRef text) {
  auto [name, range] = text.split('=');
  auto [ends, divisor] = range.split('%');
  auto [low, high] = ends.split("..");
  graph::DimBounds bounds;
  bool isRead = !name.empty() && !low.getAsInteger(10, bounds.low) &&
                !high.getAsInteger(10, bounds.high) &&
                (divisor.empty() || !divisor.getAsInteger(10, bounds.multiple));
  if (!isRead || bounds.low < 0 || bounds.low > bounds.high ||
      bounds.multiple < 1 || (range.contains('%') && divisor.empty()))
    throw CLI::ValidationError(
        "--dim needs NAME=LO..HI or NAME=LO..HI%K with 0 <= LO <= HI and "
        "K >= 1, got '" +
        text.str() + "'");
  if (bounds.high / bounds.multiple * bounds.multiple < bounds.low)
    throw CLI::ValidationError("--dim: no multiple of " +
                               std::to_string(bounds.multiple) +
                               " is in the bounds of '" + text.str() + "'");
  auto [known, isNew] = all.emplace(name, bounds);
  if (!isNew && graph::textOf(known->second) != graph::textOf(bounds))
    throw CLI::ValidationError("--dim gives '" + name.str() + "' two bounds");
}

static void checkSizesKeepBounds(const DimFacts &facts) {
  for (const auto &[name, size] : facts.sizes)
    if (auto known = facts.bounds.find(name);
        known != facts.bounds.end() && !graph::admits(known->second, size))
      throw CLI::ValidationError("--dim: '" + name + "' is " +
                                 std::to_string(size) + ", which is not in " +
                                 graph::textOf(known->second));
}

CLI::Option *zenith::tools::addRow(CLI::App &app, const OptionRow &row,
                                   DimFacts &facts) {
  return oneEachTime(app.add_option_function<std::vector<std::string>>(
      row.spelling,
      [&facts](const std::vector<std::string> &texts) {
        for (StringRef text : texts)
          if (text.split('=').second.contains(".."))
            addBounds(facts.bounds, text);
          else
            addDim(facts.sizes, text);
        checkSizesKeepBounds(facts);
      },
      row.help));
}

/// KEY=FILE, or KEY=f32[2x3]:FILE with a type before the file's name.
static KeyedFile keyedFile(StringRef option, StringRef text) {
  auto [key, file] = text.split('=');
  if (key.empty() || file.empty())
    throw CLI::ValidationError(option.str() + " needs KEY=VALUE, got '" +
                               text.str() + "'");
  size_t colon = file.find("]:");
  if (colon == StringRef::npos)
    return {key.str(), "", file.str()};
  return {key.str(), file.take_front(colon + 1).str(),
          file.drop_front(colon + 2).str()};
}

CLI::Option *zenith::tools::addRow(CLI::App &app, const OptionRow &row,
                                   std::vector<KeyedFile> &files) {
  return oneEachTime(app.add_option_function<std::vector<std::string>>(
      row.spelling,
      [&files, spelling = row.spelling](const std::vector<std::string> &texts) {
        for (const std::string &text : texts)
          files.push_back(keyedFile(spelling, text));
      },
      row.help));
}

CLI::Option *zenith::tools::addRow(CLI::App &app, const OptionRow &row,
                                   std::optional<int64_t> &value) {
  if (StringRef(row.unit.word) != options::bytes.word)
    return addNumber(app, row, value);
  return app.add_option_function<std::string>(
      row.spelling,
      [&value, spelling = row.spelling](const std::string &text) {
        if (!(value = options::parseBytes(text)))
          throw CLI::ValidationError(
              std::string(spelling) +
              " needs bytes, with or without K, M or G, got '" + text + "'");
      },
      row.help);
}

CLI::Option *zenith::tools::addRow(CLI::App &app, const OptionRow &row,
                                   std::optional<uint64_t> &value) {
  // A flag of CLI11 would set the value where it is not given, too.
  auto text = std::make_shared<std::string>();
  return addValue(app, row, *text)
      ->check([&value, text](const std::string &digits) -> std::string {
        uint64_t number = 0;
        if (StringRef(digits).getAsInteger(10, number))
          return "needs a number, got '" + digits + "'";
        value = number;
        return "";
      });
}

CLI::Option *zenith::tools::addRow(CLI::App &app, const OptionRow &row,
                                   std::optional<double> &value) {
  return app.add_option(row.spelling, value, row.help);
}

CLI::Option *zenith::tools::addRow(CLI::App &app, const OptionRow &row,
                                   int64_t &value) {
  return addNumber(app, row, value);
}

CLI::Option *zenith::tools::addRow(CLI::App &app, const OptionRow &row,
                                   uint64_t &value) {
  // CLI11 takes -1 for the largest number.
  return addValue(app, row, value)
      ->check([](const std::string &digits) -> std::string {
        uint64_t number = 0;
        if (!StringRef(digits).getAsInteger(10, number))
          return "";
        return "needs a number from 0 to 18446744073709551615, got '" + digits +
               "'";
      });
}

CLI::Option *zenith::tools::addRow(CLI::App &app, const OptionRow &row,
                                   unsigned &value) {
  return addNumber(app, row, value);
}

void zenith::tools::addOptions(CLI::App &app, ToolSet tool,
                               pipeline::CompileOptions &given) {
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  ZENITH_ADD_OPTION(field, type, initial, spelling, unit, tools, help)
#include "lowering/pipeline/CompileOptions.def"
}

void zenith::tools::addOptions(CLI::App &app, ToolSet tool,
                               CommonOptions &given) {
#define ZENITH_COMMON_OPTION ZENITH_ADD_OPTION
#include "lowering/pipeline/CompileOptions.def"
}

void zenith::tools::addOptions(CLI::App &app, ToolSet tool,
                               PrecisionOptions &given) {
#define ZENITH_PRECISION_OPTION ZENITH_ADD_OPTION
#include "lowering/pipeline/CompileOptions.def"
}

static void addTolerance(CLI::App &app, ToolSet tool, Tolerance &given) {
#define ZENITH_TOLERANCE_OPTION ZENITH_ADD_OPTION
#include "lowering/pipeline/CompileOptions.def"
}

void zenith::tools::addOptions(CLI::App &app, ToolSet tool, RunOptions &given) {
#define ZENITH_INPUT_OPTION ZENITH_ADD_OPTION
#define ZENITH_RESOURCE_OPTION ZENITH_ADD_OPTION
#define ZENITH_OUTPUT_OPTION ZENITH_ADD_OPTION
#define ZENITH_REPORT_OPTION ZENITH_ADD_OPTION
#include "lowering/pipeline/CompileOptions.def"
  addTolerance(app, tool, given.tolerance);
  addOptions(app, tool, given.precision);
  addOptions(app, tool, given.compile);
}
