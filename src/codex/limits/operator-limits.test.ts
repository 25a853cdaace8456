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
  ['danger-full-access without permission', {}, 'danger-full-access', DANGEROUS],
  ['an unknown sandbox', {}, 'none-at-all', DANGEROUS],
  ['above the maximum', { maxSandbox: 'read-only' }, 'workspace-write', AT_MOST],
  [
    'danger-full-access with permission, but above the maximum',
    { maxSandbox: 'read-only', allowsDanger: true },
    'danger-full-access',
    AT_MOST,
  ],
  ['danger-full-access with permission', { allowsDanger: true }, 'danger-full-access', undefined],
  ['the maximum', { maxSandbox: 'workspace-write' }, 'workspace-write', undefined],
  ['below the maximum', { maxSandbox: 'workspace-write' }, 'read-only', undefined],
])('checks a requested sandbox: %s', (_, over, sandbox, message) => {
  const ask = () => assertSandboxAllowed({ ...OPEN, ...over }, sandbox);
  if (message === undefined) return expect(ask()).toBeUndefined();
  expect(ask).toThrow(expect.objectContaining({ code: 'DENIED', message: expect.stringMatching(message) }));
});

test.each<[string, Partial<OperatorLimits>, string | undefined, boolean, boolean]>([
  ['too wide because of the config of the caller', {}, 'danger-full-access', true, true],
  ['too wide because of the config of the user', {}, 'danger-full-access', false, false],
  ['wider than the operator allows, whoever requested it', { maxSandbox: 'read-only' }, 'workspace-write', false, true],
  ['unknown, with an operator limit', { maxSandbox: 'read-only' }, undefined, false, true],
  ['unknown, without an operator limit', {}, undefined, true, false],
  ['within the limit', { maxSandbox: 'workspace-write' }, 'read-only', true, false],
])('checks the effective sandbox: %s', (_, over, sandbox, isCallersConfig, isRefused) => {
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
])('checks the folder of a session: %s', async (path, isInside) => {
  const operatorLimits = { ...OPEN, roots: [join(root, 'inside')] };
  expect(isPathAllowed(operatorLimits, join(root, path))).toBe(isInside);
  expect(isPathAllowed(OPEN, join(root, path))).toBe(true);
});

test('names the roots that a path is outside of', () => {
  const path = join(root, 'outside');
  const operatorLimits = { ...OPEN, roots: [join(root, 'inside'), '/nowhere'] };

  expect(() => assertPathAllowed(operatorLimits, path, 'workingDirectory:')).toThrow(
    expect.objectContaining({
      code: 'DENIED',
      message: `workingDirectory: ${path} is outside of the folders that the operator of this server allows (--allow-root): ${join(root, 'inside')}, /nowhere`,
      data: { path },
    }),
  );
});

test('a sandbox, folders or an approval restriction count as limits', () => {
  expect([
    hasLimits(OPEN),
    hasLimits({ ...OPEN, roots: ['/a'] }),
    hasLimits({ ...OPEN, maxSandbox: 'read-only' }),
    hasLimits({ ...OPEN, restrictsApprovals: true }),
  ]).toEqual([false, true, true, true]);
});

test('limits without a folder restrict sessions to the folder of the server', () => {
  const inside = join(root, 'inside');
  const limited = { ...OPEN, maxSandbox: 'workspace-write' } as const;
  expect(withDefaultRoot(limited, join(root, 'leads-in'))).toEqual({ ...limited, roots: [inside], isConfined: true });
  expect(withDefaultRoot({ ...limited, allowsDanger: true }, inside).roots).toEqual([]);
  expect(withDefaultRoot(OPEN, inside).roots).toEqual([]);
});
