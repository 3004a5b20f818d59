//! Modules of Ruby.

use super::*;

#[test]
fn a_module_calls_what_the_class_has_that_includes_it() {
    let helpers = "=== lib/helpers.rb
module S
  module Helpers
    def redirect(uri)
      halt 302
    end
    def missing
      own 1
      nowhere 2
    end
    def own(n)
    end
  end
end
";
    let base = "=== lib/base.rb
module S
  class Base
    include S::Helpers
    def halt(*r)
    end
    def own(n)
    end
  end
  class Stranger
    def halt(*r)
    end
    def nowhere(n)
    end
  end
end
";
    check(
        &format!("{helpers}{base}"),
        &[
            "lib/helpers.rb:4 halt → lib/base.rb:4 S.Base.halt (medium, only member of that name)",
            "lib/helpers.rb:7 own → lib/helpers.rb:10 S.Helpers.own (high, lexical scope)",
            "lib/helpers.rb:8 nowhere → nothing",
        ],
    );
    let second = "=== lib/second.rb
class Second
  include S::Helpers
  def halt(*r)
  end
end
";
    check(&format!("{helpers}{base}{second}"), &["lib/helpers.rb:4 halt → nothing"]);
}

#[test]
fn methods_of_a_module_are_no_bare_names_elsewhere() {
    check(
        "=== lib/delegator.rb
module Delegator
  delegate :get, to: :app
  def route(x)
  end
end
=== test/app_test.rb
class AppTest
  def go
    get 1
    route 1
  end
end
",
        &["test/app_test.rb:3 get → nothing"],
    );
}
