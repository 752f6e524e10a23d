#!/bin/sh
# Installs the executable of a release for one user. Needs no Node and no other rights.
#
#   sh install.sh [--from <folder or https address>] [--prefix <folder>] [--require-signature]
#
# The release is the folder of this script unless --from names another place; the file goes to <prefix>/bin, by
# default ~/.local/bin. What SHA256SUMS does not confirm is not installed. SHA256SUMS itself is signed: ssh-keygen
# checks it where it is installed, and --require-signature refuses to go on without. What is installed is one file:
# remove it to uninstall.
set -eu

# The public key of the releases; empty in a release that nobody signed.
signer=''

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

from=$(dirname -- "$0")
prefix=${HOME:+$HOME/.local}
required=
while [ $# -gt 0 ]; do
  case $1 in
    --from) from=${2:?--from needs a folder or an address} && shift 2 ;;
    --prefix) prefix=${2:?--prefix needs a folder} && shift 2 ;;
    --require-signature) required=1 && shift ;;
    -h | --help) sed -n '2,/^set -eu/{/^#/s/^# \{0,1\}//p;}' "$0" && exit 0 ;;
    *) fail "what is \"$1\"? There are --from, --prefix and --require-signature" ;;
  esac
done

[ -n "$prefix" ] || fail 'HOME is not set: name a folder by --prefix'
installed=$prefix/bin/svcctl
# The file would be moved into it.
[ ! -d "$installed" ] || fail "$installed is a folder; remove it, or name another place by --prefix"

case $(uname -s)-$(uname -m) in
  Linux-x86_64) platform=linux-x64 ;;
  Linux-aarch64 | Linux-arm64) platform=linux-arm64 ;;
  *) fail "there is no executable for $(uname -s) on $(uname -m); with Node, install the npm package" ;;
esac

mkdir -p "$prefix/bin"
# Within the prefix, so that the file moves into its place at once.
work=$(mktemp -d "$prefix/bin/.svcctl-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

# get <name>: a file of the release into the folder of work.
get() {
  case $from in
    https://*)
      if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --proto '=https' --output "$work/$1" "$from/$1"
      elif command -v wget >/dev/null; then
        wget --quiet --https-only --output-document "$work/$1" "$from/$1"
      else
        fail 'neither curl nor wget is here; fetch the release and give its folder by --from'
      fi ;;
    *://*) fail "$from is not fetched: only https:// is" ;;
    *) cp -- "$from/$1" "$work/$1" ;;
  esac || fail "$from/$1 cannot be read"
}

sum_of() {
  command -v sha256sum >/dev/null || fail 'sha256sum is not here; nothing is installed unchecked'
  sha256sum <"$1" | cut -d ' ' -f 1
}

# unchecked <why>: a signature that cannot be checked is told of, and enough only where nobody asked for more.
unchecked() {
  [ -z "$required" ] || fail "$1; --require-signature installs nothing without"
  echo "install.sh: signature not checked: $1" >&2
}

get SHA256SUMS
if [ -z "$signer" ]; then
  unchecked 'this release is not signed'
elif ! command -v ssh-keygen >/dev/null; then
  unchecked 'ssh-keygen is not installed'
else
  get SHA256SUMS.sig
  echo "svcctl-release $signer" >"$work/signers"
  ssh-keygen -Y verify -f "$work/signers" -I svcctl-release -n svcctl-release -s "$work/SHA256SUMS.sig" \
    <"$work/SHA256SUMS" >/dev/null 2>&1 || fail 'the signature of SHA256SUMS is wrong; nothing is installed'
fi
suffix=
command -v xz >/dev/null && grep -q -- "-$platform\.xz\$" "$work/SHA256SUMS" && suffix=.xz
line=$(grep -E -- "^[0-9a-f]{64}  svcctl-[^/ ]*-$platform$suffix\$" "$work/SHA256SUMS" | head -n 1) || true
[ -n "$line" ] || fail "SHA256SUMS of $from names no file for $platform"
wanted=${line%% *} name=${line##* }
get "$name"
found=$(sum_of "$work/$name")
[ "$found" = "$wanted" ] || fail "$name is not what SHA256SUMS says ($found); nothing is installed"

[ -z "$suffix" ] || xz --decompress "$work/$name"
new=$work/${name%.xz}
chmod 755 "$new"
version=$("$new" --version) || fail 'the file does not run here (see above); nothing is installed'
mv -f -- "$new" "$installed"

echo "svcctl $version is installed: $installed"
case :${PATH-}: in
  *:"$prefix/bin":*) ;;
  *) echo "$prefix/bin is not on your PATH yet" ;;
esac
echo 'Completion: svcctl completion bash (zsh, fish, powershell) says how.'
echo "To uninstall: rm $installed (before it, svcctl auth logout where tokens are stored)"
