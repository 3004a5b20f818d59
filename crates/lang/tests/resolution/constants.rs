//! Constants of Ruby, which nesting and ancestors decide and not the last name.

use super::*;

#[test]
fn constants_are_those_of_the_nesting() {
    let found = relations_in(
        "=== lib/cable/base.rb
module Cable
  module Adapter
    class Base
      def broadcast(x); end
    end
  end
end
=== lib/cable/redis.rb
module Cable
  module Adapter
    class Redis < Base
    end
  end
end
=== lib/cable/async.rb
class Cable::Adapter::Async < Cable::Adapter::Base
  include Helpers
  module Helpers
  end
end
=== lib/record.rb
module Record
  class Base
  end
  class Post < Base
  end
end
class Other < Base
end
",
    );
    let expected = [
        "lib/cable/redis.rb:3 is a lib/cable/base.rb:3",
        "lib/cable/async.rb:1 is a lib/cable/base.rb:3",
        "lib/cable/async.rb:1 is a lib/cable/async.rb:3",
        "lib/record.rb:4 is a lib/record.rb:2",
    ];
    assert_eq!(found, expected);
}

#[test]
fn members_are_in_every_body_of_a_type_and_in_what_it_includes() {
    check(
        "=== lib/cable/base.rb
module Cable
  class Base
    include Naming
    delegate :size, to: :list
    define_method(:close) { 1 }
    def open; end
    def go
      label
      other
    end
  end
end
=== lib/cable/more.rb
module Cable
  class Base
    def other; end
  end
end
=== lib/cable/naming.rb
module Cable
  module Naming
    extend Concern
    included do
      def hidden; end
    end
    class_methods do
      def create; end
    end
    def label; end
  end
end
=== lib/record.rb
module Record
  class Base
    def open; end
  end
end
=== app/main.rb
base = Cable::Base.new
base.open
base.other
base.label
base.close
Cable::Base.create
",
        &[
            "app/main.rb:2 open → lib/cable/base.rb:6 Cable.Base.open (high, type of the receiver)",
            "app/main.rb:3 other → lib/cable/more.rb:3 Cable.Base.other (high, type of the receiver)",
            "app/main.rb:4 label → lib/cable/naming.rb:10 Cable.Naming.label (high, base of the receiver's type)",
            "app/main.rb:5 close → lib/cable/base.rb:5 Cable.Base.close (high, type of the receiver)",
            "app/main.rb:6 create → lib/cable/naming.rb:8 Cable.Naming.create (high, base of the receiver's type)",
        ],
    );
}
