//! `slow_inputs` has a function of its own where libFuzzer has one that ends the program; the linker takes the first of both.

fn main() {
    println!("cargo::rustc-link-arg-bin=slow_inputs=-Wl,-z,muldefs");
    println!("cargo::rerun-if-changed=build.rs");
}
