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

describe('a profile that cannot be read', () => {
  test.each(['', '..', '../x', 'a/b', 'a\\b', 'a..b', 'a\0b'])('%j is no name of one', async (name) => {
    await expect(readProfile(home, name)).rejects.toMatchObject({
      code: 'BAD_ARGUMENTS',
      message: expect.stringContaining('is no name of a profile: give a plain name such as work.'),
    });
  });

  test('names both places where it could be', async () => {
    await write('config.toml', '[profiles.other]\nmodel = "m"\n');
    const [file, config] = [join(home, 'work.config.toml'), join(home, 'config.toml')];
    await expect(readProfile(home, 'work')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `Codex has no profile work: there is neither ${file} nor [profiles.work] in ${config}. Write the first of them, or leave the profile out.`,
      data: { profile: 'work', file },
    });
  });

  test.each([
    ['work.config.toml', 'model = "m"\napi_key = secret\n'],
    ['config.toml', '[profiles.work]\napi_key = secret\n'],
  ])('because %s is not TOML names the file and the line, and nothing of what stands there', async (name, text) => {
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

  test('because a folder has its name says so', async () => {
    await mkdir(join(home, 'work.config.toml'));
    await expect(readProfile(home, 'work')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `${join(home, 'work.config.toml')}: This is a folder, and a file is expected.`,
    });
  });

  test('is one that config.toml sets to something else than a table', async () => {
    await write('config.toml', 'profiles.work = 1\n');
    await expect(readProfile(home, 'work')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test.each(['constructor', '__proto__'])('is %s, which every object has', async (name) => {
    await write('config.toml', '[profiles.work]\nmodel = "m"\n');
    await expect(readProfile(home, name)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe('a profile', () => {
  test('is a file of its own', async () => {
    await write('config.toml', '[profiles.work]\nmodel = "older"\n');
    await write('work.config.toml', 'model = "m"\nsince = 2026-11-15\n[features]\nplugins = false\n');
    expect(await readProfile(home, 'work')).toStrictEqual({
      model: 'm',
      since: '2026-11-15',
      features: { plugins: false },
    });
  });

  test('was a table of the config before', async () => {
    await write('config.toml', 'model = "m"\n[profiles."a.b"]\nmodel = "p"\nlist = [{ x = 1 }]\n');
    expect(await readProfile(home, 'a.b')).toStrictEqual({ model: 'p', list: [{ x: 1 }] });
  });

  test('may be empty', async () => {
    await write('work.config.toml', '');
    expect(await readProfile(home, 'work')).toStrictEqual({});
  });
});

describe('the servers that Codex starts', () => {
  test.each([
    ['there is no config', undefined],
    ['the config is broken', '[mcp_servers.a]\ncommand = "x"\n[mcp_servers'],
    ['the config has none', 'model = "m"\n'],
    ['they are no table', 'mcp_servers = [1]\n'],
  ])('are none when %s', async (_when, text) => {
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
