import { expect, test } from 'vitest';
import { searchPath } from './search-path.ts';

const posix = { cwd: '/here', home: '/home/me', platform: 'linux' } as const;
const windows = { cwd: 'C:\\here', home: 'C:\\me', platform: 'win32' } as const;

test('keeps the absolute folders of the PATH in order, then those of the system', () => {
  const env = { PATH: '/home/me/.local/bin:bin::.:/usr/bin:/home/me/.local/bin:/opt/node/bin' };
  expect(searchPath({ ...posix, env })).toEqual([
    '/home/me/.local/bin',
    '/usr/bin',
    '/opt/node/bin',
    '/usr/local/bin',
    '/bin',
  ]);
});

test('leaves out the folders that npm adds while it runs a command', () => {
  const env = {
    PATH: '/home/me/.npm/_npx/1a2b/node_modules/.bin:/project/node_modules/.bin:/usr/lib/node_modules/npm/bin:/opt/bin',
  };
  expect(searchPath({ ...posix, env })).toEqual(['/opt/bin', '/usr/local/bin', '/usr/bin', '/bin']);
});

test('leaves out a folder with a line break, which a batch file cannot contain', () => {
  expect(searchPath({ ...posix, env: { PATH: '/a\nb:/c' } })).toEqual(['/c', '/usr/local/bin', '/usr/bin', '/bin']);
});

test('without PATH, there are only the folders of the system', () => {
  expect(searchPath({ ...posix, env: {} })).toEqual(['/usr/local/bin', '/usr/bin', '/bin']);
});

test('reads Path on Windows', () => {
  expect(searchPath({ ...windows, env: { Path: 'C:\\tools;tools;D:\\bin' } })).toEqual(['C:\\tools', 'D:\\bin']);
});
