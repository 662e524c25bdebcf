# The commands people type. Everything real is in CMake; this file only names the combinations.
.PHONY: all demo test bench format install clean setup

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

bench: all
	@tools/bench/run.sh

format:
	@tools/setup/debian.sh format
	@git ls-files '*.h' '*.cc' | xargs clang-format -i

install: all
	@cmake --install build --prefix $(PREFIX)

clean:
	rm -rf build build-*
