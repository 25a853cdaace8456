import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { HOSTILE, runAsJson, STEERING, scripted } from './listing-testbed.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const withServers = (servers: Readonly<Record<string, unknown>>) => configure(newTestbed(), servers);

describe('a tool that does not exist', () => {
  test('is reported with a suggestion, by server and by name', async () => {
    const testbed = withServers({
      one: fixture('has-names', 'x', '["get_sum","echo"]'),
      off: { command: 'x', enabled: false },
    });
    const rows = [
      ['one.get_sun', 5, 'TOOL_NOT_FOUND', 'one has no tool get_sun. Did you mean one.get_sum?'],
      [
        'one.zzzzzz',
        5,
        'TOOL_NOT_FOUND',
        'one has no tool zzzzzz. It has 2; switchboard mcp tools --server one lists them.',
      ],
      ['on.echo', 2, 'USAGE', 'on.echo does not begin with a configured server. Did you mean one.echo?'],
      ['one__echo', 2, 'USAGE', 'one__echo does not have the form <server>.<name>. Did you mean one.echo?'],
      ['off.x', 2, 'USAGE', expect.stringMatching(/^off \(.*\) is off: .* Run: switchboard mcp enable off/)],
    ] as const;
    const ended = await Promise.all(rows.map(([name]) => runAsJson(testbed, 'tool', name)));
    expect(ended.map(({ status, answer, error }) => [status, answer, error.code, error.message])).toEqual(
      rows.map(([, status, code, message]) => [status, undefined, code, message]),
    );
  });

  test('may belong to another server whose id has a dot: that is named, but not contacted', async () => {
    const testbed = withServers({ a: fixture('has-names', 'x', '["with.tool"]') });
    testbed.write('.codex/.mcp.json', { mcpServers: { 'a.with': fixture('has-names', 'x', '["echo"]') } });
    for (const command of ['tool', 'call']) {
      const { status, answer, error } = await runAsJson(testbed, command, 'a.with.tool');
      expect([status, answer, error]).toEqual([
        5,
        undefined,
        expect.objectContaining({
          message: expect.stringMatching(
            /^a\.with has no tool tool \(or did you mean tool with\.tool of server a\? See: /,
          ),
          others: [{ server: 'a', tool: 'with.tool' }],
        }),
      ]);
    }
  });

  test('may be in an unreadable file, which is reported', async () => {
    const testbed = newTestbed();
    testbed.write('own/config.json', '{');
    expect(await runAsJson(testbed, 'tool', 'one.x')).toMatchObject({ status: 7, error: { code: 'CONFIG_INVALID' } });
  });

  test('because its definition is unusable is reported with the reason', async () => {
    const { status, error } = await runAsJson(withServers({ odd: fixture('schema-bombs') }), 'tool', 'odd.bottomless');
    expect([status, error]).toMatchObject([
      6,
      {
        ...{ code: 'TOOL_INVALID', server: 'odd', tool: 'bottomless' },
        message: expect.stringMatching(/^odd\.bottomless has no definition to show: .+\.$/),
      },
    ]);
  });

  test('of a server that crashes is reported with the crash', async () => {
    const { status, error } = await runAsJson(withServers({ one: fixture('dies-at-start') }), 'tool', 'one.x');
    expect([status, error]).toEqual([
      4,
      expect.objectContaining({
        ...{ code: 'PROCESS_EXITED', server: 'one', next: 'switchboard set one env.API_KEY --scope global' },
        message: expect.stringMatching(
          /^one: it ended with exit code 3: dies-at-start: API_KEY is not set\. .*\(.*config\.json:\d+\)\. Run: switchboard set one env\.API_KEY --scope global$/,
        ),
      }),
    ]);
  });
});

describe('a tool', () => {
  test('is shown with its schema before and after the profile, and why they differ', async () => {
    const testbed = withServers({ one: fixture('exact-definitions') });
    const { status, stdout, stderr } = await testbed.mcp('tool', 'one.odd');
    expect([status, stderr]).toEqual([0, '']);
    const [head, ...rest] = stdout.split('\n');
    expect([head, rest[0]]).toEqual(['one.odd(__proto__?: integer) [read-only]', 'Ünusual']);
    const sections = [
      'input schema:',
      'for codex: rewritten',
      '  properties.__proto__: described in words: at most',
      'output schema:',
    ];
    const places = sections.map((text) => stdout.indexOf(`\n${text}`));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    // A parser would have changed it.
    expect(stdout).toContain('"maximum": 9007199254740993,\n');
    expect(stdout).toContain('"default": 1.0\n');
    expect((await testbed.mcp('tool', 'one.odd', '--as', 'none')).stdout).toContain('\nfor none: unchanged\n');
  });

  test('as JSON has both schemas unchanged', async () => {
    const testbed = withServers({ one: fixture('exact-definitions') });
    const { stdout } = await testbed.mcp('tool', 'one.odd', '--as', 'codex-legacy', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ v: 1, server: 'one', tool: 'odd', profile: 'codex-legacy', via: 'direct', badges: ['read-only'] },
      inputSchema: { before: { $schema: expect.any(String) }, after: { type: 'object' } },
      outputSchema: { type: 'object' },
    });
    expect(stdout).toContain('"maximum":9007199254740993,"default":1.0');
  });

  test('that the config hides is shown, with the reason', async () => {
    const named = fixture('has-names', 'x', '["never"]');
    const testbed = withServers({ one: { ...named, disabled_tools: ['never'] } });
    expect((await testbed.mcp('tool', 'one.never')).stdout).toMatch(/^one\.never\(\)\nhidden: the config denies it\n/);
  });

  test('with a hostile name, title and description cannot control the terminal', async () => {
    const text = JSON.stringify(HOSTILE);
    const tool = `{ title: ${text}, description: ${text} + '\\n' + ${text}, inputSchema: { type: 'object', description: ${text} }, call: () => text('') }`;
    const testbed = withServers({ one: scripted(`{ tools: { evil: ${tool} } }`) });
    for (const more of [[], ['--json'], ['--as', 'none']]) {
      const { status, stdout } = await testbed.mcp('tool', 'one.evil', ...more);
      expect([status, stdout.match(STEERING)]).toEqual([0, null]);
    }
    const { shown } = await testbed.onTerminal(['tool', 'one.evil'], []);
    expect(shown.replaceAll('\r\n', '\n')).not.toMatch(STEERING);
  });
});
