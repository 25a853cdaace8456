import { expect, test } from 'vitest';
import type { TurnPermissions } from '../engine.ts';
import type { OperatorLimits } from './operator-limits.ts';
import { assertPermissionsAllowed, type PermissionContext } from './turn-permissions.ts';

const NO_LIMITS: OperatorLimits = { maxSandbox: 'danger-full-access', allowsDanger: false, roots: [] };
const LIMITED: OperatorLimits = { maxSandbox: 'workspace-write', allowsDanger: false, roots: ['/work'] };
const CODEX_HOME = '/home/someone/.codex';

/** As Codex 0.118 to 0.128 reports every session that may write. */
const TURN: TurnPermissions = {
  sandbox: 'workspace-write',
  cwd: '/work',
  writableRoots: [`${CODEX_HOME}/memories`],
  tempFolders: [],
  hasNetwork: false,
  opensMemories: true,
};

const EMPTY_CONFIG: PermissionContext['user'] = {
  sandboxMode: undefined,
  approvalPolicy: undefined,
  defaultPermissions: undefined,
  writableRoots: [],
  excludesSlashTmp: false,
  hasNetwork: false,
  excludedVariables: [],
  commandPath: undefined,
  trustedFolders: [],
  servers: {},
};

test('the memories that Codex itself opens to its sessions are refused only under limits', () => {
  expect(() => assertAllowed(TURN, NO_LIMITS)).not.toThrow();
  expect(() => assertAllowed(TURN, LIMITED)).toThrow(expect.objectContaining({ code: 'DENIED' }));
});

test('the memories are refused if only the caller opened them', () => {
  const turn: TurnPermissions = { ...TURN, opensMemories: false };
  for (const operatorLimits of [NO_LIMITS, LIMITED])
    expect(() => assertAllowed(turn, operatorLimits)).toThrow(expect.objectContaining({ code: 'DENIED' }));
});

test.each([NO_LIMITS, LIMITED])('every other folder of CODEX_HOME is refused', (operatorLimits) => {
  for (const folder of [CODEX_HOME, `${CODEX_HOME}/rules`, `${CODEX_HOME}/memories/inner`])
    expect(() => assertAllowed({ ...TURN, writableRoots: [folder] }, operatorLimits)).toThrow(
      expect.objectContaining({ code: 'DENIED' }),
    );
});

function assertAllowed(turn: TurnPermissions, operatorLimits: OperatorLimits): void {
  const serverContext: PermissionContext['serverContext'] = {
    operatorLimits,
    home: '/home/someone',
    codexHome: CODEX_HOME,
    protectedFolders: [{ path: CODEX_HOME, what: 'the folder of Codex itself' }],
  };
  assertPermissionsAllowed(turn, 'user', { serverContext, user: EMPTY_CONFIG });
}
