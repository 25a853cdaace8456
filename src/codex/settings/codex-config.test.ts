import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mcpServerNames, readProfile } from './codex-config.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'codex-config-'));
});
afterEach(() => rm(home, { recursive: true }));

const write = (file: string, text: string) => writeFile(join(home, file), text);

describe('an unreadable profile', () => {
  test.each(['', '..', '../x', 'a/b', 'a\\b', 'a..b', 'a\0b'])('%j is not a valid name', async (name) => {
    await expect(readProfile(home, name)).rejects.toMatchObject({
      code: 'BAD_ARGUMENTS',
      message: expect.stringContaining('is not a profile name: give a plain name such as work.'),
    });
  });

  test('is reported with both possible locations', async () => {
    await write('config.toml', '[profiles.other]\nmodel = "m"\n');
    const [file, config] = [join(home, 'work.config.toml'), join(home, 'config.toml')];
    await expect(readProfile(home, 'work')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `Codex has no profile work: there is neither ${file} nor [profiles.work] in ${config}. Create the first of them, or leave the profile out.`,
      data: { profile: 'work', file },
    });
  });

  test.each([
    ['work.config.toml', 'model = "m"\napi_key = secret\n'],
    ['config.toml', '[profiles.work]\napi_key = secret\n'],
  ])('is reported with file and line but no content if %s is not TOML', async (name, text) => {
    await write(name, text);
    const error: unknown = await readProfile(home, 'work').catch((thrown: unknown) => thrown);
    const file = join(home, name);
    expect(error).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`${file}:2: This is not TOML: `),
      data: { file, line: 2, message: expect.any(String) },
    });
    expect(JSON.stringify([error, String(error)])).not.toContain('secret');
  });

  test('is reported if it is a folder', async () => {
    await mkdir(join(home, 'work.config.toml'));
    await expect(readProfile(home, 'work')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `${join(home, 'work.config.toml')}: This is a folder, but a file is expected.`,
    });
  });

  test('is one that config.toml does not define as a table', async () => {
    await write('config.toml', 'profiles.work = 1\n');
    await expect(readProfile(home, 'work')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test.each(['constructor', '__proto__'])('is %s, a property of every object', async (name) => {
    await write('config.toml', '[profiles.work]\nmodel = "m"\n');
    await expect(readProfile(home, name)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe('a profile', () => {
  test('is a separate file', async () => {
    await write('config.toml', '[profiles.work]\nmodel = "older"\n');
    await write('work.config.toml', 'model = "m"\nsince = 2026-11-15\n[features]\nplugins = false\n');
    expect(await readProfile(home, 'work')).toStrictEqual({
      model: 'm',
      since: '2026-11-15',
      features: { plugins: false },
    });
  });

  test('is a table of the config in older versions', async () => {
    await write('config.toml', 'model = "m"\n[profiles."a.b"]\nmodel = "p"\nlist = [{ x = 1 }]\n');
    expect(await readProfile(home, 'a.b')).toStrictEqual({ model: 'p', list: [{ x: 1 }] });
  });

  test('may be empty', async () => {
    await write('work.config.toml', '');
    expect(await readProfile(home, 'work')).toStrictEqual({});
  });
});

describe('the MCP servers that Codex starts', () => {
  test.each([
    ['there is no config', undefined],
    ['the config is invalid', '[mcp_servers.a]\ncommand = "x"\n[mcp_servers'],
    ['the config has none', 'model = "m"\n'],
    ['they are not a table', 'mcp_servers = [1]\n'],
  ])('are none if %s', async (_when, text) => {
    if (text !== undefined) await write('config.toml', text);
    expect(await mcpServerNames(home)).toStrictEqual([]);
  });

  test('are those with a command', async () => {
    await write(
      'config.toml',
      '[mcp_servers.z]\ncommand = "x"\n[mcp_servers.web]\nurl = "http://127.0.0.1/"\n[mcp_servers."a b"]\ncommand = "y"\nenabled = false\n[mcp_servers.odd]\ncommand = 1\n',
    );
    expect(await mcpServerNames(home)).toStrictEqual(['z', 'a b']);
  });
});
