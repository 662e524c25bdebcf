// Features: what a compiled kernel is like, by name; numbers or labels.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kernatlas {

using FeatureValue = std::variant<double, std::string>;

// A small ordered list: features keep the order in which the backend reports them.
class Features {
 public:
  void set(std::string name, FeatureValue value) {
    for (auto& [key, old] : items_) {
      if (key == name) {
        old = std::move(value);
        return;
      }
    }
    items_.emplace_back(std::move(name), std::move(value));
  }
  [[nodiscard]] const FeatureValue* find(std::string_view name) const {
    for (const auto& [key, value] : items_) {
      if (key == name) return &value;
    }
    return nullptr;
  }
  [[nodiscard]] const std::vector<std::pair<std::string, FeatureValue>>& items() const {
    return items_;
  }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  friend bool operator==(const Features&, const Features&) = default;

 private:
  std::vector<std::pair<std::string, FeatureValue>> items_;
};

}  // namespace kernatlas
