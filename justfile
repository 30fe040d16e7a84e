# One build cache for every recipe and script, outside the checkout.
export CARGO_TARGET_DIR := env("CARGO_TARGET_DIR", env("XDG_CACHE_HOME", home_directory() / ".cache") / "interline/target")

# The recipes in this file.
default:
    @{{ just_executable() }} --list

# Everything that a change must pass; CI runs the same.
check:
    .ci/run

# Every test suite; `just test --quick` leaves the fuzz targets out.
test *options:
    ./test {{ options }}

# Format the code.
fmt:
    cargo fmt --all
    cargo fmt --all --manifest-path fuzz/Cargo.toml

# Lints, as errors.
lint:
    cargo clippy --workspace --all-targets --locked -- -D warnings

# The API documentation; a broken link is an error.
doc:
    RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked

# Speed, side by side with the raw limits: all groups, or those that are named (engine, http, creates, edits, growth, process, python, module, code-search, search).
bench *groups:
    cargo build --release --locked -p interline -p interline-bench
    {{ CARGO_TARGET_DIR }}/release/interline-bench {{ groups }}

# Whether writes can be lost and are heard of, the long form; `just soak kills --seed 7` for one of the trials.
soak *trial:
    soak/run long {{ trial }}

# The fuzz targets, for ten minutes.
fuzz:
    fuzz/run --seconds 600

# Matching quality on real edits, in both line-ending modes.
editbench:
    crates/edit/editbench
