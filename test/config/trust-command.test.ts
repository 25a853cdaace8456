import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { trust, untrust } from '../../src/cli/commands/trust.ts';
import { type Folder, useFolders } from './folder.ts';

const newFolder = useFolders();

describe('switchboard trust', () => {
  test('shows exactly what may be started, without values of variables and headers, and says what it did', async () => {
    const folder = newFolder();
    const file = folder.write('project/.mcp.json', {
      mcpServers: {
        fetch: { command: 'uvx', args: ['mcp-server-fetch', 'two words', ''], cwd: 'sub', env: { KEY: 'hidden-1' } },
        'odd\u202ename': {
          command: 'sh',
          args: ['-c', 'echo \u001b[2K\u200b'],
          env_vars: ['TOKEN'],
          inherit_env: true,
        },
        docs: { url: 'https://example.com/mcp', headers: { 'X-Key': 'hidden-2' }, disabled: true },
      },
    });
    const { answers, complaints } = await run(trust, folder, []);
    expect(answers.join('\n')).toBe(
      [
        `fetch, ${file}:3`,
        '  command     uvx mcp-server-fetch "two words" ""',
        '  folder      sub',
        '  variables   KEY (values are not shown)',
        '',
        `"odd\\u202ename", ${file}:15`,
        '  command     sh -c "echo \\u001b[2K\\u200b"',
        '  passed on   TOKEN (from your environment)',
        '  passed on   everything (from your environment)',
        '',
        `docs, ${file}:26, switched off`,
        '  url         https://example.com/mcp',
        '  headers     X-Key (values are not shown)',
        '',
        'Trusted 3 servers. If one of them changes, it needs your trust again.',
      ].join('\n'),
    );
    expect(complaints).toEqual([]);
  });

  test('shows which variables of yours a server with a URL gets', async () => {
    const folder = newFolder();
    const oauth = { client_secret_env: 'SECRET' };
    const server = { url: 'https://x/mcp', header_env: { 'X-Key': 'KEY' }, bearer_token_env_var: 'TOKEN', oauth };
    folder.write('project/.mcp.json', { mcpServers: { a: server } });
    expect((await run(trust, folder, [])).answers[0]).toContain(
      '  url         https://x/mcp\n  passed on   KEY, TOKEN, SECRET (from your environment)',
    );
    expect(JSON.parse((await run(trust, folder, ['--json'])).answers[0] ?? '').trusted).toMatchObject([
      { id: 'a', headers: [], envVars: ['KEY', 'TOKEN', 'SECRET'] },
    ]);
  });

  test('does not shorten a long command', async () => {
    const folder = newFolder();
    const args = Array.from({ length: 500 }, (_, index) => `argument-${index}`);
    folder.write('project/.mcp.json', { command: 'x', args });
    expect((await run(trust, folder, [])).answers[0]).toContain(`x ${args.join(' ')}`);
  });

  test('tells what was trusted before', async () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: { command: 'a' } } });
    await run(trust, folder, []);
    expect((await run(trust, folder, [])).answers.at(-1)).toContain('All of them were trusted already.');
    folder.write('project/.mcp.json', { mcpServers: { a: { command: 'a' }, b: { command: 'b' } } });
    expect((await run(trust, folder, [])).answers.at(-1)).toContain(
      'Trusted 1 server. 1 more had been trusted already.',
    );
  });

  test('takes a folder, and says so when there is nothing to trust', async () => {
    const folder = newFolder();
    folder.write('other/.mcp.json', { mcpServers: { a: { command: 'a' } } });
    expect((await run(trust, folder, ['../other'])).answers[0]).toContain('a, ');
    expect((await run(trust, folder, [])).answers).toEqual([
      `Nothing to trust: no usable entry stands in a .mcp.json of ${folder.path}/project or a folder above it, nor in its .switchboard/config.json.`,
    ]);
  });

  test('goes to where a link leads, because the folders above are read too', async () => {
    const folder = newFolder();
    const file = folder.write('real/.mcp.json', { mcpServers: { a: { command: 'a' } } });
    mkdirSync(join(folder.path, 'real/sub'));
    symlinkSync(join(folder.path, 'real/sub'), join(folder.path, 'project/link'));
    expect((await run(trust, folder, ['link'])).answers[0]).toBe(`a, ${file}:3\n  command     a`);
    expect((await run(untrust, folder, ['link'])).answers).toEqual([`No longer trusted:\n  a of ${file}`]);
  });

  test('complains about what it could not trust', async () => {
    const folder = newFolder();
    const file = folder.write('project/.mcp.json', '{ "mcpServers": { "a": {} } }');
    expect((await run(trust, folder, [])).complaints).toEqual([
      `Not trusted: ${file}:1: mcpServers.a needs "command", the program to start, or "url".`,
    ]);
  });

  test('prints one document with --json, exact and harmless', async () => {
    const folder = newFolder();
    const file = folder.write('project/.mcp.json', { command: 'x\u202e', args: ['\u001b'], env: { KEY: 'hidden' } });
    const { answers } = await run(trust, folder, ['--json']);
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(answers[0] ?? '')).toEqual({
      folder: join(folder.path, 'project'),
      trusted: [
        {
          ...{ id: 'x\u202e', file, line: 1, command: 'x\u202e', args: ['\u001b'], env: ['KEY'] },
          ...{ envVars: [], inheritEnv: false, isSwitchedOff: false, wasTrusted: false },
        },
      ],
      problems: [],
    });
  });

  test.each([
    [['--force'], 'There is no option --force. Usage: switchboard trust [dir] [--json]'],
    [['a', 'b'], 'One folder at a time. Usage: switchboard trust [dir] [--json]'],
    [['nowhere'], 'This is not a folder: '],
    [['/dev/null/x'], 'This is not a folder: /dev/null/x. Usage: switchboard trust [dir] [--json]'],
  ])('refuses %j', async (args, message) => {
    await expect(run(trust, newFolder(), args)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(message),
    });
  });
});

describe('switchboard untrust', () => {
  test('says what it forgot, and that there was nothing', async () => {
    const folder = newFolder();
    const file = folder.write('project/.mcp.json', { mcpServers: { a: { command: 'a' }, 'b c': { command: 'b' } } });
    await run(trust, folder, []);
    expect((await run(untrust, folder, [])).answers).toEqual([
      `No longer trusted:\n  a of ${file}\n  "b c" of ${file}`,
    ]);
    expect((await run(untrust, folder, [])).answers).toEqual([`Nothing was trusted in ${folder.path}/project.`]);
  });

  test('prints one document with --json', async () => {
    const folder = newFolder();
    const file = folder.write('project/.mcp.json', { mcpServers: { a: { command: 'a' } } });
    await run(trust, folder, []);
    const { answers } = await run(untrust, folder, ['--json']);
    expect(answers.map((answer) => JSON.parse(answer))).toEqual([
      { folder: join(folder.path, 'project'), untrusted: [{ id: 'a', file }] },
    ]);
  });

  test('takes a folder that is gone, and one at most', async () => {
    expect((await run(untrust, newFolder(), ['/nowhere/at/all'])).answers).toEqual([
      'Nothing was trusted in /nowhere/at/all.',
    ]);
    await expect(run(untrust, newFolder(), ['a', 'b'])).rejects.toMatchObject({ code: 'USAGE' });
  });
});

async function run(command: typeof trust, folder: Folder, args: readonly string[]) {
  const answers: string[] = [];
  const complaints: string[] = [];
  const output = {
    answer: (text: string) => void answers.push(text),
    complain: (text: string) => void complaints.push(text),
  };
  await command(args, { output, env: {}, cwd: join(folder.path, 'project'), home: folder.home });
  return { answers, complaints };
}
