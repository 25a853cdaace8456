import { expect, test } from 'vitest';
import type { TurnPermissions } from '../engine.ts';
import { parseCodexVersion } from '../locate/codex-version.ts';
import { refuseMemoriesByVersion, withoutMemories } from './open-memories.ts';
import type { OperatorLimits } from './operator-limits.ts';

const LIMITED: OperatorLimits = { maxSandbox: 'workspace-write', allowsDanger: false, roots: ['/somewhere'] };
const OPEN: OperatorLimits = { maxSandbox: 'danger-full-access', allowsDanger: false, roots: [] };
/** As Codex 0.118 to 0.128 reports them. */
const TURN: TurnPermissions = {
  sandbox: 'workspace-write',
  cwd: '/somewhere',
  writableRoots: ['/home/codex/memories'],
  tempFolders: [],
  hasNetwork: false,
  opensMemories: true,
};

test('rejects a Codex whose sessions can write to its memories under limits, and says what to do', () => {
  const foldersOf = (turn: Partial<TurnPermissions>, ceilings: OperatorLimits) =>
    withoutMemories({ ...TURN, ...turn }, { operatorLimits: ceilings, codexHome: '/home/codex' });
  expect(() => foldersOf({}, LIMITED)).toThrow(
    expect.objectContaining({ code: 'DENIED', message: expect.stringContaining('Update Codex') }),
  );
  expect(foldersOf({ sandbox: 'read-only' }, LIMITED)).toEqual([]);
  expect(foldersOf({ writableRoots: ['/home/codex-memories'] }, LIMITED)).toEqual(['/home/codex-memories']);
  expect(foldersOf({}, OPEN)).toEqual([]);
  expect(foldersOf({}, { ...LIMITED, allowsDanger: true })).toEqual([]);
});

test.each([
  ['0.92.0', false],
  ['0.118.0', true],
  ['0.128.0', true],
  ['0.138.0', false],
  ['0.166.0', false],
  ['of its own', true],
])('decides by version for codex exec, which does not report its permissions: %s', (version, isOpen) => {
  const refuse = (sandbox: string) =>
    refuseMemoriesByVersion(parseCodexVersion(`codex-cli ${version}`), { codexHome: '/home/codex', sandbox });
  if (isOpen) expect(() => refuse('workspace-write')).toThrow(expect.objectContaining({ code: 'DENIED' }));
  else expect(refuse('workspace-write')).toBeUndefined();
  expect(refuse('read-only')).toBeUndefined();
});
