import { expect, test } from 'vitest';
import { sandboxSettings, toSandboxPolicy } from './sandbox-policy.ts';

const NOT_READ = () => Promise.reject(new Error('no settings are needed'));

const policyOf = (
  current: unknown,
  asked: 'read-only' | 'workspace-write' | 'danger-full-access' | undefined,
  addDirs: readonly string[] = [],
  settings: () => Promise<Readonly<Record<string, unknown>>> = NOT_READ,
) => toSandboxPolicy({ current, requested: asked, addDirs, settings });

test('a turn without sandbox settings keeps the sandbox of its session', async () => {
  expect(await policyOf({ type: 'workspaceWrite' }, undefined)).toBeUndefined();
});

test('adds folders to those of a session, if it may write at all', async () => {
  const policy = { type: 'workspaceWrite', writableRoots: ['/a'], networkAccess: true };
  expect(await policyOf(policy, undefined, ['/a', '/b'])).toEqual({ ...policy, writableRoots: ['/a', '/b'] });
  expect(await policyOf({ type: 'workspaceWrite' }, undefined, ['/b'])).toEqual({
    type: 'workspaceWrite',
    writableRoots: ['/b'],
  });
  expect(await policyOf({ type: 'readOnly' }, undefined, ['/b'])).toBeUndefined();
  expect(await policyOf(undefined, undefined, ['/b'])).toBeUndefined();
});

test('keeps the policy of a session that already has the requested sandbox', async () => {
  const policy = { type: 'workspaceWrite', writableRoots: ['/a'], networkAccess: true, excludeSlashTmp: true };
  expect(await policyOf(policy, 'workspace-write')).toEqual(policy);
  expect(await policyOf(policy, 'workspace-write', ['/b'])).toEqual({ ...policy, writableRoots: ['/a', '/b'] });
});

test('a narrower or wider sandbox inherits nothing', async () => {
  const current = { type: 'workspaceWrite', writableRoots: ['/a'], networkAccess: true };
  expect(await policyOf(current, 'read-only', ['/b'])).toEqual({ type: 'readOnly', networkAccess: false });
  expect(await policyOf(current, 'danger-full-access', ['/b'])).toEqual({ type: 'dangerFullAccess' });
});

test('workspace-write uses its configured settings', async () => {
  const settings = async () => ({ writable_roots: ['/a'], network_access: true, exclude_slash_tmp: true });
  expect(await policyOf({ type: 'readOnly' }, 'workspace-write', ['/b'], settings)).toEqual({
    type: 'workspaceWrite',
    writableRoots: ['/a', '/b'],
    networkAccess: true,
    excludeTmpdirEnvVar: false,
    excludeSlashTmp: true,
  });
});

test('session settings override user settings', () => {
  const user = { sandbox_workspace_write: { network_access: true, writable_roots: ['/a'] } };
  const session = { sandbox_workspace_write: { network_access: false } };
  expect(sandboxSettings(user, session)).toEqual({ network_access: false, writable_roots: ['/a'] });
  expect(sandboxSettings({ sandbox_workspace_write: null }, undefined)).toEqual({});
});
