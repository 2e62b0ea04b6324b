# Shared by the scripts in this folder; sourced, never run.
# Each script sets `set -euo pipefail` and sources this file first.

package_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

say() { printf '%s\n' "$*"; }
fail() { # fail STATUS MESSAGE…
    local status="$1"
    shift
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit "$status"
}

# Runs a command and says how long it took. The command's own status is returned.
timed() { # timed WHAT COMMAND…
    local what="$1" start="$SECONDS" status=0
    shift
    say "== $what"
    "$@" || status=$?
    say "== $what: $((SECONDS - start)) s"
    return "$status"
}

# Builds with SwiftPM, once more where SwiftPM itself crashed, as it does once in some thousand builds.
swift_build() { # swift_build ARGUMENT…
    local status=0
    swift build "$@" || status=$?
    # 130 and 143 are somebody's interrupt.
    case "$status" in
    132 | 133 | 134 | 135 | 136 | 139)
        say "swift build was ended by signal $((status - 128)); building once more" >&2
        status=0
        swift build "$@" || status=$?
        ;;
    esac
    return "$status"
}

# Runs tests, and says at the end once more what failed, since a run is ten thousand lines of which that is one.
tested() { # tested WHAT COMMAND…
    local output status=0
    output="$(mktemp)"
    timed "$@" > >(tee "$output") 2>&1 || status=$?
    wait "$!"
    if [ "$status" -ne 0 ]; then
        say "== failed:"
        # A test, what it expected and where, up to the next test's line; a program that crashed, with its first lines.
        grep -aE -A 12 '✘ Test|Fatal error|Program crashed|error: ' "$output" | awk '
            /^--$/ { show = 0; next }
            /✘|Fatal error|Program crashed|error: / { show = 1 }
            /^(✔|◇)/ { show = 0 }
            show' | head -n 200 || true
    fi
    rm -f "$output"
    return "$status"
}

require_swift() {
    command -v swift >/dev/null 2>&1 ||
        fail 2 "swift is not installed: install Swift 6.2 or later from https://www.swift.org/install and put it on PATH"
}

# The Debian packages whose pkg-config file is missing, and pkg-config itself, one a line.
missing_libraries() {
    if ! command -v pkg-config >/dev/null 2>&1; then
        printf '%s\n' pkg-config libsqlite3-dev libssl-dev libzstd-dev zlib1g-dev
        return
    fi
    pkg-config --exists sqlite3 || say libsqlite3-dev
    pkg-config --exists libcrypto || say libssl-dev
    pkg-config --exists libzstd || say libzstd-dev
    pkg-config --exists zlib || say zlib1g-dev
}

# Installs what the build needs besides Swift, only where it is missing, and says so.
install_libraries() {
    local missing
    missing="$(missing_libraries | tr '\n' ' ')"
    missing="${missing% }"
    if [ -z "$missing" ]; then
        say "libsqlite3, libcrypto, libzstd and pkg-config are installed"
        return
    fi
    install_packages "$missing"
    missing="$(missing_libraries | tr '\n' ' ')"
    [ -z "$missing" ] || fail 2 "still missing after installing: $missing; see what pkg-config --list-all shows"
}

# Installs packages with apt-get, and says so.
install_packages() { # install_packages "PACKAGE…"
    local missing="$1"
    command -v apt-get >/dev/null 2>&1 ||
        fail 2 "missing: $missing (Debian's names); install them with this system's package manager, then try again"
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 ||
            fail 2 "missing: $missing; neither root nor sudo: ask an administrator for 'apt-get install $missing'"
        as_root=(sudo)
    fi
    say "installing $missing with apt-get"
    # A failed update may still leave lists that know the packages; the install decides.
    "${as_root[@]}" apt-get update -qq || say "apt-get update failed; trying with the lists at hand"
    # shellcheck disable=SC2086 -- one word a package
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
        fail 2 "apt-get could not install $missing: see its messages above"
}

# Says why nothing is run, and ends with success: a check that a machine cannot make.
skip() {
    say "skipped: $*"
    exit 0
}

# Makes a root of Debian's development release in a folder, unless it is there; skips where it cannot be made.
debian_root() { # debian_root FOLDER ARCHITECTURE VARIANT PACKAGE,…
    [ "$(id -u)" -eq 0 ] || skip "making a root needs root"
    [ ! -e "$1/complete" ] || return 0
    command -v mmdebstrap >/dev/null 2>&1 || (install_packages mmdebstrap) || skip "mmdebstrap cannot be installed"
    rm -rf "$1"
    mkdir -p "$(dirname "$1")"
    # The signature of a mirror that is a copy of some day may have expired.
    timed "root for $2" mmdebstrap --quiet "--architectures=$2" "--variant=$3" --include="$4" \
        --aptopt='Acquire::Check-Valid-Until "false"' sid "$1" || skip "the root for $2 cannot be made"
    # Debian's package lacks this library of Testing's, which is linked and of which nothing is used: an empty archive.
    printf '!<arch>\n' >"$1/usr/lib/swift/linux/lib_Testing_Foundation.a"
    touch "$1/complete"
}

# Runs a script of bash in a root, in the package's folder. Further folders appear in the root at the same paths; FROM:TO
# names another one. Folders of this machine that git reads packages from are there too. The mounts end with the script.
in_root() { # in_root ROOT "FOLDER…" SCRIPT ARGUMENT…
    local root="$1" folders="$2" script="$3"
    shift 3
    cp /etc/gitconfig "$root/etc/gitconfig" 2>/dev/null || true
    folders="$package_root $folders $(git config --get-regexp '^url\.' | sed -n 's/^url\.\(\/[^ ]*\)\.insteadof .*/\1/p' | sort -u)"
    unshare --mount bash -s -- "$root" "$folders" "$package_root" "$script" "$@" <<'INSIDE'
set -euo pipefail
root="$1" folders="$2" place="$3" script="$4"
shift 4
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
for folder in $folders; do
    mkdir -p "$root${folder#*:}"
    mount --bind "${folder%:*}" "$root${folder#*:}"
done
exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" bash -c "
    set -euo pipefail
    git config --global --replace-all safe.directory '*'
    cd '$place'
    $script" "$(basename "$0")" "$@"
INSIDE
}

# The packages that build this one with Debian's Swift.
debian_swift=swiftlang,libsqlite3-dev,libssl-dev,libzstd-dev,zlib1g-dev,pkg-config,git,ca-certificates,procps,python3

# Makes what Tools/arm64 and Tools/package compile and run programs for 64-bit ARM with: a root with Debian's Swift for this
# machine, one with the headers and libraries for ARM, a description of that one for Swift, and QEMU.
arm64_roots() {
    compiling_root="$package_root/.build-oldest/root"
    arm64_root="$package_root/.build-arm64/root"
    debian_root "$compiling_root" "$(dpkg --print-architecture)" minbase "$debian_swift"
    # Unpacked and not configured, which needs no emulation.
    debian_root "$arm64_root" arm64 extract \
        "$debian_swift,base-files,bash,coreutils,dash,findutils,grep,libpq5,libstdc++-16-dev,sed,tzdata"
    cp /etc/passwd /etc/group "$arm64_root/etc/"
    # The linker looks for the start of a program there, also one with Swift's libraries inside.
    ln -sfn ../libexec/swift/lib/swift_static "$arm64_root/usr/lib/swift_static"

    # A program of another architecture is run by QEMU also where a test starts it, if the kernel is told so.
    if ! chroot "$arm64_root" /usr/bin/true 2>/dev/null; then
        [ -e /proc/sys/fs/binfmt_misc/status ] || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc ||
            skip "the kernel cannot be told of QEMU"
        (install_packages "qemu-user-static binfmt-support") || skip "QEMU cannot be installed"
        update-binfmts --enable qemu-aarch64 || true
        chroot "$arm64_root" /usr/bin/true || skip "programs for ARM do not run here"
    fi

    local sdk="$package_root/.build-arm64/sdks/arm64.artifactbundle"
    mkdir -p "$sdk/arm64"
    cat >"$sdk/info.json" <<'END'
{
  "schemaVersion": "1.0",
  "artifacts": { "arm64": { "type": "swiftSDK", "version": "1", "variants": [{ "path": "arm64" }] } }
}
END
    cat >"$sdk/arm64/swift-sdk.json" <<'END'
{
  "schemaVersion": "4.0",
  "targetTriples": {
    "aarch64-unknown-linux-gnu": {
      "sdkRootPath": "/arm64",
      "swiftResourcesPath": "/arm64/usr/libexec/swift/lib/swift",
      "swiftStaticResourcesPath": "/arm64/usr/libexec/swift/lib/swift_static",
      "toolsetPaths": ["toolset.json"]
    }
  }
}
END
    printf '%s\n' '{ "schemaVersion": "1.0", "swiftCompiler": { "extraCLIOptions": ["-use-ld=lld"] } }' \
        >"$sdk/arm64/toolset.json"
}
