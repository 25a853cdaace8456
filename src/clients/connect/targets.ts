import { existsSync } from 'node:fs';
import { type Environment, platformPath } from '../../config/files/folders.ts';
import { isObject } from '../../wire/messages.ts';
import { type Client, type ClientFile, type ClientId, findClient } from '../clients.ts';
import type { Edit } from './edits.ts';
import { valueAt } from './format/document-format.ts';

/** A program with its arguments. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

type Path = readonly string[];

/** How a client keeps servers in its config. */
export interface ConnectTarget {
  readonly client: Client;
  /** Returns the path of the object that holds the servers. */
  serversPath(content: unknown): Path;
  toEntry(line: CommandLine): Readonly<Record<string, unknown>>;
  /** Returns the edit that turns off a server at this path. */
  toDisabled(path: Path, content: unknown): Edit;
  /** Further edits without which the client would ignore a server of this name. */
  toAllowed(name: string, content: unknown): readonly Edit[];
}

/** Returns how to connect a client; undefined for an unknown id. */
export function findTarget(id: string): ConnectTarget | undefined {
  const client = findClient(id);
  return client === undefined ? undefined : { ...DEFAULTS, ...SHAPES[client.id], client };
}

/** Returns the file that applies to all projects: the first one that exists, otherwise the first one. */
export function userFile({ client }: ConnectTarget, environment: Environment): ClientFile {
  const files = client.files(environment).filter(({ project }) => project === undefined);
  const found = files.find(({ file }) => existsSync(file)) ?? files[0];
  if (found === undefined) throw new Error(`${client.id} has no file`);
  return found;
}

/** Returns whether a client seems to be installed: its file or its folder exists. */
export function isInstalled(target: ConnectTarget, environment: Environment): boolean {
  const { file } = userFile(target, environment);
  const { dirname, join } = platformPath(environment.platform);
  // The file of Claude Code is in the home folder, which always exists.
  const folder = target.client.id === 'claude' ? join(environment.home, '.claude') : dirname(file);
  return existsSync(file) || existsSync(folder);
}

type Shape = Partial<Omit<ConnectTarget, 'client'>>;

/** Most clients copy the format of Claude Desktop, which has no switch for a server. */
const DEFAULTS: Omit<ConnectTarget, 'client'> = {
  serversPath: () => ['mcpServers'],
  toEntry: ({ command, args }) => ({ command, args }),
  toDisabled: (path) => ({ kind: 'moved', path, value: undefined }),
  toAllowed: () => [],
};

const withType =
  (type: string) =>
  ({ command, args }: CommandLine) => ({ type, command, args });

const byKey =
  (key: string, value: boolean) =>
  (path: Path): Edit => ({ kind: 'switch', path: [...path, key], value });

const SHAPES: Readonly<Record<ClientId, Shape>> = {
  codex: { serversPath: () => ['mcp_servers'], toDisabled: byKey('enabled', false) },
  claude: { toEntry: withType('stdio') },
  'claude-desktop': {},
  cursor: {},
  vscode: { serversPath: () => ['servers'], toEntry: withType('stdio') },
  gemini: {
    toDisabled: (path) => ({ kind: 'listed', path: ['mcp', 'excluded'], item: path.at(-1) ?? '' }),
    // With such a list, Gemini starts no other server.
    toAllowed: (name, content) =>
      Array.isArray(valueAt(content, ['mcp', 'allowed']))
        ? [{ kind: 'listed', path: ['mcp', 'allowed'], item: name }]
        : [],
  },
  windsurf: { toDisabled: byKey('disabled', true) },
  zed: {
    serversPath: () => ['context_servers'],
    toEntry: ({ command, args }) => ({ source: 'custom', command, args, env: {} }),
    toDisabled: byKey('enabled', false),
  },
  opencode: {
    serversPath: (content) => (isSecondVersion(content) ? ['mcp', 'servers'] : ['mcp']),
    toEntry: ({ command, args }) => ({ type: 'local', command: [command, ...args] }),
    toDisabled: (path, content) => (isSecondVersion(content) ? byKey('disabled', true) : byKey('enabled', false))(path),
  },
  copilot: { toEntry: ({ command, args }) => ({ type: 'local', command, args, tools: ['*'] }) },
};

/** In the second version of opencode's format, servers are below `mcp.servers`. */
function isSecondVersion(content: unknown): boolean {
  const servers = valueAt(content, ['mcp', 'servers']);
  return isObject(servers) && !Object.hasOwn(servers, 'type');
}
