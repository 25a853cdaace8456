import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Environment } from '../../config/files/folders.ts';
import { newSocketAddress, pidOfPipe, pidOfSocket, socketFolders } from './socket-paths.ts';

const uid = process.getuid?.() ?? 0;

function testEnvironment(env: Environment['env'], platform: NodeJS.Platform = 'linux'): Environment {
  return { cwd: '/p', home: '/home/me', env, platform };
}

describe('the socket folders', () => {
  test.each([
    [
      'SWITCHBOARD_HOME overrides everything else',
      { SWITCHBOARD_HOME: '/sb', XDG_RUNTIME_DIR: '/run/of/me' },
      ['/sb/run'],
    ],
    ['the default is next to the data', {}, ['/home/me/.local/share/switchboard/run']],
    ['a relative runtime folder is ignored', { XDG_RUNTIME_DIR: 'run' }, ['/home/me/.local/share/switchboard/run']],
    [
      'the runtime folder comes first, then the folders used without the variables',
      { XDG_RUNTIME_DIR: '/run/of/me', XDG_DATA_HOME: '/data' },
      ['/run/of/me/switchboard', '/data/switchboard/run', '/home/me/.local/share/switchboard/run'],
    ],
  ])('%s', (_, env, folders) => {
    expect(socketFolders(testEnvironment(env))).toEqual(folders);
  });

  test.skipIf(uid === 0)('ignore a runtime folder of another user', () => {
    expect(socketFolders(testEnvironment({ XDG_RUNTIME_DIR: '/etc' }))).toEqual([
      '/home/me/.local/share/switchboard/run',
    ]);
  });

  const beside = '/home/me/.local/share/switchboard/run';

  test.each([
    ['a runtime folder in /tmp', { XDG_RUNTIME_DIR: '/tmp/run' }, [beside]],
    ['/tmp itself as the runtime folder', { XDG_RUNTIME_DIR: '/tmp' }, [beside]],
    ['a runtime folder in TMPDIR', { XDG_RUNTIME_DIR: '/scratch/run', TMPDIR: '/scratch/' }, [beside]],
    ['a runtime folder in another temporary folder', { XDG_RUNTIME_DIR: '/scratch/run', TEMP: '/scratch' }, [beside]],
    ['a data folder in /tmp', { XDG_DATA_HOME: '/tmp/data' }, [beside]],
    ['a runtime folder with a long path', { XDG_RUNTIME_DIR: `/${'r'.repeat(90)}` }, [beside]],
  ])('skip %s and use the next one', (_, env, folders) => {
    expect(socketFolders(testEnvironment(env))).toEqual(folders);
  });

  test('include a folder whose name only starts like a temporary one', () => {
    const env = { XDG_RUNTIME_DIR: '/tmpfs/me', TMPDIR: '/scratch' };
    expect(socketFolders(testEnvironment(env))).toEqual(['/tmpfs/me/switchboard', beside]);
  });

  test.each([
    ['SWITCHBOARD_HOME', { SWITCHBOARD_HOME: '/tmp/sb' }, '/home/me', '/tmp/sb/run'],
    ['the home folder', {}, '/tmp/me', '/tmp/me/.local/share/switchboard/run'],
  ])('include %s even in /tmp, because the user chose it', (_, env, home, folder) => {
    expect(socketFolders({ ...testEnvironment(env), home })).toEqual([folder]);
  });

  test('use the cache folder if the path of SWITCHBOARD_HOME is too long', () => {
    const [only, ...more] = socketFolders(testEnvironment({ SWITCHBOARD_HOME: `/${'x'.repeat(200)}` }));
    expect(more).toEqual([]);
    expect(only).toMatch(/^\/home\/me\/\.cache\/switchboard\/run-[0-9a-f]{8}$/);
  });

  const far = (env: Environment['env']) => ({ ...testEnvironment(env), home: `/${'h'.repeat(200)}` });

  test('use temporary folders if the path of every other folder is too long', () => {
    const [own, common, ...more] = socketFolders(far({ TMPDIR: '/var/tmp' }));
    expect(more).toEqual([]);
    expect(own).toMatch(new RegExp(`^/var/tmp/switchboard-${uid}-[0-9a-f]{8}$`));
    expect(common).toBe(own?.replace('/var/tmp', '/tmp'));
  });

  test('skip a temporary folder whose path is too long', () => {
    const [only, ...more] = socketFolders(far({ TMPDIR: `/${'t'.repeat(90)}` }));
    expect({ only, more }).toEqual({ only: expect.stringMatching(/^\/tmp\/switchboard-/), more: [] });
  });

  test('never exceed the path limit of the system, and never share a fallback', () => {
    const home = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 150 })
      .map((name) => `/${name.replaceAll('/', '')}`);
    fc.assert(
      fc.property(home, home, (one, other) => {
        const [a, b] = [one, other].map((path) => socketFolders(testEnvironment({ SWITCHBOARD_HOME: path })));
        for (const folder of [...(a ?? []), ...(b ?? [])]) {
          expect(Buffer.byteLength(newSocketAddress(folder, testEnvironment({})))).toBeLessThanOrEqual(100);
        }
        expect(a?.[0] === b?.[0]).toBe(join(one) === join(other));
      }),
    );
  });
});

test('a socket name contains the process id of its owner', () => {
  const address = newSocketAddress('/run', testEnvironment({}));
  expect(address).toMatch(/^\/run\/\d+-[0-9a-f]{8}\.sock$/);
  expect(pidOfSocket(address.slice('/run/'.length))).toBe(process.pid);
});

test.each([
  'x.sock',
  '0-01234567.sock',
  '-1-01234567.sock',
  '12-0123456.sock',
  '12-01234567.sock.old',
  '1e3-01234567.sock',
])('%s is not a socket name', (name) => {
  expect(pidOfSocket(name)).toBe(undefined);
});

test('on Windows the pipe name identifies its process and its folder', () => {
  const address = newSocketAddress('C:\\own\\run', testEnvironment({}, 'win32'));
  expect(address).toMatch(/^\\\\\.\\pipe\\switchboard-[0-9a-f]{8}-\d+-[0-9a-f]{8}$/);
  const name = address.slice('\\\\.\\pipe\\'.length);
  expect({ own: pidOfPipe(name, 'C:\\own\\run'), other: pidOfPipe(name, 'C:\\other\\run') }).toEqual({
    own: process.pid,
    other: undefined,
  });
});
