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
