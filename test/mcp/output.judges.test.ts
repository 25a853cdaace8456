import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { GLOBAL, ownConfig, serversIn, type Testbed, useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());

function withServers(): Testbed {
  const testbed = newTestbed();
  testbed.write(
    GLOBAL,
    ownConfig({ one: { command: 'x' }, off: { command: 'x', enabled: false }, web: { url: 'https://x/mcp' } }),
  );
  return testbed;
}

/** Commands that succeed, and commands that fail. */
const good: readonly (readonly string[])[] = [
  ['add', 'new', 'https://x/mcp', '--scope', 'global'],
  ['add', 'new', '--dry-run', '--', 'x'],
  ['list'],
  ['list', '--scope', 'project'],
  ['get', 'one'],
  ['remove', 'one', '--scope', 'global'],
  ['enable', 'off', '--scope', 'global'],
  ['disable', 'one', '--scope', 'global'],
  ['disable', 'one', '--scope', 'project'],
];
const bad: readonly (readonly string[])[] = [
  ['add', 'new'],
  ['add', 'one', 'https://x/mcp', '--scope', 'global'],
  ['get', 'nobody'],
  ['remove', 'one', '--scope', 'project'],
  ['enable', 'nobody'],
  ['disable', 'nobody'],
  ['list', '--nonsense'],
  ['lst'],
];

describe('every verb', () => {
  test.each(good)(
    'prints its result on stdout, as one document with --json, with or without --verbose: mcp %s %s',
    async (...args) => {
      const plain = await withoutPath(withServers(), args);
      expect(plain).toMatchObject({ status: 0, stdout: expect.stringMatching(/\S\n$/) });
      expect(await withoutPath(withServers(), [...insert(args, '--verbose')])).toEqual(plain);
      const json = await withServers().mcp(...insert(args, '--json'));
      expect({ status: json.status, stderr: json.stderr }).toEqual({ status: 0, stderr: '' });
      expect(json.stdout.endsWith('\n') && json.stdout.trimEnd().split('\n').length === 1).toBe(true);
      expect(JSON.parse(json.stdout)).toMatchObject({ v: 1 });
      expect((await withServers().mcp(...insert(args, '--json', '--verbose'))).status).toBe(0);
    },
  );

  test.each(bad)('reports errors on stderr, as one document with --json: mcp %s %s', async (...args) => {
    const plain = await withServers().mcp(...args);
    expect(plain).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/\S/) });
    const json = await withServers().mcp(...args, '--json');
    expect({ status: json.status, stdout: json.stdout }).toEqual({ status: 2, stdout: '' });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'USAGE', message: expect.any(String) } });
  });

  test('has its own help, and mcp alone shows all verbs', async () => {
    const testbed = newTestbed();
    const overview = await testbed.mcp();
    expect(overview).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^Usage: switchboard mcp/) });
    expect(await testbed.mcp('--help')).toEqual(overview);
    const verbs = [...overview.stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, verb = '']) => verb);
    expect(verbs).toEqual([
      ...['add', 'list', 'get', 'set', 'unset', 'rename', 'remove', 'enable', 'disable', 'test', 'login', 'logout'],
      ...['status', 'tools', 'tool', 'call', 'resources', 'prompts'],
    ]);
    for (const verb of verbs)
      expect(await testbed.mcp(verb, '--help')).toMatchObject({
        ...{ status: 0, stderr: '' },
        stdout: expect.stringMatching(new RegExp(`^switchboard mcp ${verb}: [^]*?\n\nUsage: switchboard mcp ${verb} `)),
      });
    expect((await testbed.run(['--help'])).stdout).toContain('  mcp         ');
    expect((await testbed.mcp('lits')).stderr).toContain(
      'There is no switchboard mcp lits. Did you mean switchboard mcp list?',
    );
    expect((await testbed.mcp('__proto__')).status).toBe(2);
  });
});

verifies(
  'config:own:no-expansion',
  'a command is written and shown literally, whatever a shell would make of it',
  async () => {
    const testbed = newTestbed();
    const command = 'run; touch x && $(touch y) `z` | "q" \'s\'\nnext';
    await testbed.mcp('add', 'a', '--scope', 'global', '--', command, '$HOME', '*');
    expect(serversIn(testbed, GLOBAL)).toEqual({ a: { transport: 'stdio', command, args: ['$HOME', '*'] } });
    expect((await testbed.mcp('list')).stdout).toContain(JSON.stringify(command).slice(0, 40));
  },
);

/** Inserts before `--`: the arguments after it belong to another program. */
function insert(args: readonly string[], ...more: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end === -1 ? [...args, ...more] : [...args.slice(0, end), ...more, ...args.slice(end)];
}

async function withoutPath(testbed: Testbed, args: readonly string[]) {
  const { status, stdout, stderr } = await testbed.mcp(...args);
  return { status, stdout: stdout.replaceAll(testbed.folder, ''), stderr: stderr.replaceAll(testbed.folder, '') };
}
