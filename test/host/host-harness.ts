import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { type AgentTool, createHost, type Host, type HostOptions } from '../../src/host/index.ts';
import { type HttpHarness, httpHarness } from '../http/harness.ts';

interface HostHarness extends Pick<HttpHarness, 'processes' | 'openFixture' | 'reopenFixture' | 'openServer'> {
  /** A host in this process that does not read the user's config. It is closed when its test ends. */
  openHost(options: HostOptions): Promise<Host>;
  newFolder(): string;
}

/** How long a test waits for an expected event. */
export const WITHIN = { timeout: 30_000, interval: 20 };

/** Opens hosts that may call any tool, unless the test restricts them. */
const ALLOW_ALL: NonNullable<HostOptions['permissions']> = { rules: [{ decide: 'allow' }] };

export function hostHarness(): HostHarness {
  const { processes, openFixture, reopenFixture, openServer } = httpHarness();
  const hosts: Host[] = [];
  const folders: string[] = [];
  // Hooks run in reverse order: hosts close first, then servers, then the check for leftover processes runs.
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.close()));
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return {
    processes,
    openFixture,
    reopenFixture,
    openServer,
    async openHost(options) {
      const host = await createHost({ env: processes.env(), permissions: ALLOW_ALL, ...options });
      hosts.push(host);
      return host;
    },
    newFolder() {
      const folder = mkdtempSync(join(tmpdir(), 'switchboard-host-'));
      folders.push(folder);
      return folder;
    },
  };
}

/** The tool of a server, by the server's own name for it. */
export async function toolOf(host: Host, server: string, tool: string): Promise<AgentTool> {
  const tools = await host.tools({ timeoutMs: WITHIN.timeout });
  const found = tools.find(({ origin }) => origin?.server === server && origin.tool === tool);
  if (found === undefined) expect.fail(`no ${server}.${tool} among ${tools.map(({ name }) => name).join(', ')}`);
  return found;
}

/** Calls it and returns what an agent would read. */
export async function call(host: Host, server: string, tool: string, args: unknown = {}) {
  return (await toolOf(host, server, tool)).run(args);
}

/** A server that records its requests in this file. */
export function recorder(file: string): { readonly command: string; readonly args: readonly string[] } {
  return ownServer('records-calls', file);
}

/** A server of this folder. */
export function ownServer(name: string, ...args: readonly string[]) {
  return { command: process.execPath, args: [join(import.meta.dirname, 'fixtures', `${name}.mjs`), ...args] };
}

interface RecordedLine {
  readonly pid: number;
  readonly call?: string;
  readonly args?: unknown;
  readonly id?: unknown;
  readonly cancelled?: unknown;
  readonly read?: string;
  readonly prompt?: string;
}

export function linesOf(file: string): readonly RecordedLine[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as RecordedLine);
}

/** Returns a Switchboard config with these servers. Servers with a URL use HTTP. */
export function configOf(servers: Readonly<Record<string, object>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(servers).map(([id, server]) => [
    id,
    { transport: 'url' in server ? 'http' : 'stdio', ...server },
  ]);
  return { version: 1, mcp: { servers: Object.fromEntries(entries) } };
}

/** Returns every text in a value, one per line, as a terminal would show it. */
export function textsIn(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll('\n', ' ');
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([key, member]) => `${key} ${textsIn(member)}`)
    .join('\n');
}

/** Characters that control a terminal, change the text direction, or are invisible. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
export const HARMFUL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/u;
