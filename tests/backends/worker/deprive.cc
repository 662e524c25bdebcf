// deprive CALL[,CALL…] -- PROGRAM [ARGUMENT…]: runs a program on a kernel that does not offer these
// system calls, as old kernels and strict containers do. How the tests see a worker with a layer
// missing.
#include <seccomp.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>

int main(int argc, char** argv) {
  if (argc < 4 || std::strcmp(argv[2], "--") != 0) return 2;
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  std::istringstream names(argv[1]);
  for (std::string name; std::getline(names, name, ',');) {
    const int call = seccomp_syscall_resolve_name(name.c_str());
    const int error = name == "unshare" ? EPERM : ENOSYS;
    if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(static_cast<unsigned>(error)), call, 0) != 0)
      return 2;
  }
  if (seccomp_load(filter) != 0) return 77;
  seccomp_release(filter);
  execv(argv[3], argv + 3);
  std::perror(argv[3]);
  return 2;
}
