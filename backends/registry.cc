#include "backends/backend.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/recorded/recorded_backend.h"

namespace kernatlas {

std::string DeviceInfo::contract_text() const {
  std::string text;
  for (const std::string* part : {&model, &driver, &compiler, &conditions}) {
    if (part->empty()) continue;
    if (!text.empty()) text += "; ";
    text += *part;
  }
  return text;
}

void BackendRegistry::add(std::unique_ptr<Backend> backend) {
  KERNATLAS_CHECK(backend != nullptr && find(backend->name()) == nullptr);
  backends_.push_back(std::move(backend));
}

const Backend* BackendRegistry::find(const std::string& name) const {
  for (const auto& backend : backends_) {
    if (backend->name() == name) return backend.get();
  }
  return nullptr;
}

std::vector<const Backend*> BackendRegistry::all() const {
  std::vector<const Backend*> all;
  for (const auto& backend : backends_) all.push_back(backend.get());
  return all;
}

BackendRegistry default_backends() {
  BackendRegistry registry;
  registry.add(make_cpu_backend());
  registry.add(make_recorded_backend());
  return registry;
}

}  // namespace kernatlas
