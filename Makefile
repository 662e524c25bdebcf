# The commands people type. Everything real is in CMake; this file only names the combinations.
.PHONY: all demo test test-long bench format install clean setup

PREFIX ?= /usr/local

all: setup
	@cmake --preset release >/dev/null
	@cmake --build build

setup:
	@tools/setup/debian.sh run

demo: all
	@tools/demo.sh

test:
	@tests/run.sh

# What takes too long for every change: 500 honest variants, kill -9 on real CPU kernels.
test-long:
	@tools/setup/debian.sh run test
	@cmake --preset ci >/dev/null
	@cmake --build build-ci --target kernatlas long_tests
	@ctest --test-dir build-ci --output-on-failure --no-tests=error -L long

bench: all
	@tools/bench/run.sh

format:
	@tools/setup/debian.sh format
	@git ls-files '*.h' '*.cc' | xargs clang-format -i

install: all
	@cmake --install build --prefix $(PREFIX)

clean:
	rm -rf build build-*
