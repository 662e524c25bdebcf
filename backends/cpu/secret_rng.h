// SecretRng: where everything a candidate must not foresee comes from: inputs, poison, places,
// orders, what is verified when.
//
// Not the engine's Rng, whose eight bytes of state could be had from one number that a kernel gets
// to see. Seeded by the system, never by the run: a run can be repeated, a secret not.
#pragma once

#include <random>

namespace kernatlas {

using SecretRng = std::mt19937_64;

[[nodiscard]] inline SecretRng make_secret_rng() {
  std::random_device device;
  std::seed_seq seeds{device(), device(), device(), device(),
                      device(), device(), device(), device()};
  return SecretRng(seeds);
}

}  // namespace kernatlas
