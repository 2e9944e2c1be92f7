// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of CompileOptions.def as options of CLI11, by the types of their fields.

#ifndef ZENITH_TOOLS_MODEL_TABLEOPTIONS_H
#define ZENITH_TOOLS_MODEL_TABLEOPTIONS_H

#include "lowering/pipeline/OptionText.h"
#include "tools/model/RunOptions.h"
#include <CLI/CLI.hpp>

namespace zenith::tools {

using options::OptionRow;

/// "=4K" and the like of options that may stand without a value.
struct ImpliedValue {
  std::string names; ///< the spelling without the value
  std::string value;
  bool takesNextWord; ///< "--print 5"; else only "--print=5"
};
std::optional<ImpliedValue> impliedValue(const OptionRow &row);

/// An option that may be repeated and takes one value each time, so that it
/// never swallows the model's name.
CLI::Option *oneEachTime(CLI::Option *option);

CLI::Option *addRow(CLI::App &app, const OptionRow &row, bool &value);
CLI::Option *addRow(CLI::App &app, const OptionRow &row, std::string &value);
CLI::Option *addRow(CLI::App &app, const OptionRow &row,
                    std::vector<std::string> &values);
CLI::Option *addRow(CLI::App &app, const OptionRow &row, DimSizes &sizes);
CLI::Option *addRow(CLI::App &app, const OptionRow &row, DimFacts &facts);
CLI::Option *addRow(CLI::App &app, const OptionRow &row,
                    std::vector<KeyedFile> &files);
CLI::Option *addRow(CLI::App &app, const OptionRow &row,
                    std::optional<int64_t> &value);
CLI::Option *addRow(CLI::App &app, const OptionRow &row,
                    std::optional<uint64_t> &value);
CLI::Option *addRow(CLI::App &app, const OptionRow &row,
                    std::optional<double> &value);
CLI::Option *addRow(CLI::App &app, const OptionRow &row, int64_t &value);
CLI::Option *addRow(CLI::App &app, const OptionRow &row, uint64_t &value);
CLI::Option *addRow(CLI::App &app, const OptionRow &row, unsigned &value);

/// One word of an enumeration. `Value` is the enum, or an optional one.
template <typename Enum, typename Value>
CLI::Option *addWord(CLI::App &app, const OptionRow &row, Value &value) {
  return app
      .add_option_function<std::string>(
          row.spelling,
          [&value](const std::string &word) {
            value = *options::valueOf<Enum>(word);
          },
          row.help)
      ->check(CLI::IsMember(options::wordsOf<Enum>()));
}
template <typename Enum>
std::enable_if_t<std::is_enum_v<Enum>, CLI::Option *>
addRow(CLI::App &app, const OptionRow &row, Enum &value) {
  return addWord<Enum>(app, row, value);
}
template <typename Enum>
std::enable_if_t<std::is_enum_v<Enum>, CLI::Option *>
addRow(CLI::App &app, const OptionRow &row, std::optional<Enum> &value) {
  return addWord<Enum>(app, row, value);
}

/// Words of an enumeration with commas between.
template <typename Enum>
std::enable_if_t<std::is_enum_v<Enum>, CLI::Option *>
addRow(CLI::App &app, const OptionRow &row, std::vector<Enum> &values) {
  return app
      .add_option_function<std::vector<std::string>>(
          row.spelling,
          [&values](const std::vector<std::string> &words) {
            for (const std::string &word : words)
              values.push_back(*options::valueOf<Enum>(word));
          },
          row.help)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(options::wordsOf<Enum>()));
}

/// Adds a row to the command line of a tool that takes it.
template <typename Value>
void addRowFor(CLI::App &app, ToolSet tool, const OptionRow &row,
               Value &value) {
  if (row.tools.takes(tool))
    addRow(app, row, value)->required(row.tools.needs(tool));
}

// The rows of each struct that `tool` takes.
void addOptions(CLI::App &app, ToolSet tool, pipeline::CompileOptions &compile);
void addOptions(CLI::App &app, ToolSet tool, CommonOptions &common);
void addOptions(CLI::App &app, ToolSet tool, PrecisionOptions &precision);
void addOptions(CLI::App &app, ToolSet tool, RunOptions &run);

} // namespace zenith::tools

/// Adds the rows of one struct: for use in a function with `app`, `tool` and
/// the struct as `given`, before CompileOptions.def is included.
#define ZENITH_ADD_OPTION(field, type, initial, spelling, unit, tools, help)   \
  {                                                                            \
    using namespace zenith::options;                                           \
    addRowFor(app, tool, {spelling, unit, tools, CacheUse::NoPart, help},      \
              given.field);                                                    \
  }

#endif // ZENITH_TOOLS_MODEL_TABLEOPTIONS_H
