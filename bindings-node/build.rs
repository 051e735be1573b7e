//! Link flags of addons, which some platforms need.

fn main() {
    napi_build::setup();
}
