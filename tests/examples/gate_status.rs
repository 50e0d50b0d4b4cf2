//! What `gate_status` shows of a gate that processes share.

use search_gate::SearchGate;

use crate::{example, run};

#[tokio::test]
async fn gate_status_shows_what_the_example_of_sharing_has_left() {
    let shared = run(example("shared").arg("--keep")).await;
    assert_eq!(shared.code, Some(0), "{}", shared.stderr);
    let path = shared.stdout.strip_prefix("at ").unwrap();
    let (path, _) = path.split_once(", a turn").unwrap();
    let shown = run(example("gate_status").arg(path)).await;
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert!(shown.stdout.starts_with("next turn"), "{}", shown.stdout);
    let folder = std::path::Path::new(path).parent().unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn gate_status_shows_a_shared_gate_and_leaves_it_as_it_is() {
    let folder = std::env::temp_dir().join(format!("search-gate-status-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.gate");
    let missing = run(example("gate_status").arg(&path)).await;
    assert_eq!(missing.code, Some(1));
    assert!(missing.stderr.contains("a.gate"), "{}", missing.stderr);
    let elsewhere = run(example("gate_status").arg(path.join("b.gate"))).await;
    for says in [missing.stderr, elsewhere.stderr] {
        assert!(says.starts_with("Error: ") && !says.contains('"'), "{says}");
        let times = says.matches("(os error").count();
        assert_eq!(times, 1, "{says}");
        assert!(!says.contains("does not exist"), "{says}");
    }
    assert!(!path.exists());

    let gate = SearchGate::builder().shared_file_at(&path).build().unwrap();
    gate.throttled();
    let before = std::fs::read(&path).unwrap();
    let shown = run(example("gate_status").arg(&path)).await;
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let lines: Vec<_> = shown.stdout.lines().collect();
    assert!(
        lines[0].starts_with("next turn  in 5") || lines[0].starts_with("next turn  in 60"),
        "{lines:?}"
    );
    assert_eq!(lines[1], "queue      0");
    assert!(lines[2].ends_with(" s left, streak 1"), "{lines:?}");
    assert_eq!(lines[3], "interval   2.5 s");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn it_takes_one_file() {
    for (files, why) in [
        (&[][..], "were not provided:\n  <PATH>\n"),
        (&["a", "b"], "unexpected argument 'b' found\n"),
    ] {
        let ran = run(example("gate_status").args(files)).await;
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{files:?}");
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
        let usage = "\nUsage: cargo run --example gate_status -- ";
        assert!(ran.stderr.contains(usage), "{}", ran.stderr);
    }
}
