// TaskParser: [[input]] and [[output]].
#include <fmt/format.h>

#include <cmath>

#include "kernel/suggest.h"
#include "kernel/task_parser.h"

namespace kernatlas {

namespace {

constexpr std::size_t kMaxRank = 8;

const std::vector<std::string> kTypes = {"f64", "f32", "f16", "bf16", "f8_e4m3", "f8_e5m2",
                                         "i8",  "u8",  "i32", "i64",  "bool"};

// What random data of a type looks like when the task does not say.
std::string default_fill(DType type) {
  if (is_float(type)) return "normal";
  if (type == DType::boolean) return "integers(0, 1)";
  return type == DType::u8 ? "integers(0, 100)" : "integers(-100, 100)";
}

}  // namespace

void TaskParser::parse_tensors(const TomlFields& top, const std::string& key,
                               std::vector<Tensor>& out) {
  const auto tables = top.tables(key);
  limit(top, key.c_str(), tables.size(), kMaxTaskTables);
  const bool input = key == "input";
  const std::vector<std::string> known =
      input ? std::vector<std::string>{"name", "type", "shape", "fill", "in_place"}
            : std::vector<std::string>{"name", "type", "shape", "reduction", "tolerance"};
  for (const TomlValue* table : tables) {
    const TomlFields fields(reader, *table, fmt::format("[[{}]]", key), known, kTaskKeys);
    Tensor tensor;
    tensor.name = fields.string("name");
    if (!failed()) claim(fields.line("name"), tensor.name, input ? "an input" : "an output");
    tensor.type = type(fields);
    parse_shape(fields, tensor);
    if (failed()) return;
    input ? parse_input(fields, tensor) : parse_output(fields, tensor);
    out.push_back(std::move(tensor));
    if (failed()) return;
  }
}

DType TaskParser::type(const TomlFields& fields) {
  const std::string text = fields.string("type");
  if (failed()) return DType::f32;
  const auto type = parse_dtype(text);
  if (!type) {
    fields.complain("type", fmt::format("the type \"{}\" is unknown", text), one_of(kTypes),
                    suggest(text, kTypes));
  }
  return type.value_or(DType::f32);
}

std::optional<Expression> TaskParser::expression(const TomlFields& fields, const char* key,
                                                 const std::string& text) {
  if (failed()) return std::nullopt;
  auto parsed = Expression::parse(text, task().dims);
  if (parsed) return std::move(*parsed);
  parsed.error().message = fmt::format("\"{}\" in {}: {}", text, key, parsed.error().message);
  reader.complain(fields.line(key), std::move(parsed.error()));
  return std::nullopt;
}

// An expression that must be positive for every workload, hidden ones included.
void TaskParser::check_positive(const TomlFields& fields, const char* key,
                                const Expression& expression) {
  for (const Workload& workload : task().workloads) {
    const auto value = expression.evaluate(workload.dims);
    if (value && *value >= 1) continue;
    fields.complain(
        key,
        fmt::format("\"{}\" in {}, for the workload {}: {}", expression.text(), key, workload.name,
                    value ? std::to_string(*value) : value.error().message),
        "a positive integer");
  }
}

void TaskParser::parse_shape(const TomlFields& fields, Tensor& tensor) {
  const auto texts = fields.expressions("shape");
  if (texts.size() > kMaxRank) {
    fields.complain("shape", fmt::format("the shape has {} sizes", texts.size()),
                    fmt::format("at most {}", kMaxRank));
  }
  for (const std::string& text : texts) {
    auto size = expression(fields, "shape", text);
    if (!size) return;
    tensor.shape.push_back(std::move(*size));
  }
  for (const Workload& workload : task().workloads) {
    const auto count = tensor.elements(workload.dims);
    if (count) continue;
    fields.complain("shape",
                    fmt::format("for the workload {}: {}", workload.name, count.error().message),
                    count.error().expected);
  }
}

// What only shows when the sizes are known, for every workload, hidden ones included.
void TaskParser::check_fill_of(const TomlFields& fields, const Tensor& tensor, const Fill& fill) {
  std::optional<Expression> bound;
  if (!fill.bound.empty()) {
    bound = expression(fields, "fill", fill.bound);
    if (!bound) return;
    check_positive(fields, "fill", *bound);
  }
  for (const Workload& workload : task().workloads) {
    if (failed()) return;
    const auto count = tensor.elements(workload.dims);
    const auto limit = bound ? bound->evaluate(workload.dims) : Result<std::int64_t>(0);
    if (!count || !limit) continue;
    const auto fits = check_fill(fill, tensor.type, static_cast<std::size_t>(*count), *limit);
    if (fits) continue;
    fields.complain("fill",
                    fmt::format("for the workload {}: {}", workload.name, fits.error().message),
                    fits.error().expected);
  }
}

void TaskParser::parse_input(const TomlFields& fields, Tensor& tensor) {
  if (fields.has("in_place")) tensor.in_place = fields.boolean("in_place");
  std::vector<std::string> texts{default_fill(tensor.type)};
  if (fields.has("fill")) {
    const bool list = fields.value("fill")->kind == TomlValue::Kind::array;
    texts = list ? fields.strings("fill") : std::vector<std::string>{fields.string("fill")};
    limit(fields, "fill", texts.size(), kMaxTaskTables);
    if (texts.empty()) fields.complain("fill", "the list of fills is empty", "at least one");
  }
  for (const std::string& text : texts) {
    if (failed()) return;
    auto fill = parse_fill(text, tensor.type);
    if (!fill) {
      reader.complain(fields.line("fill"), std::move(fill.error()));
      return;
    }
    check_fill_of(fields, tensor, *fill);
    tensor.fills.push_back(std::move(*fill));
  }
}

void TaskParser::parse_output(const TomlFields& fields, Tensor& tensor) {
  if (fields.has("reduction")) {
    tensor.reduction = expression(fields, "reduction", fields.expression("reduction"));
    if (tensor.reduction) check_positive(fields, "reduction", *tensor.reduction);
  }
  if (!fields.has("tolerance")) return;
  tensor.tolerance = fields.number("tolerance");
  if (!failed() && (!std::isfinite(*tensor.tolerance) || *tensor.tolerance < 0)) {
    fields.complain("tolerance", "the tolerance is negative or not finite",
                    "a relative error, such as 1e-5; 0 for exact");
  }
}

}  // namespace kernatlas
