import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command line of a program. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/** Options for a silent gateway that waits long enough for servers on a busy machine. */
export const longTimeoutEnv = {
  WRAPPER_NO_SUMMARY: '1',
  WRAPPER_TOOLS_LIST_TIMEOUT_MS: '25000',
  WRAPPER_INIT_TIMEOUT_MS: '25000',
};

/** The built command line of the product, with these arguments. */
export function switchboard(...args: readonly string[]): CommandLine {
  const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
  return { command: process.execPath, args: [cli, ...args] };
}

const officialServers = {
  everything: () => import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  filesystem: () => import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
};

/** One of the official servers. */
export function officialServer(name: keyof typeof officialServers, ...args: readonly string[]): CommandLine {
  return { command: process.execPath, args: [fileURLToPath(officialServers[name]()), ...args] };
}

/** A server of this folder, written for one test. */
export function ownServer(name: string, ...args: readonly string[]): CommandLine {
  return {
    command: process.execPath,
    args: [fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url)), ...args],
  };
}

type Servers = Readonly<Record<string, CommandLine & { readonly env?: Readonly<Record<string, string>> }>>;

/** `switchboard gateway` with a config of its own, in a folder that is removed when it is disposed. */
export interface ConfiguredGateway extends CommandLine, Disposable {
  readonly folder: string;
  /** For servers whose arguments depend on the folder. */
  configure(servers: Servers): void;
}

export function gatewayFor(servers: Servers = {}): ConfiguredGateway {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-interop-'));
  const file = join(folder, 'servers.json');
  const configure = (mcpServers: Servers) => writeFileSync(file, JSON.stringify({ mcpServers }));
  configure(servers);
  return {
    ...switchboard('gateway', '--config', file),
    folder,
    configure,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
