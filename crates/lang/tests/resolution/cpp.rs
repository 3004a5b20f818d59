//! C and C++.

use super::*;

#[test]
fn locals_of_cpp_have_types() {
    check(
        "=== a.cpp
class XTag { public: void check() {} };
class Other { public: void check() {} };
namespace ns { class Deep { public: void check() {} }; }
XTag* mkx() { return new XTag(); }
XTag& ref();
void other(std::vector<XTag> all) {
  XTag* tag = unknown();
  tag->check();
  auto made = mkx();
  made->check();
  XTag here;
  here.check();
  XTag& there = ref();
  there.check();
  for (auto& one : all) { one.check(); }
  std::shared_ptr<XTag> held = share();
  held->check();
  const ns::Deep* deep = get();
  deep->check();
  XTag built(1);
  built.check();
  { Other* tag = get(); tag->check(); }
  tag->check();
  if (auto* t = mkx()) { t->check(); }
  run([](Other* tag) { tag->check(); });
}
=== b.c
struct thing { int size; };
void use(void) { struct thing *t = make(); run(t); }
",
        &[
            "a.cpp:8 check → a.cpp:1 XTag.check (high, type of the receiver)",
            "a.cpp:10 check → a.cpp:1 XTag.check (high, type of the receiver)",
            "a.cpp:12 check → a.cpp:1 XTag.check (high, type of the receiver)",
            "a.cpp:14 check → a.cpp:1 XTag.check (high, type of the receiver)",
            "a.cpp:15 check → a.cpp:1 XTag.check (high, type of the receiver)",
            "a.cpp:17 check → a.cpp:1 XTag.check (high, type of the receiver)",
            "a.cpp:19 check → a.cpp:3 ns.Deep.check (high, type of the receiver)",
            "a.cpp:21 check → a.cpp:1 XTag.check (high, type of the receiver)",
            "a.cpp:22 check → a.cpp:2 Other.check (high, type of the receiver)",
            "a.cpp:23 check → a.cpp:1 XTag.check (high, type of the receiver)",
            "a.cpp:24 check → a.cpp:1 XTag.check (high, type of the receiver)",
            "a.cpp:25 check → a.cpp:2 Other.check (high, type of the receiver)",
        ],
    );
}

#[test]
fn functions_in_tables_and_functions_that_macros_define_are_found() {
    check(
        "=== read_write.c
#define SYSCALL_DEFINE3(name, ...) long sys_##name(__VA_ARGS__)
static int fdget(int fd) { return fd; }
struct file_operations {
    int (*read)(int);
    int flags;
} __randomize_layout;
static int my_read(int fd) { return fdget(fd); }
static int other;
static const struct file_operations ops = { .read = my_read, .flags = other };
SYSCALL_DEFINE3(lseek, unsigned int, fd, int, offset, unsigned int, whence)
{
    int found = fdget(fd);
    return found;
}
int go(void) { return lseek(1, 2, 3); }
",
        &[
            "read_write.c:7 fdget → read_write.c:2 fdget (high, same file)",
            "read_write.c:9 my_read → read_write.c:7 my_read (medium, same file)",
            "read_write.c:9 other → nothing",
            "read_write.c:12 fdget → read_write.c:2 fdget (high, same file)",
            "read_write.c:15 lseek → read_write.c:10 lseek (high, same file)",
        ],
    );
}
