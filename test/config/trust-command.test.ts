import { chmodSync, chownSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { trust, untrust } from '../../src/cli/trust/command.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { acceptReview, reviewProject } from '../../src/config/trust/trust-review.ts';
import { type Folder, useFolders } from './folder.ts';

const newFolder = useFolders();

describe('switchboard trust', () => {
  test('shows exactly what may be started, hides values of variables and headers, and reports the outcome', async () => {
    const folder = newFolder();
    const file = folder.write('project/.mcp.json', {
      mcpServers: {
        fetch: {
          command: 'uvx',
          args: ['mcp-server-fetch', 'two words', ''],
          cwd: 'sub',
          env: { API_KEY: 'hidden-1' },
        },
        'odd\u202ename': {
          command: 'sh',
          args: ['-c', 'echo \u001b[2K\u200b'],
          env_vars: ['TOKEN'],
          inherit_env: true,
        },
        docs: { url: 'https://example.com/mcp', headers: { 'X-Key': 'hidden-2' }, disabled: true },
      },
    });
    const { answers, complaints } = await run(trust, folder, ['--yes']);
    expect(answers.join('\n')).toBe(
      [
        `fetch, ${file}:3`,
        '  command     uvx mcp-server-fetch "two words" ""',
        `  folder      ${folder.path}/project/sub`,
        '  variable    API_KEY=(value hidden)',
        '',
        `"odd\\u202ename", ${file}:15`,
        '  command     sh -c "echo \\u001b[2K\\u200b"',
        `  folder      ${folder.path}/project`,
        '  passed on   TOKEN from your environment, by env_vars',
        '  passed on   EVERYTHING from your environment, by inherit_env',
        '',
        `docs, ${file}:26, disabled`,
        '  url         https://example.com/mcp',
        '  header      X-Key: (value hidden)',
        '',
        'Trusted 3 servers. Switchboard asks again if one of them changes.',
      ].join('\n'),
    );
    expect(complaints).toEqual([]);
  });

  test('shows which user variables an HTTP server receives', async () => {
    const folder = newFolder();
    const oauth = { client_secret_env: 'SECRET' };
    const server = { url: 'https://x/mcp', header_env: { 'X-Key': 'KEY' }, bearer_token_env_var: 'TOKEN', oauth };
    folder.write('project/.mcp.json', { mcpServers: { a: { ...server, shareSignIn: true } } });
    expect((await run(trust, folder, ['--yes'])).answers[0]).toContain(
      [
        '  url         https://x/mcp',
        '  oauth       client_secret_env SECRET',
        '  sign-in     yours, also for others who have a token of your gateway, by shareSignIn',
        '  passed on   KEY from your environment, by headers.X-Key',
        '  passed on   TOKEN from your environment, by bearer_token_env_var',
        '  passed on   SECRET from your environment, by oauth.client_secret_env',
      ].join('\n'),
    );
    expect(JSON.parse((await run(trust, folder, ['--yes', '--json'])).answers[0] ?? '').trusted).toMatchObject([
      { id: 'a', headers: [], shareSignIn: true, envVars: ['KEY', 'TOKEN', 'SECRET'] },
    ]);
  });

  test('shows settings that decide which code runs, sign-in settings, and variables inside values', async () => {
    const folder = newFolder();
    const use = (name: string) => `\${${name}}`;
    const aws = `Bearer ${use('AWS_SECRET_ACCESS_KEY')}`;
    const env = { NODE_OPTIONS: '--require ./x.js', B: `a${use('HOME_TOKEN:-b')}` };
    const oauth = { token_url: 'https://evil.example/t', client_id: 'me', client_secret: 'geheim' };
    folder.write('project/.mcp.json', {
      mcpServers: { a: { url: 'https://x/mcp', headers: { Authorization: aws }, oauth }, b: { command: 'node', env } },
    });
    const { answers } = await run(trust, folder, ['--yes']);
    expect(answers[0]).toContain('  oauth       token_url https://evil.example/t\n  oauth       client_id me\n');
    expect(answers[0]).toContain(
      '  passed on   AWS_SECRET_ACCESS_KEY from your environment, by headers.Authorization\n',
    );
    expect(answers[0]).toContain('  variable    NODE_OPTIONS="--require ./x.js" (decides which code runs)\n');
    expect(answers[0]).toContain('  passed on   HOME_TOKEN from your environment, by env.B');
    expect(answers[0]).not.toContain('geheim');
  });

  test('shows the target of a symlink, and who else can change what is trusted', async () => {
    const folder = newFolder();
    const target = folder.write('elsewhere/shared.json', { mcpServers: { a: { command: './a' } } });
    chmodSync(target, 0o666);
    symlinkSync(target, join(folder.path, 'project/.mcp.json'));
    const { answers } = await run(trust, folder, ['--yes']);
    expect(answers[0]).toBe(
      [
        `a, ${folder.path}/project/.mcp.json:3`,
        `  link to     ${target}`,
        '  command     ./a',
        `  folder      ${folder.path}/project`,
        `  WARNING     ${target} can be changed by every user of this machine.`,
      ].join('\n'),
    );
  });

  test('warns about a parent folder in which every user could put another project', async () => {
    const folder = newFolder();
    const above = join(folder.path, 'open');
    folder.write('open/inner/.switchboard/config.json', { version: 1, mcp: { servers: { a: { command: './a' } } } });
    chmodSync(above, 0o777);
    expect((await run(trust, folder, ['../open/inner', '--yes'])).answers[0]).toContain(
      `  WARNING     ${above} can be changed by every user of this machine.`,
    );
    chmodSync(above, 0o1777);
    expect((await run(trust, folder, ['../open/inner', '--yes'])).answers[0]).not.toContain('WARNING');
  });

  test.each([
    ...['PYTHONWARNINGS', 'PERL5DB', '_JAVA_OPTIONS', 'DOTNET_STARTUP_HOOKS', 'LUA_INIT', 'EDITOR', 'PAGER', 'SHELL'],
    ...['HOME', 'XDG_CONFIG_HOME', 'OPENSSL_CONF', 'PHPRC', 'ZDOTDIR', 'PROMPT_COMMAND', 'DENO_DIR', 'CLASSPATH'],
    ...['GCONV_PATH', 'BASH_FUNC_ls%%', 'NODE_PATH', 'LD_PRELOAD', 'GIT_SSH_COMMAND', 'PYTHONSTARTUP'],
  ])('says that %s decides which code runs', async (name) => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: { command: 'a', env: { [name]: './x' } } } });
    const { answers } = await run(trust, folder, ['--yes']);
    expect(answers[0]).toContain(`  variable    ${name}=./x (decides which code runs)`);
  });

  test.each(['HTTPS_PROXY', 'all_proxy', 'NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'SSLKEYLOGFILE'])(
    'says that %s decides who can read the traffic',
    async (name) => {
      const folder = newFolder();
      folder.write('project/.mcp.json', { mcpServers: { a: { command: 'a', env: { [name]: './x' } } } });
      const { answers } = await run(trust, folder, ['--yes']);
      expect(answers[0]).toContain(`  variable    ${name}=./x (decides who can read what it sends)`);
    },
  );

  test.runIf(process.getuid?.() === 0)('warns about files owned by another user', async () => {
    const folder = newFolder();
    const file = folder.write('project/.mcp.json', { mcpServers: { a: { command: './a' } } });
    chownSync(file, 12345, 12345);
    expect((await run(trust, folder, ['--yes'])).answers[0]).toContain(
      `  WARNING     ${file} belongs to another user (uid 12345; yours is 0).`,
    );
    const own = folder.write('other/.switchboard/config.json', {
      version: 1,
      mcp: { servers: { a: { command: 'a' } } },
    });
    const project = dirname(dirname(own));
    chownSync(project, 12345, 12345);
    expect((await run(trust, folder, ['../other', '--yes'])).answers[0]).toContain(
      `  WARNING     ${project} belongs to another user (uid 12345; yours is 0).`,
    );
  });

  test.each([[[]], [['--json']]])(
    'trusts nothing without a terminal or --yes, but shows everything: %j',
    async (args) => {
      const folder = newFolder();
      const file = folder.write('project/.mcp.json', { mcpServers: { a: { command: './a' } } });
      const answers: string[] = [];
      await expect(run(trust, folder, args, answers)).rejects.toMatchObject({
        code: 'DENIED',
        message: expect.stringContaining('or run it with --yes'),
      });
      expect(answers[0]).toContain(file);
      expect(await isTrusted(folder)).toBe(false);
      await run(trust, folder, [...args, '--yes']);
      expect(await isTrusted(folder)).toBe(true);
      // Trusted entries need no answer.
      await run(trust, folder, args);
    },
  );

  test('trusts exactly what was shown, even if the file changes meanwhile', async () => {
    const folder = newFolder();
    const options = { ...folder.testEnvironment(), dir: join(folder.path, 'project') };
    folder.write('project/.mcp.json', { mcpServers: { a: { command: 'good' } } });
    const review = reviewProject(options);
    folder.write('project/.mcp.json', { mcpServers: { a: { command: 'evil' } } });
    acceptReview(review, options);
    expect(await isTrusted(folder)).toBe(false);
  });

  test('does not truncate a long command', async () => {
    const folder = newFolder();
    const args = Array.from({ length: 500 }, (_, index) => `argument-${index}`);
    folder.write('project/.mcp.json', { command: 'x', args });
    expect((await run(trust, folder, ['--yes'])).answers[0]).toContain(`x ${args.join(' ')}`);
  });

  test('says what was already trusted', async () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: { command: 'a' } } });
    await run(trust, folder, ['--yes']);
    expect((await run(trust, folder, ['--yes'])).answers.at(-1)).toContain('All of them were already trusted.');
    folder.write('project/.mcp.json', { mcpServers: { a: { command: 'a' }, b: { command: 'b' } } });
    expect((await run(trust, folder, ['--yes'])).answers.at(-1)).toContain(
      'Trusted 1 server. 1 more had already been trusted.',
    );
  });

  test('accepts a folder, and says when there is nothing to trust', async () => {
    const folder = newFolder();
    folder.write('other/.mcp.json', { mcpServers: { a: { command: 'a' } } });
    expect((await run(trust, folder, ['../other', '--yes'])).answers[0]).toContain('a, ');
    expect((await run(trust, folder, ['--yes'])).answers).toEqual([
      `Nothing to trust: ${folder.path}/project and the folders above it have no usable entry in a .mcp.json or .switchboard/config.json.`,
    ]);
  });

  test('resolves a symlinked folder, because parent folders are read too', async () => {
    const folder = newFolder();
    const file = folder.write('real/.mcp.json', { mcpServers: { a: { command: 'a' } } });
    mkdirSync(join(folder.path, 'real/sub'));
    symlinkSync(join(folder.path, 'real/sub'), join(folder.path, 'project/link'));
    expect((await run(trust, folder, ['link', '--yes'])).answers[0]).toBe(
      `a, ${file}:3\n  command     a\n  folder      ${folder.path}/real`,
    );
    expect((await run(untrust, folder, ['link'])).answers).toEqual([`No longer trusted:\n  a of ${file}`]);
  });

  test('reports what it could not trust', async () => {
    const folder = newFolder();
    const file = folder.write('project/.mcp.json', '{ "mcpServers": { "a": {} } }');
    expect((await run(trust, folder, ['--yes'])).complaints).toEqual([
      `Not trusted: ${file}:1: mcpServers.a needs "command", the program to start, or "url".`,
    ]);
  });

  test('prints one exact and escaped document with --json', async () => {
    const folder = newFolder();
    const file = folder.write('project/.mcp.json', {
      command: 'x\u202e',
      args: ['\u001b'],
      env: { API_KEY: 'hidden' },
    });
    const { answers } = await run(trust, folder, ['--yes', '--json']);
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(answers[0] ?? '')).toEqual({
      folder: join(folder.path, 'project'),
      trusted: [
        {
          ...{ id: 'x\u202e', file, line: 1, realPath: file, command: 'x\u202e', args: ['\u001b'] },
          ...{ folder: join(folder.path, 'project'), env: { API_KEY: '(value hidden)' }, envVars: [] },
          ...{ inheritEnv: false, isSwitchedOff: false, wasTrusted: false, warnings: [] },
        },
      ],
      problems: [],
    });
  });

  test.each([
    [['--force'], 'There is no option --force. Usage: switchboard trust [dir] [--yes] [--json]'],
    [['a', 'b'], 'Give one folder at a time. Usage: switchboard trust [dir] [--yes] [--json]'],
    [['nowhere'], 'This is not a folder: '],
    [['/dev/null/x'], 'This is not a folder: /dev/null/x. Usage: switchboard trust [dir] [--yes] [--json]'],
  ])('refuses %j', async (args, message) => {
    await expect(run(trust, newFolder(), args)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(message),
    });
  });
});

describe('switchboard untrust', () => {
  test('lists what it removed, or says that nothing was trusted', async () => {
    const folder = newFolder();
    const file = folder.write('project/.mcp.json', { mcpServers: { a: { command: 'a' }, 'b c': { command: 'b' } } });
    await run(trust, folder, ['--yes']);
    expect((await run(untrust, folder, [])).answers).toEqual([
      `No longer trusted:\n  a of ${file}\n  "b c" of ${file}`,
    ]);
    expect((await run(untrust, folder, [])).answers).toEqual([`Nothing was trusted in ${folder.path}/project.`]);
  });

  test('prints one document with --json', async () => {
    const folder = newFolder();
    const file = folder.write('project/.mcp.json', { mcpServers: { a: { command: 'a' } } });
    await run(trust, folder, ['--yes']);
    const { answers } = await run(untrust, folder, ['--json']);
    expect(answers.map((answer) => JSON.parse(answer))).toEqual([
      { folder: join(folder.path, 'project'), untrusted: [{ id: 'a', file }] },
    ]);
  });

  test('does not affect the surrounding project if the argument names no folder', async () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: { command: 'x' } } });
    await run(trust, folder, ['--yes']);
    expect((await run(untrust, folder, ['a'])).answers).toEqual([`Nothing was trusted in ${folder.path}/project/a.`]);
    expect((await run(untrust, folder, [])).answers).toEqual([expect.stringContaining('No longer trusted')]);
  });

  test('accepts a deleted folder, and at most one folder', async () => {
    expect((await run(untrust, newFolder(), ['/nowhere/at/all'])).answers).toEqual([
      'Nothing was trusted in /nowhere/at/all.',
    ]);
    await expect(run(untrust, newFolder(), ['a', 'b'])).rejects.toMatchObject({ code: 'USAGE' });
  });
});

async function isTrusted(folder: Folder): Promise<boolean> {
  const { servers } = await loadConfig(folder.testEnvironment());
  return servers.every(({ verdict }) => verdict.kind === 'usable');
}

async function run(command: typeof trust, folder: Folder, args: readonly string[], answers: string[] = []) {
  const complaints: string[] = [];
  const output = {
    answer: (text: string) => void answers.push(text),
    report: (text: string) => void complaints.push(text),
  };
  await command(args, { output, env: {}, cwd: join(folder.path, 'project'), home: folder.home });
  return { answers, complaints };
}
