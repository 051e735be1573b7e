//! One evaluation, and how a node is chosen and begun.

use super::super::arena::{NONE, Node, Part, Way};
use super::super::equality::Steps;
use super::super::program::Program;
use super::super::report::{Collector, Report, Silent, Stop};
use super::super::types::Types;
use super::scratch::Scratch;
use crate::json::{Mark, Positions, Reader};

/// Something that was read, by its hash and its place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) hash: u32,
    pub(super) mark: Mark,
}

/// The state of one evaluation.
pub(in super::super) struct Evaluator<'s, R> {
    pub(super) program: &'s Program,
    pub(in super::super) report: R,
    pub(super) steps: Steps,
    /// How many more parts may be nested in one another.
    nesting: u32,
    /// Resources that the evaluation went through, for `$dynamicRef`.
    pub(super) scope: Vec<u32>,
    /// Names and elements of the containers that are being read, where those must differ.
    pub(super) seen: Scratch<Seen, 16>,
    /// Names beyond the first 64 of a schema that were found in the objects being read, as bits.
    pub(super) bits: Scratch<u64, 4>,
    /// Where the name that stands twice stands for the second time, after `Stop::Duplicate`.
    pub(in super::super) duplicate: usize,
    /// Whether an object was entered since this was last cleared.
    pub(super) entered: bool,
    /// Where the object starts whose last member was last read.
    pub(super) finished: usize,
    /// Where the members of the first object to be entered are noted, which is the outermost.
    pub(in super::super) positions: Option<&'s mut Positions>,
}

impl<'s, R: Report> Evaluator<'s, R> {
    pub(in super::super) fn new(
        program: &'s Program,
        report: R,
        steps: Steps,
        nesting: u32,
    ) -> Evaluator<'s, R> {
        Evaluator {
            program,
            report,
            steps,
            nesting,
            scope: Vec::new(),
            seen: Scratch::new(),
            bits: Scratch::new(),
            duplicate: 0,
            entered: false,
            finished: usize::MAX,
            positions: None,
        }
    }

    /// Evaluates the value at the reader, which ends behind it if there is no reason to stop.
    ///
    /// Stands where members and elements are read, so that a string, which most values are, costs one
    /// call.
    #[inline(always)]
    pub(super) fn value(&mut self, node: u32, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let Some(node) = self.program.node(node) else { return self.anything(reader) };
        if node.way != Way::Own {
            return self.combined(node, reader);
        }
        match reader.byte() {
            Some(b'"') if node.types.contains(Types::STRING) => self.string(node, reader),
            Some(b'0'..=b'9') if node.types.meets(Types::NUMBER) => self.number(node, reader),
            _ => self.own(node, reader),
        }
    }

    /// The same for the outermost value, which most often is an object.
    #[inline(always)]
    pub(in super::super) fn whole(&mut self, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let root = self.program.root;
        if let Some(node) = self.program.node(root)
            && let Some(rules) = self.program.objects.get(node.object as usize)
            && reader.byte() == Some(b'{')
            && node.way == Way::Own
            && node.literals == NONE
            && node.types.contains(Types::OBJECT)
        {
            return self.object(rules, reader);
        }
        self.value_apart(root, reader)
    }

    /// The same where it stands once for many.
    #[inline(never)]
    pub(in super::super) fn value_apart(
        &mut self,
        node: u32,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop> {
        self.value(node, reader)
    }

    #[cold]
    #[inline(never)]
    fn anything(&mut self, reader: &mut Reader<'_>) -> Result<(), Stop> {
        Ok(reader.skip().map(drop)?)
    }

    /// A node that cannot be answered by its own rules alone.
    #[inline(never)]
    fn combined(&mut self, node: &'s Node, reader: &mut Reader<'_>) -> Result<(), Stop> {
        match node.way {
            Way::Switch => self.switch(node, reader),
            Way::Own | Way::Parts => self.parts(node, reader),
        }
    }

    /// What the node says by itself. It hands on to functions of their own, so that it needs hardly
    /// any stack and few registers.
    #[inline(never)]
    pub(super) fn own(&mut self, node: &'s Node, reader: &mut Reader<'_>) -> Result<(), Stop> {
        match reader.peek() {
            Some(b'"') if node.types.contains(Types::STRING) => self.string(node, reader),
            Some(b'{') if node.types.contains(Types::OBJECT) => {
                if node.literals != NONE {
                    return self.container_with_literals(node, reader);
                }
                match self.program.objects.get(node.object as usize) {
                    Some(rules) => self.object(rules, reader),
                    None => Ok(reader.skip().map(drop)?),
                }
            }
            Some(b'[') if node.types.contains(Types::ARRAY) => {
                if node.literals != NONE {
                    return self.container_with_literals(node, reader);
                }
                match self.program.arrays.get(node.array as usize) {
                    Some(rules) => self.array(rules, reader),
                    None => Ok(reader.skip().map(drop)?),
                }
            }
            Some(b'-' | b'0'..=b'9') if node.types.meets(Types::NUMBER) => {
                self.number(node, reader)
            }
            Some(b't' | b'f') if node.types.contains(Types::BOOLEAN) => self.word(node, reader),
            Some(b'n') if node.types.contains(Types::NULL) => self.word(node, reader),
            _ => self.mismatch(node, reader),
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn mismatch(&mut self, node: &'s Node, reader: &mut Reader<'_>) -> Result<(), Stop> {
        if !R::COLLECTS {
            return Err(Stop::Invalid);
        }
        let start = reader.mark();
        let text = reader.skip()?;
        self.report.fail_type(node.types, text, start.offset())
    }

    /// The one alternative that the first byte leaves.
    #[inline]
    fn switch(&mut self, node: &'s Node, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let kind = reader.peek().and_then(Types::index_of_first_byte);
        let branch = match self.program.parts(node.parts).first() {
            Some(Part::Switch { table, .. }) => self.branch(*table, kind),
            _ => NONE,
        };
        match self.program.node(branch) {
            Some(node) if node.way == Way::Own => self.own(node, reader),
            // Alternatives in alternatives are rare, and there the nesting is counted.
            Some(_) => self.nested(|this| this.value_apart(branch, reader)),
            None => self.mismatch(node, reader),
        }
    }

    pub(super) fn branch(&self, table: u32, kind: Option<usize>) -> u32 {
        let table = self.program.switches.get(table as usize);
        table.zip(kind).and_then(|(table, kind)| table.get(kind).copied()).unwrap_or(NONE)
    }

    /// Does something one part deeper.
    #[inline]
    pub(super) fn nested<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        self.nesting = self.nesting.checked_sub(1).ok_or(Stop::OutOfSteps)?;
        let result = work(self);
        self.nesting += 1;
        result
    }

    /// Goes back to read something again, which costs steps.
    #[inline]
    pub(super) fn rewind(&mut self, reader: &mut Reader<'_>, mark: Mark) -> Result<(), Stop> {
        self.steps.take(reader.position().saturating_sub(mark.offset()))?;
        reader.return_to(mark);
        Ok(())
    }

    /// Whether the value at the reader matches a node. If so, the reader stands behind it.
    pub(super) fn probe(&mut self, node: u32, reader: &mut Reader<'_>) -> Result<bool, Stop> {
        if R::COLLECTS {
            return self.probe_silently(node, reader);
        }
        let (seen, bits, scope) = (self.seen.len(), self.bits.len(), self.scope.len());
        match self.value_apart(node, reader) {
            Ok(()) => Ok(true),
            Err(Stop::Invalid) => {
                self.seen.truncate(seen);
                self.bits.truncate(bits);
                self.scope.truncate(scope);
                Ok(false)
            }
            Err(stop) => Err(stop),
        }
    }

    #[inline(never)]
    fn probe_silently(&mut self, node: u32, reader: &mut Reader<'_>) -> Result<bool, Stop> {
        let mut other = self.beside(Silent);
        let result = other.probe(node, reader);
        self.take_back(other);
        result
    }

    /// What is wrong with the value at `mark` for a node, in a few words.
    #[inline(never)]
    pub(super) fn explain(
        &mut self,
        node: u32,
        reader: &mut Reader<'_>,
        mark: Mark,
    ) -> Result<Option<String>, Stop> {
        self.rewind(reader, mark)?;
        let scope = self.scope.len();
        let mut other = self.beside(Collector::new(1, false));
        let result = other.value_apart(node, reader);
        // It stops in the middle of things, where resources are still on the scope.
        other.scope.truncate(scope);
        let report = self.take_back(other);
        match result {
            Ok(()) | Err(Stop::Enough) => {}
            Err(stop) => return Err(stop),
        }
        let first = report.violations.into_iter().next();
        Ok(first.map(|violation| match violation.instance_path.as_str() {
            "" => violation.message,
            path => format!("{path} {}", violation.message),
        }))
    }

    /// Another evaluation in the same state, with its own report.
    fn beside<Q: Report>(&mut self, report: Q) -> Evaluator<'s, Q> {
        let mut other = Evaluator::new(self.program, report, self.steps, self.nesting);
        other.scope = std::mem::take(&mut self.scope);
        other
    }

    /// Goes on where another evaluation ended, and gives its report.
    fn take_back<Q: Report>(&mut self, other: Evaluator<'s, Q>) -> Q {
        self.steps = other.steps;
        self.scope = other.scope;
        self.duplicate = other.duplicate;
        self.entered |= other.entered;
        self.finished = other.finished;
        other.report
    }
}
