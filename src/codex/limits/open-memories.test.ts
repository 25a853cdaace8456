import { expect, test } from 'vitest';
import type { TurnPermissions } from '../engine.ts';
import { parseCodexVersion } from '../locate/codex-version.ts';
import { refuseMemories, refuseMemoriesByVersion } from './open-memories.ts';
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
};

test('rejects a Codex whose sessions can write to its memories under limits, and says what to do', () => {
  const refuse = (turn: Partial<TurnPermissions>, ceilings: OperatorLimits) =>
    refuseMemories({ ...TURN, ...turn }, { operatorLimits: ceilings, codexHome: '/home/codex' });
  expect(() => refuse({}, LIMITED)).toThrow(
    expect.objectContaining({ code: 'DENIED', message: expect.stringContaining('Update Codex') }),
  );
  expect(refuse({ sandbox: 'read-only' }, LIMITED)).toBeUndefined();
  expect(refuse({ writableRoots: ['/home/codex-memories'] }, LIMITED)).toBeUndefined();
  expect(refuse({}, OPEN)).toBeUndefined();
  expect(refuse({}, { ...LIMITED, allowsDanger: true })).toBeUndefined();
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
