//! The last pass over a program: what can be decided before any value is seen.

use super::super::arena::{NONE, Node, Part, Span, Way};
use super::super::program::Program;
use super::super::types::Types;

/// Settles references, narrows types and decides how each node is evaluated.
pub(super) fn finish(program: &mut Program) {
    settle_dynamic(program);
    if program.anchors.is_empty() {
        bypass_mere_references(program);
    }
    for node in 0..program.nodes.len() {
        settle_alternatives(program, node);
    }
    for node in 0..program.nodes.len() {
        decide_way(program, node);
    }
    program.shrink();
}

/// A dynamic reference with one possible target is a plain one.
fn settle_dynamic(program: &mut Program) {
    let Some(extras) = program.extras_mut() else { return };
    for part in &mut extras.parts {
        if let Part::Dynamic { anchor, otherwise } = *part
            && extras.anchors.get(anchor as usize).is_none_or(|row| row.len() == 1)
        {
            *part = Part::Apply(otherwise);
        }
    }
    if extras.anchors.iter().all(|row| row.len() == 1) {
        extras.anchors.clear();
    }
}

/// Lets whatever leads to a schema that is nothing but a reference lead to its target.
///
/// There is no circle of them: those are refused before.
fn bypass_mere_references(program: &mut Program) {
    let targets = targets(program);
    let settle = |node: &mut u32| {
        if let Some(target) = targets.get(*node as usize) {
            *node = *target;
        }
    };
    let settle_some = |node: &mut Option<u32>| node.iter_mut().for_each(settle);
    settle(&mut program.root);
    program.lists.iter_mut().for_each(settle);
    program.names.all_entries_mut().iter_mut().for_each(|entry| settle(&mut entry.value));
    program.pattern_rules.iter_mut().for_each(|rule| settle(&mut rule.node));
    for rules in &mut program.arrays {
        settle_some(&mut rules.items);
        if let Some(contains) = &mut rules.contains {
            settle(&mut contains.node);
        }
    }
    for rules in &mut program.objects {
        settle_some(&mut rules.additional);
        settle_some(&mut rules.property_names);
    }
    for part in &mut program.parts {
        match part {
            Part::Apply(node)
            | Part::Not(node)
            | Part::Dependent { node, .. }
            | Part::UnevaluatedProperties(node)
            | Part::UnevaluatedItems(node) => settle(node),
            Part::If { condition, then, otherwise } => {
                settle(condition);
                settle(then);
                settle(otherwise);
            }
            Part::Dynamic { otherwise, .. } => settle(otherwise),
            Part::Any(_) | Part::One(_) | Part::Switch { .. } => {}
        }
    }
}

/// For each node, where the chain of mere references that begins there ends.
fn targets(program: &Program) -> Vec<u32> {
    let count = program.nodes.len();
    let mut targets = vec![NONE; count];
    let mut passed = Vec::new();
    for start in 0..count as u32 {
        let mut node = start;
        let end = loop {
            // Every node is followed once: whoever comes by later knows where it leads.
            match targets.get(node as usize) {
                Some(&known) if known != NONE => break known,
                _ => passed.push(node),
            }
            match mere_reference(program, node) {
                Some(next) if passed.len() <= count => node = next,
                _ => break node,
            }
        };
        for node in passed.drain(..) {
            if let Some(target) = targets.get_mut(node as usize) {
                *target = end;
            }
        }
    }
    targets
}

fn mere_reference(program: &Program, node: u32) -> Option<u32> {
    let node = program.node(node)?;
    match program.parts(node.parts) {
        [Part::Apply(target)] if !node.has_own_rules() => Some(*target),
        _ => None,
    }
}

/// Alternatives that all name their types narrow those of the node; if no two share a type, the first
/// byte of a value chooses between them.
fn settle_alternatives(program: &mut Program, number: usize) {
    let Some(node) = program.nodes.get(number).copied() else { return };
    let mut types = node.types;
    for at in node.parts.range() {
        let Some(Part::Any(branches) | Part::One(branches)) = program.parts.get(at).copied() else {
            continue;
        };
        types = types.intersection(union_of_types(program, branches));
        if let Some(table) = switch_table(program, branches)
            && let Some(extras) = program.extras_mut()
            && let Some(part) = extras.parts.get_mut(at)
        {
            *part = Part::Switch { table: extras.switches.len() as u32, branches };
            extras.switches.push(table);
        }
    }
    if let Some(node) = program.nodes.get_mut(number) {
        node.types = types;
    }
}

fn union_of_types(program: &Program, branches: Span) -> Types {
    let nodes = program.list(branches).iter().filter_map(|node| program.node(*node));
    nodes.fold(Types::NONE, |types, node| types.union(node.types))
}

/// The one branch for each first byte; `None` if there are two for one.
fn switch_table(program: &Program, branches: Span) -> Option<[u32; 6]> {
    let mut table = [NONE; 6];
    for branch in program.list(branches) {
        let types = program.node(*branch)?.types.by_first_byte();
        for (slot, kind) in table.iter_mut().zip(Types::FIRST_BYTES) {
            if types.meets(kind) {
                if *slot != NONE {
                    return None;
                }
                *slot = *branch;
            }
        }
    }
    Some(table)
}

fn decide_way(program: &mut Program, number: usize) {
    let is_dynamic = !program.anchors.is_empty();
    let Some(node) = program.nodes.get(number).copied() else { return };
    let untyped = Node { types: Types::ANY, ..node };
    let way = match program.parts(node.parts) {
        // The scope of dynamic references is kept where parts are evaluated.
        _ if is_dynamic && (node.object != NONE || node.array != NONE) => Way::Parts,
        [] => Way::Own,
        [Part::Switch { branches, .. }]
            if !untyped.has_own_rules()
                && node.types.contains(union_of_types(program, *branches)) =>
        {
            Way::Switch
        }
        _ => Way::Parts,
    };
    if let Some(node) = program.nodes.get_mut(number) {
        node.way = way;
    }
}
