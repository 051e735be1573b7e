//! A compiled schema and what it can be asked.

use super::compile::compile;
use super::equality::Steps;
use super::error::SchemaError;
use super::evaluate::Evaluator;
use super::limits::{CompileOptions, ValueLimits};
use super::message::named;
use super::pointer::{clipped_names, name_at, pointer_at};
use super::program::Program;
use super::report::{Collector, Silent, Stop};
use super::violation::{Verdict, Violation};
use crate::json::{Fault, Positions, Reader};

/// A JSON Schema that is ready to validate. It never changes, so any number of threads may use it.
#[derive(Debug)]
pub struct Schema {
    pub(super) program: Program,
    pub(super) limits: ValueLimits,
}

/// What a collector has collected, and why it stopped before the end of the value.
pub(super) struct Collected {
    pub(super) report: Collector,
    stop: Option<Stop>,
    /// Where the name stands that stands twice, if that was why.
    duplicate: usize,
}

impl Schema {
    /// Compiles the schema `text`, which is 2020-12 unless its `$schema` says draft-07.
    pub fn compile(text: &str, options: &CompileOptions) -> Result<Schema, SchemaError> {
        let limits = options.limits.clamped();
        let kept = ValueLimits::from(&limits);
        let options = CompileOptions { limits, ..options.clone() };
        Ok(Schema { program: compile(text, &options)?, limits: kept })
    }

    /// Whether `json` is JSON and matches.
    pub fn is_valid(&self, json: &str) -> bool {
        self.check(json) == Ok(Verdict::Valid)
    }

    /// Judges `json` in one pass, without saying what is wrong; an error if it is not JSON.
    pub fn check(&self, json: &str) -> Result<Verdict, Fault> {
        let mut reader = Reader::new(json, self.limits.value_depth);
        let verdict = self.read(&mut reader, &mut Positions::default())?;
        reader.end()?;
        Ok(verdict)
    }

    /// What is wrong with `json`, up to [`SchemaLimits::violations`](super::SchemaLimits::violations).
    ///
    /// A value that matches costs one pass; the list is made in a second one.
    pub fn validate(&self, json: &str) -> Result<(), Vec<Violation>> {
        match self.check(json) {
            Ok(Verdict::Valid) => Ok(()),
            Ok(verdict) => Err(self.explain(json, verdict)),
            Err(fault) => Err(vec![not_json(fault)]),
        }
    }

    /// Judges the value at the reader while it is read. The reader ends behind the value, whatever
    /// the verdict is, and all of it has been checked to be JSON. Where the members of an object stand that
    /// matches is noted in `positions`, which has been cleared.
    #[inline(always)]
    pub(crate) fn read(
        &self,
        reader: &mut Reader<'_>,
        positions: &mut Positions,
    ) -> Result<Verdict, Fault> {
        let start = reader.mark();
        let mut evaluator = Evaluator::new(
            &self.program,
            Silent,
            Steps::new(self.limits.steps),
            self.limits.nesting,
        );
        evaluator.positions = Some(&mut *positions);
        let verdict = match evaluator.whole(reader) {
            Ok(()) => return Ok(Verdict::Valid),
            Err(Stop::OutOfSteps) => Verdict::OutOfSteps,
            Err(Stop::Invalid | Stop::Enough | Stop::Duplicate | Stop::Fault) => Verdict::Invalid,
        };
        positions.clear(0);
        // The rest has to be JSON too; and if a fault was the reason, it is met again.
        reader.return_to(start);
        reader.skip()?;
        Ok(verdict)
    }

    /// What is wrong with a value that was judged so.
    pub(crate) fn explain(&self, json: &str, verdict: Verdict) -> Vec<Violation> {
        let collected = self.collect(json, Collector::new(self.limits.violations, true));
        let mut violations = collected.report.violations;
        match collected.stop {
            Some(Stop::Duplicate) => violations.push(duplicate(json, collected.duplicate)),
            Some(Stop::OutOfSteps) => violations.push(out_of_steps()),
            _ if verdict == Verdict::OutOfSteps => violations.push(out_of_steps()),
            _ => {}
        }
        violations
    }

    /// Evaluates `json`, which is known to be JSON, with a collector.
    pub(super) fn collect(&self, json: &str, collector: Collector) -> Collected {
        let mut reader = Reader::new(json, self.limits.value_depth);
        let steps = Steps::new(self.limits.steps);
        let mut evaluator = Evaluator::new(&self.program, collector, steps, self.limits.nesting);
        let stop = evaluator.whole(&mut reader).err();
        Collected { stop, duplicate: evaluator.duplicate, report: evaluator.report }
    }

    /// Approximate bytes that the schema holds on the heap.
    pub fn memory(&self) -> usize {
        self.program.memory()
    }
}

fn out_of_steps() -> Violation {
    let message = "is too complex to be checked within the limits; send something simpler";
    Violation { instance_path: String::new(), keyword: "steps", message: message.to_owned() }
}

fn not_json(fault: Fault) -> Violation {
    let message = format!("is not valid JSON: {} at byte {}", fault.kind.describe(), fault.at);
    Violation { instance_path: String::new(), keyword: "json", message }
}

fn duplicate(json: &str, offset: usize) -> Violation {
    let name = named(&name_at(json, offset));
    let message = format!("has the property {name} twice; send it once");
    let instance_path = clipped_names(&pointer_at(json, offset));
    Violation { instance_path, keyword: "duplicate", message }
}
