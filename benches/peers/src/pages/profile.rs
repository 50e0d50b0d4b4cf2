//! How this program was built.

/// The build profile, as this package's manifest has it.
pub(super) fn name() -> String {
    if cfg!(debug_assertions) {
        return "a debug build: times mean nothing".to_owned();
    }
    let manifest = include_str!("../../Cargo.toml");
    let (_, release) = manifest
        .split_once("[profile.release]\n")
        .expect("the manifest has a release profile");
    let settings: Vec<_> = release
        .lines()
        .take_while(|line| line.contains('='))
        .filter(|line| !line.starts_with("debug"))
        .collect();
    format!("release build: {}", settings.join(", "))
}
