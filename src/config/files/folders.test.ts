import { describe, expect, test } from 'vitest';
import { cacheFolder, configFolder, dataFolder, resolvePath, type Surroundings } from './folders.ts';

const linux: Surroundings = { cwd: '/place', home: '/home/me', env: {}, platform: 'linux' };
const windows: Surroundings = { cwd: 'C:\\work', home: 'C:\\Users\\me', env: {}, platform: 'win32' };

describe('where our files lie', () => {
  test.each<[string, Surroundings, string, string, string]>([
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
      'macOS, which has no XDG',
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
      'one folder for all',
      { ...linux, env: { SWITCHBOARD_HOME: 'box', XDG_DATA_HOME: '/d', XDG_CACHE_HOME: '/x' } },
      '/place/box',
      '/place/box',
      '/place/box',
    ],
  ])('%s', (_, surroundings, config, data, cache) => {
    const found = [configFolder(surroundings), dataFolder(surroundings), cacheFolder(surroundings)];
    expect(found).toEqual([config, data, cache]);
  });

  test.each<[string, Surroundings, string]>([
    ['~', linux, '/home/me'],
    ['~/a', linux, '/home/me/a'],
    ['~a', linux, '/place/~a'],
    ['~\\a', linux, '/place/~\\a'],
    ['a/../b', linux, '/place/b'],
    ['/a', linux, '/a'],
    ['~\\a', windows, 'C:\\Users\\me\\a'],
    ['a', windows, 'C:\\work\\a'],
  ])('%s is resolved', (written, surroundings, expected) => {
    expect(resolvePath(written, surroundings)).toBe(expected);
  });
});
