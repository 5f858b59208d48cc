//! Records in a file.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use toolgate::{AuditLayer, AuditRecord, AuditSink, Decision, JsonLinesSink};
use toolgate_test::Reply;
use tower::ServiceExt;

use super::Rig;
use crate::call;

#[tokio::test(start_paused = true)]
async fn a_file_has_one_object_to_a_line_and_is_appended_to() {
    let path = std::env::temp_dir().join(format!("toolgate-audit-{}.jsonl", std::process::id()));
    std::fs::write(&path, "torn").unwrap();
    for name in ["first", "two\nlines"] {
        let mut rig = Rig::new(Decision::allow(), Reply::no());
        rig.audit = AuditLayer::new(JsonLinesSink::open(&path).unwrap());
        rig.stack().oneshot(call(name)).await.unwrap();
        rig.stack().oneshot(call(name)).await.unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let (torn, lines) = text.split_once('\n').unwrap();
    assert_eq!(torn, "torn");
    let read = |line| serde_json::from_str::<AuditRecord>(line).unwrap();
    let names: Vec<_> = lines
        .lines()
        .map(|line| read(line).tool.name().to_owned())
        .collect();
    assert_eq!(names, ["first", "first", "two\nlines", "two\nlines"]);
}

#[tokio::test(start_paused = true)]
async fn two_who_write_to_one_file_overwrite_nothing() {
    let path = std::env::temp_dir().join(format!("toolgate-two-{}.jsonl", std::process::id()));
    let sinks = [(); 2].map(|()| JsonLinesSink::open(&path).unwrap());
    let record = Rig::new(Decision::allow(), Reply::no()).run().await;
    for sink in sinks.iter().cycle().take(6) {
        sink.record(&record);
    }
    let text = std::fs::read_to_string(&path).unwrap();
    #[cfg(unix)]
    {
        let kept = std::fs::metadata(&path).unwrap().permissions();
        let mode = std::os::unix::fs::PermissionsExt::mode(&kept);
        assert_eq!(mode & 0o077, 0, "only its owner reads it");
    }
    std::fs::remove_file(&path).unwrap();
    let read = |line| serde_json::from_str::<AuditRecord>(line).unwrap();
    assert_eq!(text.lines().map(read).collect::<Vec<_>>(), vec![record; 6]);
}

#[tokio::test(start_paused = true)]
async fn every_record_is_flushed() {
    let written = Arc::new(Mutex::new(Vec::new()));
    let sink = JsonLinesSink::new(io::BufWriter::new(Full(Arc::clone(&written), 2)));
    let record = Rig::new(Decision::allow(), Reply::no()).run().await;
    for lines in 1..=3 {
        sink.record(&record);
        let text = String::from_utf8(written.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), lines);
    }
}

/// Takes a few bytes of the first line and then fails, once.
struct Full(Arc<Mutex<Vec<u8>>>, u32);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1 += 1;
        let room = match self.1 {
            1 => 4,
            2 => return Err(io::Error::other("disk full")),
            _ => bytes.len(),
        };
        self.0.lock().unwrap().extend_from_slice(&bytes[..room]);
        Ok(room)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_written_is_reported_and_tears_no_other_line() {
    let written = Arc::new(Mutex::new(Vec::new()));
    let sink = JsonLinesSink::new(Full(Arc::clone(&written), 0));
    let record = Rig::new(Decision::allow(), Reply::no()).run().await;
    assert!(sink.last_error().is_none());
    sink.record(&record);
    assert_eq!(sink.last_error().unwrap().to_string(), "disk full");
    sink.record(&record);
    let text = String::from_utf8(written.lock().unwrap().clone()).unwrap();
    let last = text.lines().nth(1).unwrap();
    assert_eq!(serde_json::from_str::<AuditRecord>(last).unwrap(), record);
    assert_eq!(text.lines().count(), 2);
}
