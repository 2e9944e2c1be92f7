// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads --loss-scale. A static scale is a dynamic one whose factors are 1.

#include "frontends/training/LossScaling.h"

#include "frontends/models/Suggestion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cfloat>
#include <cmath>

using llvm::StringRef;

namespace zenith::training {

static Error mistake(const std::string &text) {
  return Error{ErrorCode::Usage, "--loss-scale: " + text, {}};
}

static Result<double> readNumber(StringRef key, StringRef text) {
  double value = 0;
  if (text.getAsDouble(value) || !std::isfinite(value))
    return mistake(key.str() + " is no finite number: '" + text.str() + "'");
  return value;
}

static bool isScale(double value) { return value > 0 && value <= FLT_MAX; }

/// The first thing that makes no sense.
static Status checkScaling(const LossScaling &scaling) {
  const precision::ScaleRule &rule = scaling.rule;
  if (!isScale(scaling.init) || !isScale(rule.minScale) ||
      !isScale(rule.maxScale))
    return mistake("init, min and max are positive numbers of f32");
  if (!(rule.minScale <= scaling.init && scaling.init <= rule.maxScale))
    return mistake("init is at least min and at most max");
  if (!(rule.growth >= 1 && rule.growth <= FLT_MAX))
    return mistake("growth is at least 1");
  if (!(rule.backoff > 0 && rule.backoff <= 1))
    return mistake("backoff is above 0 and at most 1");
  if (rule.interval < 1 || rule.interval > INT32_MAX)
    return mistake("interval is at least 1 and fits i32");
  return noError();
}

static Status readKeys(StringRef text, LossScaling &scaling) {
  double interval = double(scaling.rule.interval);
  const std::pair<const char *, double *> keys[] = {
      {"init", &scaling.init},
      {"growth", &scaling.rule.growth},
      {"backoff", &scaling.rule.backoff},
      {"interval", &interval},
      {"min", &scaling.rule.minScale},
      {"max", &scaling.rule.maxScale}};
  std::vector<std::string> given;
  llvm::SmallVector<StringRef> items;
  text.split(items, ',');
  for (StringRef item : items) {
    auto [key, value] = item.split('=');
    auto found = llvm::find_if(
        keys, [&, key = key](const auto &known) { return key == known.first; });
    if (found == std::end(keys)) {
      std::vector<std::string> names;
      for (const auto &known : keys)
        names.push_back(known.first);
      return mistake("there is no key '" + key.str() + "'" +
                     models::suggestion(key, names));
    }
    if (llvm::is_contained(given, key))
      return mistake(key.str() + " is given twice");
    given.push_back(key.str());
    Result<double> number = readNumber(key, value);
    if (!number)
      return number.error();
    *found->second = *number;
  }
  if (interval != std::floor(interval) || std::abs(interval) > INT32_MAX)
    return mistake("interval is at least 1 and fits i32");
  scaling.rule.interval = int64_t(interval);
  return checkScaling(scaling);
}

Result<LossScaling> LossScaling::read(const std::string &text,
                                      bool computesInF16) {
  LossScaling scaling;
  auto [word, rest] = StringRef(text).split(':');
  bool hasRest = StringRef(text).contains(':');
  if (text.empty()) {
    scaling.kind = computesInF16 ? Kind::Dynamic : Kind::Off;
    return scaling;
  }
  if (word == "dynamic") {
    scaling.kind = Kind::Dynamic;
    if (hasRest)
      if (Status status = readKeys(rest, scaling); !status)
        return status.error();
    return scaling;
  }
  if (word == "static") {
    Result<double> scale = readNumber("the scale", rest);
    if (!scale)
      return scale.error();
    scaling.kind = Kind::Static;
    scaling.init = *scale;
    scaling.rule.growth = scaling.rule.backoff = 1;
    scaling.rule.minScale = scaling.rule.maxScale = *scale;
    if (!isScale(*scale))
      return mistake("the scale is a positive number of f32");
    return scaling;
  }
  if ((word == "auto" || word == "off") && !hasRest) {
    scaling.kind = word == "auto" ? Kind::Auto : Kind::Off;
    return scaling;
  }
  if (word == "auto" || word == "off")
    return mistake(word.str() + " takes no numbers");
  return mistake(
      "there is no '" + word.str() +
      "', there are dynamic, static:S, auto and off" +
      models::suggestion(
          word, std::vector<std::string>{"dynamic", "static", "auto", "off"}));
}

double LossScaling::scaleFor(double largest) {
  constexpr double largestHalf = 65504;
  constexpr int mostExponent = 15;
  if (!(largest > 0) || !std::isfinite(largest))
    return std::ldexp(1.0, mostExponent);
  int exponent = int(std::floor(std::log2(largestHalf / largest)));
  return std::ldexp(1.0, std::min(exponent, mostExponent));
}

} // namespace zenith::training
