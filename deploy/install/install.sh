#!/bin/sh
# Installs Kenning into ~/.local/bin, or into the folder that KEN_INSTALL_DIR names. It downloads one archive of the
# release, checks its SHA-256 and replaces no other file. The release workflow fills in version and checksums.
set -eu

version=@VERSION@
downloads=https://github.com/@REPOSITORY@/releases/download/v$version

main() {
  folder=${KEN_INSTALL_DIR:-$HOME/.local/bin}
  choose_target
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT

  archive=kenning-$version-$target.tar.gz
  curl --fail --silent --show-error --location --output "$work/$archive" "$downloads/$archive"
  if [ "$(sha256 "$work/$archive")" != "$digest" ]; then
    fail "$archive does not have the checksum of the release: nothing was installed"
  fi
  tar -xzf "$work/$archive" -C "$work"
  mkdir -p "$folder"
  for program in ken kenning shire spox; do
    # A running program cannot be overwritten, but it can be replaced.
    cp "$work/kenning-$version-$target/$program" "$folder/.$program.new"
    mv -f "$folder/.$program.new" "$folder/$program"
  done
  echo "installed ken, kenning, shire and spox $version in $folder"
  case ":$PATH:" in
    *":$folder:"*) ;;
    *) echo "hint: add $folder to your PATH" ;;
  esac
}

choose_target() {
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) target=x86_64-unknown-linux-gnu digest=@SHA256:x86_64-unknown-linux-gnu@ ;;
    Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-gnu digest=@SHA256:aarch64-unknown-linux-gnu@ ;;
    Darwin-x86_64) target=x86_64-apple-darwin digest=@SHA256:x86_64-apple-darwin@ ;;
    Darwin-arm64) target=aarch64-apple-darwin digest=@SHA256:aarch64-apple-darwin@ ;;
    *) fail "there is no program for $(uname -s) on $(uname -m): run \`cargo install --locked kenning\`" ;;
  esac
}

sha256() { # FILE
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

fail() { # MESSAGE
  echo "error: $1" >&2
  exit 1
}

main
