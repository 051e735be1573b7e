'use strict';

// What can be called, as commands.

const { firstLine } = require('./inspection.js');
const { styledResult } = require('./standard.js');
const { fields } = require('./schema.js');

/** The commands for everything that a server lists, each with a line about it. */
function menu({ tools, resources, resourceTemplates, prompts }, target) {
  const items = [
    ...tools.map((item) => [item, item.name, ...fields(item.inputSchema).map(asWord)]),
    ...resources.map((item) => [item, '--resource', item.uri]),
    ...resourceTemplates.map((item) => [item, '--resource', `'${item.uriTemplate}'`]),
    ...prompts.map((item) => [item, '--prompt', item.name, ...(item.arguments ?? []).map(asGap)]),
  ];
  if (items.length === 0) return [`There is nothing to call in ${target} yet.`];
  return items.flatMap(([{ description = '' }, ...words]) => {
    const about = firstLine(description);
    return [`mcplite call ${target} ${words.join(' ')}`, ...(about ? [`    ${styledResult(about, 'dim')}`] : [])];
  });
}

function asWord({ name, field, isRequired }) {
  return optional(`${name}=${field.label.replaceAll(' ', '-')}`, isRequired);
}

function asGap({ name, required }) {
  return optional(`${name}=…`, required);
}

function optional(word, isRequired) {
  return isRequired ? word : `[${word}]`;
}

module.exports = { menu };
