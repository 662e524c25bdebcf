#!/bin/sh
# Installs what kernatlas needs on Debian 12, each package named once, by group. Does nothing (and needs
# no network and no rights) when everything is there.
#   tools/setup/debian.sh [run|test|format]...     groups; run is always included
set -eu

# To build the program and to breed kernels with it: the compiler is a run-time need too.
run="g++ cmake ninja-build make pkg-config ccache libstdc++-12-dev
  libexpected-dev libfmt-dev libspdlog-dev libtbb-dev libtomlplusplus-dev nlohmann-json3-dev
  libsqlite3-dev libcli11-dev libzydis-dev libzycore-dev libmuparser-dev libxxhash-dev libzstd-dev
  libseccomp-dev zlib1g-dev libminizip-dev libcsv-dev libpugixml-dev libmsgpack-cxx-dev libgit2-dev libeigen3-dev libopenblas-dev"
# To run every test: second compiler with its fuzzer, coverage report, a plain user to test as.
test="doctest-dev clang libclang-rt-14-dev gcovr util-linux procps"
format="clang-format"

wanted="$run"
for group in "$@"; do
  case "$group" in
    run) ;;
    test) wanted="$wanted $test" ;;
    format) wanted="$wanted $format" ;;
    *) echo "usage: $0 [run|test|format]..." >&2; exit 2 ;;
  esac
done

missing=""
for package in $wanted; do
  dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || {
    echo "missing packages:$missing" >&2
    echo "hint: as root, run: apt-get install$missing" >&2
    exit 3
  }
  as_root=sudo
fi
echo "installing:$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
