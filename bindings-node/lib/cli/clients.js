'use strict';

// The clients that `mcplite install` knows: where each keeps its servers, and in which words.

const os = require('node:os');
const path = require('node:path');

const { usage } = require('./terminal.js');

/** One client program: its files, the member with its servers, and what it wants to know. */
class Client {
  #project;
  #user;
  #hasType;

  constructor({ name, title, project = null, user = null, member = 'mcpServers', hasType = false, isToml = false, after }) {
    Object.assign(this, { name, title, member, isToml, after });
    this.#project = project;
    this.#user = user;
    this.#hasType = hasType;
  }

  /** What the client is told about one server. */
  entry(command, args, env) {
    return { ...(this.#hasType && { type: 'stdio' }), command, args, ...(Object.keys(env).length > 0 && { env }) };
  }

  /** Where the client looks for servers: of this project, or of this user. */
  file(scope, project) {
    const where = scope ?? (this.#project && !this.isToml ? 'project' : 'user');
    if (where === 'project' && this.#project) return path.join(project, ...this.#project.split('/'));
    if (where === 'user' && this.#user) {
      const [base, ...parts] = this.#user.split('/');
      return path.join(folder(base), ...parts);
    }
    const hint = this.name === 'claude-code' ? "its own command does that: claude mcp add-json --scope user NAME '{…}'"
      : `use --scope ${where === 'project' ? 'user' : 'project'}`;
    throw usage(`${this.title} has no file for --scope ${where} that can be edited`, hint);
  }
}

const CLIENTS = [
  new Client({
    name: 'claude-code',
    title: 'Claude Code',
    project: '.mcp.json',
    hasType: true,
    after: 'start claude in that folder and approve the server; /mcp shows it',
  }),
  new Client({
    name: 'claude-desktop',
    title: 'Claude Desktop',
    user: '<applications>/Claude/claude_desktop_config.json',
    after: 'quit Claude Desktop and start it again',
  }),
  new Client({
    name: 'cursor',
    title: 'Cursor',
    project: '.cursor/mcp.json',
    user: '<home>/.cursor/mcp.json',
    after: 'see Cursor Settings, Tools & MCP',
  }),
  new Client({
    name: 'vscode',
    title: 'VS Code',
    project: '.vscode/mcp.json',
    user: '<applications>/Code/User/mcp.json',
    member: 'servers',
    hasType: true,
    after: 'run the command `MCP: List Servers` and start it',
  }),
  new Client({
    name: 'codex',
    title: 'Codex',
    project: '.codex/config.toml',
    user: '<codex>/config.toml',
    member: 'mcp_servers',
    isToml: true,
    after: 'start codex again; /mcp shows the server',
  }),
];

function folder(base) {
  const home = os.homedir();
  if (base === '<codex>') return process.env.CODEX_HOME || path.join(home, '.codex');
  return base === '<applications>' ? applications(home) : home;
}

/** Where programs keep their settings on this system. */
function applications(home) {
  if (process.platform === 'darwin') return path.join(home, 'Library', 'Application Support');
  if (process.platform === 'win32') return process.env.APPDATA || path.join(home, 'AppData', 'Roaming');
  return process.env.XDG_CONFIG_HOME || path.join(home, '.config');
}

module.exports = { CLIENTS };
