//! The programs have a function of their own where libFuzzer has one that ends the program; the linker takes the first of both.

fn main() {
    println!("cargo::rustc-link-arg-bins=-Wl,-z,muldefs");
    println!("cargo::rerun-if-changed=build.rs");
}
