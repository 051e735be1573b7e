//! The time of each workload, by criterion: `cargo bench -p mcplite-bench`.

use criterion::{Criterion, Throughput};
use mcplite_bench::{Error, workload};

fn main() -> Result<(), Error> {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("workloads");
    for workload in workload::ALL {
        let mut stage = workload.set_up()?;
        group.throughput(Throughput::Bytes((stage.message_bytes() + stage.answer_bytes()) as u64));
        group.bench_function(workload.name, |bencher| bencher.iter(|| stage.round()));
        // What was timed must have been the right answers to the end.
        stage.play(1)?;
    }
    group.finish();
    criterion.final_summary();
    Ok(())
}
