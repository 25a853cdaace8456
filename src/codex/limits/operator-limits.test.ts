import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  assertEffectiveSandboxAllowed,
  assertPathAllowed,
  assertSandboxAllowed,
  hasLimits,
  isPathAllowed,
  type OperatorLimits,
  withDefaultRoot,
} from './operator-limits.ts';

const OPEN: OperatorLimits = { maxSandbox: 'danger-full-access', allowsDanger: false, roots: [] };
let root = '';

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'ceilings-')));
  for (const name of ['inside/deep', 'inside/..dots', 'inside-not', 'outside'])
    await mkdir(join(root, name), { recursive: true });
  await symlink(join(root, 'outside'), join(root, 'inside', 'leads-out'));
  await symlink(join(root, 'inside'), join(root, 'leads-in'));
});
afterAll(() => rm(root, { recursive: true }));

const DANGEROUS = /must allow it: switchboard codex --allow-dangerous \(or SWITCHBOARD_ALLOW_DANGEROUS=1\)/;
const AT_MOST = /allows at most \S+ \(--max-sandbox\)/;

test.each<[string, Partial<OperatorLimits>, string, RegExp | undefined]>([
  ['no sandbox, and nobody allowed danger', {}, 'danger-full-access', DANGEROUS],
  ['one that nobody knows', {}, 'none-at-all', DANGEROUS],
  ['more than the most', { maxSandbox: 'read-only' }, 'workspace-write', AT_MOST],
  [
    'no sandbox where danger is allowed, but not so much',
    { maxSandbox: 'read-only', allowsDanger: true },
    'danger-full-access',
    AT_MOST,
  ],
  ['no sandbox where danger is allowed', { allowsDanger: true }, 'danger-full-access', undefined],
  ['as much as the most', { maxSandbox: 'workspace-write' }, 'workspace-write', undefined],
  ['less', { maxSandbox: 'workspace-write' }, 'read-only', undefined],
])('a sandbox that is asked for: %s', (_, over, sandbox, message) => {
  const ask = () => assertSandboxAllowed({ ...OPEN, ...over }, sandbox);
  if (message === undefined) return expect(ask()).toBeUndefined();
  expect(ask).toThrow(expect.objectContaining({ code: 'DENIED', message: expect.stringMatching(message) }));
});

test.each<[string, Partial<OperatorLimits>, string | undefined, boolean, boolean]>([
  ["the caller's configuration brought about too much", {}, 'danger-full-access', true, true],
  ["the user's own configuration did", {}, 'danger-full-access', false, false],
  ['it is wider than the operator allows, whoever asked', { maxSandbox: 'read-only' }, 'workspace-write', false, true],
  ['it is not told, and the operator has a limit', { maxSandbox: 'read-only' }, undefined, false, true],
  ['it is not told, and nobody has a limit', {}, undefined, true, false],
  ['it is within the limit', { maxSandbox: 'workspace-write' }, 'read-only', true, false],
])('a sandbox that Codex gave: %s', (_, over, sandbox, isCallersConfig, isRefused) => {
  const check = () => assertEffectiveSandboxAllowed({ ...OPEN, ...over }, sandbox, isCallersConfig);
  if (!isRefused) return expect(check()).toBeUndefined();
  expect(check).toThrow(expect.objectContaining({ code: 'DENIED' }));
});

test.each([
  ['outside', false],
  ['inside-not', false],
  ['inside/leads-out', false],
  ['inside/../outside', false],
  ['.', false],
  ['inside/not-there-yet', true],
  ['not-there', false],
  ['inside', true],
  ['inside/deep', true],
  ['inside/..dots', true],
  ['leads-in/deep', true],
])('where a session may work: %s', async (path, isInside) => {
  const operatorLimits = { ...OPEN, roots: [join(root, 'inside')] };
  expect(isPathAllowed(operatorLimits, join(root, path))).toBe(isInside);
  expect(isPathAllowed(OPEN, join(root, path))).toBe(true);
});

test('a path outside of all roots is named with them', () => {
  const path = join(root, 'outside');
  const operatorLimits = { ...OPEN, roots: [join(root, 'inside'), '/nowhere'] };

  expect(() => assertPathAllowed(operatorLimits, path, 'workingDirectory:')).toThrow(
    expect.objectContaining({
      code: 'DENIED',
      message: `workingDirectory: ${path} lies outside of the folders that the operator of this server allows (--allow-root): ${join(root, 'inside')}, /nowhere`,
      data: { path },
    }),
  );
});

test('an operator has set limits by a sandbox, by folders or by who approves', () => {
  expect([
    hasLimits(OPEN),
    hasLimits({ ...OPEN, roots: ['/a'] }),
    hasLimits({ ...OPEN, maxSandbox: 'read-only' }),
    hasLimits({ ...OPEN, restrictsApprovals: true }),
  ]).toEqual([false, true, true, true]);
});

test('limits without a folder are limits to the folder of the server', () => {
  const inside = join(root, 'inside');
  const limited = { ...OPEN, maxSandbox: 'workspace-write' } as const;
  expect(withDefaultRoot(limited, join(root, 'leads-in'))).toEqual({ ...limited, roots: [inside], isConfined: true });
  expect(withDefaultRoot({ ...limited, allowsDanger: true }, inside).roots).toEqual([]);
  expect(withDefaultRoot(OPEN, inside).roots).toEqual([]);
});
