# Homebrew formula. The release workflow fills in the repository, the version and the checksums.
class Kenning < Formula
  desc "Index a repository and answer questions about it for coding agents and people"
  homepage "https://github.com/@REPOSITORY@"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/kenning-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:aarch64-apple-darwin@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/kenning-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/kenning-@VERSION@-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "@SHA256:aarch64-unknown-linux-gnu@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/kenning-@VERSION@-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "@SHA256:x86_64-unknown-linux-gnu@"
    end
  end

  def install
    bin.install "ken", "kenning", "shire", "spox"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ken --version")
  end
end
