//! Words that call a method without arguments, or are variables.

use super::*;

#[test]
fn a_word_that_is_no_variable_calls_a_method() {
    check(
        "=== lib/pool.rb
require 'base'
class Pool < Base
  attr_reader :size
  def initialize
    spawn_thread
    @mutex.synchronize { spawn_thread unless full? }
    connect
    size
    trim = 1
    trim
  end
  def spawn_thread
    thread = start
    thread.join
    [1].each { |start| start }
  end
  def trim
    x = reap
    x += reap
    unknown
  end
  def reap; end
  def start(count); end
  class Inner
    def run
      reap
      helper
    end
  end
end
def helper; end
=== lib/base.rb
class Base
  def connect; end
end
",
        &[
            "lib/pool.rb:5 spawn_thread → lib/pool.rb:12 Pool.spawn_thread (high, member of the type around it)",
            "lib/pool.rb:6 spawn_thread → lib/pool.rb:12 Pool.spawn_thread (high, member of the type around it)",
            "lib/pool.rb:7 connect → lib/base.rb:2 Base.connect (high, member of the type around it)",
            "lib/pool.rb:8 size → nothing",
            "lib/pool.rb:18 reap → lib/pool.rb:22 Pool.reap (high, member of the type around it)",
            "lib/pool.rb:19 reap → lib/pool.rb:22 Pool.reap (high, member of the type around it)",
            "lib/pool.rb:20 unknown → nothing",
            "lib/pool.rb:26 reap → nothing",
            "lib/pool.rb:27 helper → lib/pool.rb:31 helper (high, same file)",
        ],
    );
}

#[test]
fn a_variable_is_no_call() {
    let found = calls(
        "=== a.rb
class A
  def title; end
  def run(title, other = title)
    title
    [1].each { |title| title }
  end
  def walk
    title, rest = 1, 2
    title
  rescue Late => title
    title
  end
end
",
        &[],
    );
    assert!(!found.contains(" title "), "{found}");
}
