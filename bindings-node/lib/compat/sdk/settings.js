'use strict';

/** The settings of the engine for what a program says of its server. */
function settingsOf(info, capabilities, { instructions, limits, timeout }) {
  const { name, version, title, icons, metadata = {} } = info;
  const { description = metadata.description, websiteUrl = metadata.homepage } = info;
  const { logging, experimental, extensions } = capabilities;
  const declare = {};
  for (const kind of ['tools', 'resources', 'prompts', 'completions']) {
    if (capabilities[kind]) declare[kind] = true;
  }
  const settings = {
    name, version, title, description, websiteUrl, icons, instructions, limits, timeout, experimental, extensions, declare,
    logging: Boolean(logging),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Capabilities with others added, each with the members of both. */
function merged(capabilities, others) {
  const sum = { ...capabilities };
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined) sum[name] = { ...sum[name], ...value };
  }
  return sum;
}

module.exports = { merged, settingsOf };
