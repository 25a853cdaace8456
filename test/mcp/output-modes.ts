import { expect } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { configure } from './test-report.ts';
import { GLOBAL, type Testbed } from './testbed.ts';

/** For each verb, arguments that work, and arguments with an unknown name (for `add`, an existing one). */
const VERBS: Readonly<Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>> = {
  add: { good: ['new', 'https://x/mcp', '--scope', 'global'], bad: ['one', 'https://x/mcp', '--scope', 'global'] },
  list: { good: [], bad: ['--scope', 'nowhere'] },
  get: { good: ['one'], bad: ['nobody'] },
  remove: { good: ['one', '--scope', 'global'], bad: ['nobody'] },
  enable: { good: ['off', '--scope', 'global'], bad: ['nobody'] },
  disable: { good: ['one', '--scope', 'global'], bad: ['nobody'] },
  test: { good: ['one'], bad: ['nobody'] },
  login: { good: ['web'], bad: ['nobody'] },
  logout: { good: ['web'], bad: ['nobody'] },
};
export const verbRows = Object.entries(VERBS).map(([verb, { good, bad }]) => ({
  verb,
  good: [verb, ...good],
  bad: [verb, ...bad],
}));

/** Configures the servers that the rows use. */
export function withServers(testbed: Testbed, url = 'http://127.0.0.1:9/mcp'): Testbed {
  return configure(testbed, { one: fixture('well-behaved'), off: { command: 'x', enabled: false }, web: { url } });
}

/** A truncated config file, with the error on its second line. */
export function withBrokenConfig(testbed: Testbed): Testbed {
  testbed.write(GLOBAL, '{\n  "version": 1, "mcp": {');
  return testbed;
}

const MAX_MS = 50_000;

/**
 * Runs a command plain, with `--verbose` and an open stdin, and with `--json`, each in its own
 * testbed. Without a terminal, commands must not prompt or wait for input: each must exit soon.
 */
export async function runInAllModes(open: () => Testbed, args: readonly string[]) {
  const [plain, verbose, json] = await Promise.all([
    run(open(), args, false),
    run(open(), [...args, '--verbose'], true),
    run(open(), [...args, '--json'], true),
  ]);
  return { plain, verbose, json, statuses: [plain.status, verbose.status, json.status] };
}

/** Expects an empty stdout and the reason on stderr, as one document with `--json`. */
export async function expectFailure(
  open: () => Testbed,
  args: readonly string[],
  { status, code }: { readonly status: number; readonly code: string },
): Promise<string> {
  const { plain, verbose, json, statuses } = await runInAllModes(open, args);
  expect([statuses, plain.stdout, verbose.stdout, json.stdout]).toEqual([Array(3).fill(status), '', '', '']);
  expect(plain.stderr).toMatch(/\S\n$/);
  expect(oneDocument(json.stderr)).toMatchObject({ error: { code, message: expect.stringMatching(/\S/) } });
  return plain.stderr;
}

/** The complete text, which must be one line. */
export function oneDocument(text: string): unknown {
  expect(text).toMatch(/^[^\n]+\n$/);
  return JSON.parse(text);
}

async function run(testbed: Testbed, args: readonly string[], keepsStdin: boolean) {
  const startedAt = performance.now();
  const { status, stdout, stderr } = await testbed.run(['mcp', ...args], { keepsStdin });
  expect(performance.now() - startedAt).toBeLessThan(MAX_MS);
  return { status, stdout: steady(stdout, testbed), stderr: steady(stderr, testbed) };
}

/** Replaces folders, times and process ids, which differ between runs. */
function steady(text: string, { folder }: Testbed): string {
  return text
    .replaceAll(folder, '')
    .replaceAll(/ *\d+ ms/g, ' ms')
    .replaceAll(/pid \d+/g, 'pid')
    .replaceAll(/"ms":\d+/g, '"ms":0');
}
