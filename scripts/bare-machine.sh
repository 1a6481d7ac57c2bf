#!/usr/bin/env bash
# Runs the README's second command where nothing is installed: a minimal Debian root with Node and git alone, no locales, no `postgres` user.
# By hand, as root, on Debian with `debootstrap`:  scripts/bare-machine.sh [root|user] [command …]
# Without a command it runs `npm ci && npm test`. BARE_ROOT names the directory of the root; an existing one is used again.
set -euo pipefail
cd "$(dirname "$0")/.."

who=${1:-root}
if (($# > 0)); then shift; fi
command=${*:-npm ci && npm test}
[[ $who == root || $who == user ]] || { echo "usage: $0 [root|user] [command …]" >&2; exit 2; }
[[ $(id -u) == 0 ]] || { echo "This makes a root of its own: run it as root." >&2; exit 2; }
command -v debootstrap > /dev/null || { echo "Install debootstrap first: apt-get install debootstrap" >&2; exit 2; }

root=${BARE_ROOT:-/var/tmp/bough-bare}
if [[ ! -e $root/etc/debian_version ]]; then
  mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep '/debian/$' | head -n 1)
  debootstrap --variant=minbase --include=git,ca-certificates "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" "$mirror"
  useradd --root "$root" --create-home bare
fi

# This machine's Node, npm and access to the registry, and nothing else from it.
npm_dir=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
mkdir -p "$root/usr/lib/node_modules" "$root/usr/etc" "$root/etc/ssl/certs"
cp "$(readlink -f "$(command -v node)")" "$root/usr/bin/node"
rm -rf "$root/usr/lib/node_modules/npm"
cp -r "$npm_dir" "$root/usr/lib/node_modules/npm"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/bin/npm"
ln -sf ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/bin/npx"
for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt /usr/etc/npmrc; do
  if [[ -e $file ]]; then cp -L "$file" "$root$file"; fi
done

account=$([[ $who == root ]] && echo root || echo bare)
home=$([[ $who == root ]] && echo /root || echo /home/bare)
rm -rf "$root$home/bough"
git clone -q . "$root$home/bough"
chroot "$root" chown -R "$account:" "$home/bough"

# Namespaces of its own: mounts and processes end with it, whatever a test leaves behind.
unshare --mount --pid --fork --kill-child bash -euc '
  root=$1 account=$2 home=$3 command=$4
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME="$home" TERM=dumb CI=true \
    chroot --userspec="$account" "$root" bash -c "cd $home/bough && $command"
' bare "$root" "$account" "$home" "$command"
