import { expect, test } from 'vitest';
import type { Environment } from '../../config/files/folders.ts';
import { codexHome } from './codex-home.ts';

const linux: Environment = { cwd: '/place', home: '/home/me', env: {}, platform: 'linux' };
const windows: Environment = { cwd: 'C:\\work', home: 'C:\\Users\\me', env: {}, platform: 'win32' };

test.each<[string | undefined, string]>([
  [undefined, '/home/me/.codex'],
  ['', '/home/me/.codex'],
  ['/elsewhere/codex', '/elsewhere/codex'],
  ['~', '/home/me'],
  ['~/codex', '/home/me/codex'],
  ['~other/codex', '/place/~other/codex'],
  ['codex', '/place/codex'],
  ['../codex', '/codex'],
])('resolves CODEX_HOME %j to %s', (written, folder) => {
  expect(codexHome({ ...linux, env: { CODEX_HOME: written } })).toBe(folder);
});

test.each<[Environment['env'], string]>([
  [{}, 'C:\\Users\\me\\.codex'],
  [{ Codex_Home: '~\\codex' }, 'C:\\Users\\me\\codex'],
])('resolves %j on Windows to %s', (env, folder) => expect(codexHome({ ...windows, env })).toBe(folder));
