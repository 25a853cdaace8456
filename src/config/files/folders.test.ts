import { describe, expect, test } from 'vitest';
import { cacheFolder, codeFolder, configFolder, dataFolder, type Environment, resolvePath } from './folders.ts';

const linux: Environment = { cwd: '/place', home: '/home/me', env: {}, platform: 'linux' };
const windows: Environment = { cwd: 'C:\\work', home: 'C:\\Users\\me', env: {}, platform: 'win32' };

describe('the location of our files', () => {
  test.each<[string, Environment, string, string, string]>([
    [
      'Linux',
      linux,
      '/home/me/.config/switchboard',
      '/home/me/.local/share/switchboard',
      '/home/me/.cache/switchboard',
    ],
    [
      'Linux with XDG',
      { ...linux, env: { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d', XDG_CACHE_HOME: '/x' } },
      '/c/switchboard',
      '/d/switchboard',
      '/x/switchboard',
    ],
    [
      'macOS, which ignores XDG',
      { ...linux, platform: 'darwin', env: { XDG_CONFIG_HOME: '/c', XDG_CACHE_HOME: '/x' } },
      '/home/me/Library/Application Support/switchboard',
      '/home/me/Library/Application Support/switchboard',
      '/home/me/Library/Caches/switchboard',
    ],
    [
      'Windows',
      { ...windows, env: { APPDATA: 'D:\\Roaming', LOCALAPPDATA: 'D:\\Local' } },
      'D:\\Roaming\\switchboard',
      'D:\\Local\\switchboard',
      'D:\\Local\\switchboard',
    ],
    [
      'Windows without its variables',
      windows,
      'C:\\Users\\me\\AppData\\Roaming\\switchboard',
      'C:\\Users\\me\\AppData\\Local\\switchboard',
      'C:\\Users\\me\\AppData\\Local\\switchboard',
    ],
    [
      'SWITCHBOARD_HOME for everything',
      { ...linux, env: { SWITCHBOARD_HOME: 'box', XDG_DATA_HOME: '/d', XDG_CACHE_HOME: '/x' } },
      '/place/box',
      '/place/box',
      '/place/box',
    ],
  ])('%s', (_, environment, config, data, cache) => {
    const found = [configFolder(environment), dataFolder(environment), cacheFolder(environment)];
    expect(found).toEqual([config, data, cache]);
  });

  test.each<[string, Environment, string | undefined]>([
    ['the cache folder', linux, '/home/me/.cache/switchboard/code'],
    [
      'the home folder, whatever XDG_CACHE_HOME is',
      { ...linux, env: { XDG_CACHE_HOME: '/tmp' } },
      '/home/me/.cache/switchboard/code',
    ],
    ['SWITCHBOARD_HOME', { ...linux, env: { SWITCHBOARD_HOME: '/box', XDG_CACHE_HOME: '/tmp' } }, '/box/code'],
    [
      'SWITCHBOARD_CODE_CACHE',
      { ...linux, env: { SWITCHBOARD_HOME: '/box', SWITCHBOARD_CODE_CACHE: 'c' } },
      '/place/c',
    ],
    ['no folder when it is off', { ...linux, env: { SWITCHBOARD_CODE_CACHE: 'off' } }, undefined],
  ])('compiled code is in %s', (_, environment, expected) => {
    expect(codeFolder(environment)).toBe(expected);
  });

  test.each<[string, Environment, string]>([
    ['~', linux, '/home/me'],
    ['~/a', linux, '/home/me/a'],
    ['~a', linux, '/place/~a'],
    ['~\\a', linux, '/place/~\\a'],
    ['a/../b', linux, '/place/b'],
    ['/a', linux, '/a'],
    ['~\\a', windows, 'C:\\Users\\me\\a'],
    ['a', windows, 'C:\\work\\a'],
  ])('resolves %s', (written, environment, expected) => {
    expect(resolvePath(written, environment)).toBe(expected);
  });
});
