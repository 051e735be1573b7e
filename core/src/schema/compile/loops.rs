//! Schemas that would lead to themselves without reading anything.

use super::super::arena::Part;
use super::super::error::SchemaError;
use super::compiler::Compiler;

/// Refuses a schema whose references certainly come back to where they began, on the same value.
///
/// What depends on the value (`then`, later alternatives, `dependentSchemas`, a dynamic scope) is left
/// to the bounds of validation.
pub(super) fn refuse(compiler: &Compiler<'_>) -> Result<(), SchemaError> {
    let count = compiler.program.nodes.len();
    let mut colours = vec![Colour::New; count];
    for start in 0..count as u32 {
        if let Some(node) = find_loop(compiler, start, &mut colours)
            && let Some(Some(place)) = compiler.origins.get(node as usize)
        {
            let reason = "applies itself to the same value without end; break the circle of \
                          references"
                .to_owned();
            return Err(compiler.documents.refuse(*place, place.text, reason));
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Colour {
    New,
    Open,
    Done,
}

/// Searches in depth, with a stack of its own.
fn find_loop(compiler: &Compiler<'_>, start: u32, colours: &mut [Colour]) -> Option<u32> {
    let mut path = vec![(start, 0)];
    if colours.get(start as usize) != Some(&Colour::New) {
        return None;
    }
    set(colours, start, Colour::Open);
    while let Some((node, step)) = path.last_mut() {
        let next = certain_step(compiler, *node, *step);
        *step += 1;
        match next {
            Some(next) => match colours.get(next as usize) {
                Some(Colour::Open) => return Some(next),
                Some(Colour::New) => {
                    set(colours, next, Colour::Open);
                    path.push((next, 0));
                }
                _ => {}
            },
            None => {
                set(colours, *node, Colour::Done);
                path.pop();
            }
        }
    }
    None
}

fn set(colours: &mut [Colour], node: u32, colour: Colour) {
    if let Some(slot) = colours.get_mut(node as usize) {
        *slot = colour;
    }
}

/// The schema that part number `step` certainly applies to the same value; nodes that need none are
/// the one that everything matches, which leads nowhere.
fn certain_step(compiler: &Compiler<'_>, node: u32, step: usize) -> Option<u32> {
    let program = &compiler.program;
    let part = program.parts(program.node(node)?.parts).get(step)?;
    let leads_nowhere = super::super::arena::TRUE;
    Some(match part {
        Part::Apply(node) | Part::Not(node) | Part::If { condition: node, .. } => *node,
        Part::Any(branches) | Part::One(branches) => {
            program.list(*branches).first().copied().unwrap_or(leads_nowhere)
        }
        Part::Dynamic { anchor, otherwise } => match program.anchors.get(*anchor as usize) {
            Some(row) if row.len() == 1 => *otherwise,
            _ => leads_nowhere,
        },
        _ => leads_nowhere,
    })
}
