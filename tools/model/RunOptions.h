// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of zenith-run, a struct for each concern; other tools take some
// of them.

#ifndef ZENITH_TOOLS_MODEL_RUNOPTIONS_H
#define ZENITH_TOOLS_MODEL_RUNOPTIONS_H

#include "frontends/models/BindInputs.h"
#include "ir/attributes/DimBoundsAttr.h"
#include "ir/remarks/RemarkTopic.h"
#include "lowering/pipeline/CompileOptions.h"
#include "llvm/Support/Error.h"
#include <map>

namespace zenith::tools {

using namespace models; // what loads and writes models
using options::TextFormat;
using options::ToolSet;

/// Sizes of named dimensions.
using DimSizes = std::map<std::string, int64_t>;

/// What is said of named dimensions: their sizes, or bounds of them.
struct DimFacts {
  DimSizes sizes;
  graph::DimBoundsMap bounds;
};

enum class TensorFormat { Npy, Pb };
enum class Comparison { None, Interpreter, F32 };
enum class Report { Memory, Time, Roofline, Precision, Communication };

struct CommonOptions {
#define ZENITH_COMMON_OPTION(field, type, initial, ...) type field = initial;
#include "lowering/pipeline/CompileOptions.def"
};

struct InputOptions {
#define ZENITH_INPUT_OPTION(field, type, initial, ...) type field = initial;
#include "lowering/pipeline/CompileOptions.def"
};

struct ResourceOptions {
#define ZENITH_RESOURCE_OPTION(field, type, initial, ...) type field = initial;
#include "lowering/pipeline/CompileOptions.def"
};

/// Differences that are taken as equal; without any, a default per type.
struct Tolerance {
#define ZENITH_TOLERANCE_OPTION(field, type, initial, ...) type field = initial;
#include "lowering/pipeline/CompileOptions.def"

  bool given() const { return relative || absolute || ulps; }
};

struct OutputOptions {
#define ZENITH_OUTPUT_OPTION(field, type, initial, ...) type field = initial;
#include "lowering/pipeline/CompileOptions.def"

  Tolerance tolerance;
};

struct ReportOptions {
#define ZENITH_REPORT_OPTION(field, type, initial, ...) type field = initial;
#include "lowering/pipeline/CompileOptions.def"

  bool wants(Report report) const {
    return llvm::is_contained(reports, report);
  }
  bool explains(remarks::Topic topic) const {
    return llvm::is_contained(explain, topic);
  }
};

struct PrecisionOptions {
#define ZENITH_PRECISION_OPTION(field, type, initial, ...) type field = initial;
#include "lowering/pipeline/CompileOptions.def"
};

struct RunOptions : InputOptions,
                    ResourceOptions,
                    OutputOptions,
                    ReportOptions {
  PrecisionOptions precision;
  pipeline::CompileOptions compile;

  bool isInterpreted() const { return compile.target == "interp"; }
};

} // namespace zenith::tools

namespace zenith::options {

template <> struct Words<remarks::Topic> {
  static constexpr Word<remarks::Topic> all[] = {
#define ZENITH_REMARK_TOPIC(topic, word) {word, remarks::Topic::topic},
#include "ir/remarks/RemarkCodes.def"
  };
};

template <> struct Words<tools::TensorFormat> {
  static constexpr Word<tools::TensorFormat> all[] = {
      {"npy", tools::TensorFormat::Npy}, {"pb", tools::TensorFormat::Pb}};
};

template <> struct Words<tools::Comparison> {
  static constexpr Word<tools::Comparison> all[] = {
      {"interp", tools::Comparison::Interpreter},
      {"f32", tools::Comparison::F32}};
};

template <> struct Words<tools::Report> {
  static constexpr Word<tools::Report> all[] = {
      {"memory", tools::Report::Memory},
      {"time", tools::Report::Time},
      {"roofline", tools::Report::Roofline},
      {"precision", tools::Report::Precision},
      {"communication", tools::Report::Communication}};
};

} // namespace zenith::options

#endif // ZENITH_TOOLS_MODEL_RUNOPTIONS_H
