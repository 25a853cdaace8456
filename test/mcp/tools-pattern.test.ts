import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { runAsJson } from './listing-testbed.ts';
import { configure } from './test-report.ts';
import { GLOBAL, type Testbed, useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());

/** A server that works, one that cannot start, and a disabled one. */
function three(): Testbed {
  const off = { ...fixture('well-behaved'), enabled: false };
  return configure(newTestbed(), { good: fixture('well-behaved'), gone: { command: '/nowhere/x' }, off });
}

test.each(['good.*', 'GOOD.echo', 'goo?.ec*', 'good'])(
  'mcp tools %s contacts only the server that it names',
  async (pattern) => {
    const { status, stdout, stderr } = await three().mcp('tools', pattern);
    expect([status, stdout, stderr]).toEqual([0, expect.stringContaining('good.echo('), '']);
  },
);

test.each(['*.echo', 'echo', 'ood.echo'])('mcp tools %s may match any server, and contacts all', async (pattern) => {
  const { status, stdout, stderr } = await three().mcp('tools', pattern);
  expect([status, stdout]).toEqual([4, expect.stringContaining('good.echo(')]);
  expect(stderr).toContain('gone');
  // The user who disabled it knows that.
  expect(stderr).not.toContain('Skipped');
});

test.each(['gone', 'gone.*'])('mcp tools %s says only why no tool could be listed', async (pattern) => {
  const { status, stdout, stderr } = await three().mcp('tools', pattern);
  expect([status, stdout, stderr]).toEqual([
    4,
    '',
    expect.stringMatching(/^gone: Spawn error: .* Run: switchboard mcp test gone\n$/),
  ]);
});

test('mcp tools off says why that server is not contacted, and nothing about the others', async () => {
  const { status, stderr } = await three().mcp('tools', 'off');
  expect(stderr).not.toContain('gone');
  expect([status, stderr]).toEqual([5, expect.stringContaining('Skipped: off (disabled by ')]);
});

test('mcp tools off.* says why the server that it names is not contacted', async () => {
  const testbed = three();
  const { status, stdout, stderr } = await testbed.mcp('tools', 'off.*');
  const file = testbed.path(GLOBAL);
  const why = `disabled by ${file}:\\d+\\. Run: switchboard mcp enable off --scope global`;
  const message = `No tool matches "?off\\.\\*"?\\. Skipped: off \\(${why}\\)`;
  expect([status, stdout, stderr]).toEqual([5, '', expect.stringMatching(new RegExp(`^${message}\\n`))]);
  const { error } = await runAsJson(testbed, 'tools', 'off.*');
  expect(error).toMatchObject({
    ...{
      code: 'TOOL_NOT_FOUND',
      pattern: 'off.*',
      near: [],
      message: expect.stringMatching(new RegExp(`^${message}$`)),
    },
    skipped: [{ server: 'off', reason: expect.stringMatching(new RegExp(`^${why}$`)) }],
  });
});

test('a server that hung at its last start is skipped with a pattern, and contacted with --direct', async () => {
  const hung = { ...fixture('hangs-at-initialize'), startup_timeout_ms: 500 };
  const testbed = configure(newTestbed(), { good: fixture('well-behaved'), hung });
  expect(await testbed.mcp('test', 'hung')).toMatchObject({ status: 4 });
  const { status, stdout, stderr } = await testbed.mcp('tools', 'echo');
  expect([status, stdout]).toEqual([4, expect.stringContaining('good.echo(')]);
  expect(stderr).toMatch(
    /^hung: skipped because its last start failed: it did not become ready: .* To query it, use --direct\b.* Run: switchboard mcp test hung\n/,
  );
  const { answer } = await runAsJson(testbed, 'tools', 'echo');
  expect(answer.failures).toMatchObject([
    { server: 'hung', code: 'START_FAILED', message: expect.stringMatching(/^skipped because/) },
  ]);
  for (const args of [['tools', 'echo', '--direct'], ['tools']]) {
    const asked = await testbed.mcp(...args);
    expect([asked.status, asked.stderr]).toEqual([4, expect.stringContaining('hung: it did not become ready')]);
  }
});

test('a server that exited at its last start is started again, because that takes no time', async () => {
  const testbed = configure(newTestbed(), { good: fixture('well-behaved'), dead: fixture('dies-at-start') });
  expect(await testbed.mcp('test', 'dead')).toMatchObject({ status: 4 });
  const { status, stderr } = await testbed.mcp('tools', 'echo');
  expect([status, stderr]).toEqual([4, expect.stringMatching(/^dead: it ended with exit code 3/)]);
});
