import { type Environment, nonEmptyVariable, platformPath, resolvePath } from '../config/files/folders.ts';

/** A program that starts MCP servers from a config of its own. */
export interface Client {
  readonly id: ClientId;
  /** The name that its users know. */
  readonly title: string;
  /** Returns the files in which the client keeps servers, for every project first. They need not exist. */
  files(environment: Environment): readonly ClientFile[];
}

export type ClientId = (typeof CLIENT_IDS)[number];

/** Part of what users type and of stored files: they must not change. */
export const CLIENT_IDS = [
  'codex',
  'claude',
  'claude-desktop',
  'cursor',
  'vscode',
  'gemini',
  'windsurf',
  'zed',
  'opencode',
  'copilot',
] as const;

export interface ClientFile {
  readonly file: string;
  readonly format: 'json' | 'jsonc' | 'toml';
  /** The project that the file belongs to; undefined for a file that applies everywhere. */
  readonly project: string | undefined;
}

/** All clients, in the order in which they are shown. */
export const clients: readonly Client[] = [
  client('codex', 'Codex', (at) => [
    at.user('toml', at.home(codexHome(at.environment), 'config.toml')),
    at.project('toml', '.codex', 'config.toml'),
  ]),
  client('claude', 'Claude Code', (at) => [at.user('json', at.home('.claude.json')), at.project('json', '.mcp.json')]),
  client('claude-desktop', 'Claude Desktop', (at) => [
    at.user('json', at.application('Claude', 'claude_desktop_config.json')),
  ]),
  client('cursor', 'Cursor', (at) => [
    at.user('jsonc', at.home('.cursor', 'mcp.json')),
    at.project('jsonc', '.cursor', 'mcp.json'),
  ]),
  client('vscode', 'VS Code', (at) => [
    at.user('jsonc', at.application('Code', 'User', 'mcp.json')),
    at.project('jsonc', '.vscode', 'mcp.json'),
  ]),
  client('gemini', 'Gemini CLI', (at) => [
    at.user('jsonc', at.home('.gemini', 'settings.json')),
    at.project('jsonc', '.gemini', 'settings.json'),
  ]),
  client('windsurf', 'Windsurf', (at) => [at.user('json', at.home('.codeium', 'windsurf', 'mcp_config.json'))]),
  client('zed', 'Zed', (at) => [
    at.user('jsonc', at.config('zed', 'settings.json')),
    at.project('jsonc', '.zed', 'settings.json'),
  ]),
  client('opencode', 'opencode', (at) => [
    at.user('jsonc', at.config('opencode', 'opencode.json')),
    at.user('jsonc', at.config('opencode', 'opencode.jsonc')),
    at.project('jsonc', 'opencode.json'),
    at.project('jsonc', 'opencode.jsonc'),
  ]),
  client('copilot', 'GitHub Copilot CLI', (at) => [at.user('json', at.home('.copilot', 'mcp-config.json'))]),
];

export function findClient(id: string): Client | undefined {
  return clients.find((one) => one.id === id);
}

/** Builds paths on the platform of an environment. */
interface Places {
  readonly environment: Environment;
  user(format: ClientFile['format'], file: string): ClientFile;
  project(format: ClientFile['format'], ...path: readonly string[]): ClientFile;
  /** Below the home folder; a first absolute part replaces it. */
  home(...path: readonly string[]): string;
  /** Below the folder for the configs of command-line programs. */
  config(...path: readonly string[]): string;
  /** Below the folder for the data of desktop applications. */
  application(...path: readonly string[]): string;
}

function client(id: ClientId, title: string, files: (at: Places) => readonly ClientFile[]): Client {
  return { id, title, files: (environment) => files(placesIn(environment)) };
}

function placesIn(environment: Environment): Places {
  const { env, home, platform, cwd } = environment;
  const path = platformPath(platform);
  const config = nonEmptyVariable(env, 'XDG_CONFIG_HOME') ?? path.join(home, '.config');
  const roaming = nonEmptyVariable(env, 'APPDATA') ?? path.join(home, 'AppData', 'Roaming');
  const desktop = { win32: roaming, darwin: path.join(home, 'Library', 'Application Support') };
  const applications = platform === 'win32' || platform === 'darwin' ? desktop[platform] : config;
  return {
    environment,
    user: (format, file) => ({ file, format, project: undefined }),
    project: (format, ...parts) => ({ file: path.join(cwd, ...parts), format, project: cwd }),
    home: (...parts) => path.resolve(home, ...parts),
    config: (...parts) => path.join(platform === 'win32' ? roaming : config, ...parts),
    application: (...parts) => path.join(applications, ...parts),
  };
}

/** Codex expands a leading `~`. */
function codexHome(environment: Environment): string {
  return resolvePath(nonEmptyVariable(environment.env, 'CODEX_HOME') ?? '~/.codex', environment);
}
