import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterEach, describe, expect, test } from 'vitest';
import type {
  PermissionAnswer,
  PermissionOptions,
  PermissionQuestion,
  PermissionRequest,
} from '../../src/host/permissions/permission-options.ts';
import { createPermissions } from '../../src/host/permissions/permissions.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';

const processes = trackProcesses();
const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');

const made: string[] = [];
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

const call: PermissionRequest = {
  server: 'files',
  kind: 'tool',
  identity: 'files at home',
  tool: 'write',
  definition: '{"name":"write"}',
  title: 'Write',
  description: 'Writes a file.',
  annotations: { readOnlyHint: false },
  arguments: { path: '/tmp/x', content: 'correct horse' },
};

describe('permissions', () => {
  verifies(
    'host:permission:default',
    'without a rule, the user is asked, and the call is denied if no user can be asked',
    async () => {
      const { permissions, questions } = open({ confirm: () => true });
      expect(await permissions.decide(call)).toMatchObject({ isAllowed: true, by: 'person' });
      expect(questions.map(({ why }) => why)).toEqual(['no rule applies to it']);
      // Annotations of the server change nothing.
      const harmless = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
      await permissions.decide({ ...call, tool: 'read', annotations: harmless });
      expect(questions).toHaveLength(2);
      const alone = createPermissions({}, { now: Date.now, warn: () => {} });
      expect(await alone.decide({ ...call, annotations: harmless })).toMatchObject({ isAllowed: false, by: 'default' });
    },
  );

  verifies('host:permission:shown', 'the question shows the server, tool and arguments', async () => {
    const { permissions, questions } = open({ confirm: () => false });
    await permissions.decide(call);
    expect(questions).toEqual([
      {
        server: 'files',
        kind: 'tool',
        tool: 'write',
        title: 'Write',
        description: 'Writes a file.',
        arguments: { path: '/tmp/x', content: 'correct horse' },
        argumentsText: '{\n  "path": "/tmp/x",\n  "content": "correct horse"\n}',
        annotations: { readOnlyHint: false },
        why: 'no rule applies to it',
      },
    ]);
  });

  verifies('host:safety:metadata', 'annotations of a server lower no permission, and are shown sanitized', async () => {
    const allow = (server?: string): PermissionOptions => ({
      rules: [{ ...(server === undefined ? {} : { server }), annotations: { readOnlyHint: true }, decide: 'allow' }],
    });
    for (const server of [undefined, '*', 'fil*'])
      expect(() => createPermissions(allow(server), { now: Date.now, warn: () => {} })).toThrow(
        expect.objectContaining({
          code: 'USAGE',
          message: expect.stringMatching(/^permissions\.rules\[0\]\.annotations .*are trusted only if the application/),
        }),
      );
    // Another server may claim the same, but the rule does not name it.
    const { permissions, questions } = open({ ...allow('mail'), confirm: () => false });
    const hostile = '\u001b]52;c;eA==\u0007\u001b[2J\u202eharmless\u{e0041}\r';
    const asked = { ...call, annotations: { readOnlyHint: true, title: hostile } };
    const decision = await permissions.decide({ ...asked, tool: hostile, title: hostile, description: hostile });
    expect(decision).toMatchObject({ isAllowed: false, by: 'person' });
    expect(questions).toEqual([
      {
        server: 'files',
        kind: 'tool',
        tool: '\\u001b]52;c;eA==\\u0007\\u001b[2J\\u202eharmless\\udb40\\udc41\\u000d',
        title: 'harmless',
        description: 'harmless',
        arguments: call.arguments,
        argumentsText: expect.any(String),
        annotations: { readOnlyHint: true },
        why: 'no rule applies to it',
      },
    ]);
    expect(decision.tool).toBe(questions[0]?.tool);
  });

  test('truncate long texts from a server', async () => {
    const { permissions, questions } = open({ confirm: () => false });
    const long = 'x'.repeat(1_000_000);
    const many = Array.from({ length: 10_000 }, () => 'word');
    await permissions.decide({ ...call, tool: long, title: long, description: long, arguments: { long, many } });
    const [question] = questions;
    const lengths = [question?.tool, question?.title, question?.description, question?.argumentsText];
    expect(lengths.map((text) => text?.length)).toEqual([
      512,
      200,
      4096,
      4096 + '\n[1105931 more characters are not shown]'.length,
    ]);
  });
});

describe('a decision file', () => {
  test('applies to the next host and to a concurrent one, and contains no arguments', async () => {
    const file = join(newFolder(), 'private', 'permissions.json');
    const first = open({ file, confirm: () => ({ allow: true, remember: 'arguments' }) });
    const second = open({ file });
    expect((await second.permissions.decide(call)).isAllowed).toBe(false);
    expect((await first.permissions.decide(call)).by).toBe('person');
    for (const { permissions } of [first, second, open({ file })])
      expect(await permissions.decide(call)).toMatchObject({ isAllowed: true, by: 'remembered' });
    expect(readFileSync(file, 'utf8')).not.toMatch(/horse|tmp|at home/);
    const modes = [join(file, '..'), file].map((path) => (statSync(path).mode & 0o777).toString(8));
    expect(modes).toEqual(['700', '600']);
    second.permissions.forget('files');
    expect((await first.permissions.decide(call)).by).toBe('person');
    expect([...first.warnings, ...second.warnings]).toEqual([]);
  });

  test('of a newer Switchboard is left unchanged: nothing is remembered, with a warning', async () => {
    const file = join(newFolder(), 'permissions.json');
    const newer = '{"version":2,"decisions":[]}';
    writeFileSync(file, newer);
    const { permissions, warnings } = open({ file, confirm: () => ({ allow: true, remember: 'tool' }) });
    expect([await permissions.decide(call), await permissions.decide(call)].map(({ by }) => by)).toEqual([
      'person',
      'person',
    ]);
    expect(warnings.map((text) => text.split(':')[0])).toEqual([
      'Remembered permissions are not used',
      'The decision is not remembered',
      'The decision is not remembered',
    ]);
    expect(() => permissions.forget()).toThrow(/This is version 2/);
    expect(readFileSync(file, 'utf8')).toBe(newer);
  });

  test('is shared by processes without losing a decision', async () => {
    const folder = newFolder();
    const file = join(folder, 'permissions.json');
    const modules = newFolder();
    const outfile = join(modules, 'permissions.mjs');
    const entryPoints = [join(root, 'src/host/permissions/permissions.ts')];
    await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node' });
    const fixture = join(import.meta.dirname, 'fixtures', 'remembers-decisions.mjs');
    const letters = ['a', 'b', 'c'];
    const outputs = await Promise.all(
      letters.map((letter) =>
        run(process.execPath, [fixture, pathToFileURL(outfile).href, file, letter, '20'], { env: processes.env() }),
      ),
    );
    expect(outputs.map(({ stderr }) => stderr)).toEqual(['', '', '']);
    const { permissions } = open({ file });
    const tools = letters.flatMap((letter) => Array.from({ length: 20 }, (_, time) => `${letter}${time}`));
    const decisions = await Promise.all(
      tools.map((tool) => permissions.decide({ ...call, tool, definition: JSON.stringify({ name: tool }) })),
    );
    expect(decisions.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
    expect(readdirSync(folder)).toEqual(['permissions.json']);
  });
});

function open({
  confirm,
  ...options
}: Omit<PermissionOptions, 'confirm'> & { readonly confirm?: () => PermissionAnswer }) {
  const warnings: string[] = [];
  const questions: PermissionQuestion[] = [];
  const ask = (question: PermissionQuestion) => {
    questions.push(question);
    return confirm?.() ?? false;
  };
  const around = { now: () => Date.now(), warn: (text: string) => void warnings.push(text) };
  const permissions = createPermissions(confirm === undefined ? options : { ...options, confirm: ask }, around);
  return { permissions, warnings, questions };
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-permissions-'));
  made.push(folder);
  return folder;
}
