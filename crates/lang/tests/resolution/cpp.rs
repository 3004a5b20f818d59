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

#[test]
fn a_nested_type_is_found_by_its_whole_path() {
    check(
        "=== iterator.h
namespace db {
class Iterator { public: virtual void Next() = 0; };
namespace log { class Writer { public: explicit Writer(int file); void Add(); }; }
class Impl { public: void Run(); private: struct Writer; };
}
=== skip.h
namespace db {
template <typename K> class List { public: class Iterator { public: void Next(); void Step(); }; };
template <typename K> inline void List<K>::Iterator::Next() { Step(); }
template <typename K> inline void List<K>::Iterator::Step() { this->Next(); }
}
=== impl.cc
namespace db {
struct Impl::Writer { explicit Writer(int* m); void Sync(); };
void Impl::Run() { Writer w(&m); w.Sync(); }
void use(Iterator* it) { it->Next(); }
void log_to(log::Writer* out) { out->Add(); }
}
",
        &[
            "skip.h:3 Step → skip.h:2 db.List.Iterator.Step + skip.h:4 db.List.Iterator.Step (high, member of the type around it)",
            "skip.h:4 Next → skip.h:2 db.List.Iterator.Next + skip.h:3 db.List.Iterator.Next (high, type of the receiver)",
            "impl.cc:3 Sync → impl.cc:2 db.Impl.Writer.Sync (high, type of the receiver)",
            "impl.cc:4 Next → iterator.h:2 db.Iterator.Next (high, type of the receiver)",
            "impl.cc:5 Add → iterator.h:3 db.log.Writer.Add (high, type of the receiver)",
        ],
    );
}

#[test]
fn a_bare_name_is_a_member_before_a_function_of_another_file() {
    check(
        "=== page.h
namespace db {
class View { public: void Draw(); class Title { public: void Set(); }; };
class Page : public View { public: void Open(); void Close(); };
void Close(int file);
}
=== page.cc
namespace db {
void Page::Open() { Close(); Draw(); Title title; title.Set(); }
}
=== env.cc
namespace db {
namespace { struct Title { void Set(); }; }
void Sync() { Close(1); }
}
=== posix.cc
namespace db {
static void Close(int file) {}
}
=== other.cc
namespace other {
void Close() {}
void Open() {}
void Run() { Close(); Open(); }
}
",
        &[
            "page.cc:2 Close → page.h:3 db.Page.Close (high, member of the type around it)",
            "page.cc:2 Draw → page.h:2 db.View.Draw (high, member of the type around it)",
            "page.cc:2 Set → page.h:2 db.View.Title.Set (high, type of the receiver)",
            "env.cc:3 Close → page.h:4 db.Close (high, same directory)",
            "other.cc:4 Close → other.cc:2 other.Close (high, lexical scope)",
            "other.cc:4 Open → other.cc:3 other.Open (high, lexical scope)",
        ],
    );
}

#[test]
fn a_test_of_a_fixture_calls_its_members() {
    check(
        "=== log_test.cc
namespace db {
class LogBase { public: void Reset(); };
class LogTest : public LogBase, public testing::Test {
 public:
  void Write(int n) {}
  int size_;
};
TEST_F(LogTest, Writes) {
  Write(1);
  Reset();
  Writes();
}
TEST(Plain, Writes) { Write(1); }
}
=== impl.cc
namespace db {
class Impl { public: void Write(int n); };
void Impl::Write(int n) {}
}
",
        &[
            "log_test.cc:9 Write → log_test.cc:5 db.LogTest.Write (high, member of the type around it)",
            "log_test.cc:10 Reset → log_test.cc:2 db.LogBase.Reset (high, member of the type around it)",
            "log_test.cc:13 Write → nothing",
        ],
    );
}

#[test]
fn a_path_of_types_goes_through_aliases() {
    check(
        "=== table.h
namespace db {
class Iterator { public: virtual void Next() = 0; };
template <typename K> class List { public: class Iterator { public: void Next(); }; };
class MemTable { public: typedef List<int> Table; };
class Table { public: static Table* Open(); void Close(); struct Rep; };
}
=== table.cc
namespace db {
struct Table::Rep { void Sync(); };
Table* Table::Open() {
  Rep* rep = new Table::Rep;
  rep->Sync();
  Table* table = new Table(rep);
  table->Close();
  return table;
}
void use(MemTable::Table::Iterator* it) { it->Next(); }
void unknown(Other::Iterator* it) { it->Next(); }
}
",
        &[
            "table.cc:4 Rep → table.cc:2 db.Table.Rep (high, type of the receiver)",
            "table.cc:5 Sync → table.cc:2 db.Table.Rep.Sync (high, type of the receiver)",
            "table.cc:7 Close → table.h:5 db.Table.Close (high, type of the receiver)",
            "table.cc:10 Next → table.h:3 db.List.Iterator.Next (high, type of the receiver)",
            "table.cc:11 Next → nothing",
        ],
    );
}

#[test]
fn a_declaration_and_its_definition_are_one_member() {
    check(
        "=== set.h
class Set { public: void Apply(int edit); void Level(); void Level(int n); };
class Other { public: void Level(); };
=== set.cc
void Set::Apply(int edit) {}
=== use.cc
void run() { set_->Apply(1); set_->Level(); }
",
        &[
            "use.cc:1 Apply → set.h:1 Set.Apply + set.cc:1 Set.Apply (medium, only member of that name)",
            "use.cc:1 Level → nothing",
        ],
    );
}

#[test]
fn a_type_that_is_nested_twice_sees_members_of_the_outer_ones() {
    check(
        "=== a.cc
namespace re {
class Prefilter { class Info; static int Count(); };
class Prefilter::Info { public: class Walker; static int Any(); };
class Prefilter::Info::Walker { void Visit(); };
void Prefilter::Info::Walker::Visit() { Any(); Count(); }
}
",
        &[
            "a.cc:5 Any → a.cc:3 re.Prefilter.Info.Any (high, member of the type around it)",
            "a.cc:5 Count → a.cc:2 re.Prefilter.Count (high, member of the type around it)",
        ],
    );
}
