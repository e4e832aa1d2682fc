//! What the linkers of macOS and Windows must be told about a module of Node's.

fn main() {
    napi_build::setup();
}
