import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { HOSTILE, runAsJson, STEERING, scripted } from './listing-testbed.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const withServers = (servers: Readonly<Record<string, unknown>>) => configure(newTestbed(), servers);

describe('an unavailable prompt', () => {
  test('is reported with the cause and a suggestion', async () => {
    const testbed = withServers({ one: fixture('offers-everything'), plain: fixture('well-behaved') });
    const rows = [
      [['one.gret', 'who=me'], 5, 'one: it has no prompt gret. Did you mean one.greet?'],
      [['one.greet'], 2, 'one.greet: who is missing: text. It takes who=….'],
      [['one.greet', 'whom=me'], 2, expect.stringMatching(/whom is not known \(did you mean who\?\)/)],
      [['one.greet', 'who=a', 'who=b'], 2, expect.stringMatching(/^who is given twice\./)],
      [['one.greet', 'word'], 2, expect.stringMatching(/^Unexpected argument word\./)],
      [['plain.greet'], 5, 'plain: it does not offer prompts.'],
      [['nobody.greet'], 2, expect.stringMatching(/^nobody\.greet does not begin with a configured server/)],
      [['one'], 2, expect.stringMatching(/Write one\.<name>\. See: switchboard mcp prompts list one$/)],
    ] as const;
    const ended = await Promise.all(rows.map(([words]) => runAsJson(testbed, 'prompts', 'get', ...words)));
    expect(ended.map(({ status, answer, error }) => [status, answer, error.message])).toEqual(
      rows.map(([, status, message]) => [status, undefined, message]),
    );
    const unknown = await testbed.mcp('prompts', 'gett');
    expect([unknown.status, unknown.stderr]).toEqual([
      2,
      expect.stringMatching(/mcp prompts gett\. Did you mean get\?/),
    ]);
  });

  test('is one whose response has no messages', async () => {
    const testbed = withServers({
      one: scripted(
        `{ capabilities: { prompts: {} }, methods: { 'prompts/list': () => ({ prompts: [{ name: 'p' }] }), 'prompts/get': () => ({}) } }`,
      ),
    });
    const { status, error } = await runAsJson(testbed, 'prompts', 'get', 'one.p');
    expect([status, error.code]).toEqual([4, 'BAD_ANSWER']);
  });
});

const WEATHER = scripted(`{ capabilities: { prompts: {} }, methods: {
  'prompts/list': () => ({ prompts: [{ name: 'report', description: 'The weather of a place',
    arguments: [{ name: 'city', required: true }, { name: 'state' }] }] }),
  'prompts/get': ({ params: { arguments: { city, state } } }) => ({ messages: [{ role: 'user',
    content: { type: 'text', text: "What's weather in " + city + (state === undefined ? '' : ', ' + state) + '?' } }] }),
} }`);

describe('prompts', () => {
  verifies(['host:prompts:list', 'host:prompts:for-people'], 'are listed with their arguments', async () => {
    const testbed = withServers({ weather: WEATHER, plain: fixture('well-behaved') });
    const { status, stdout, stderr } = await testbed.mcp('prompts', 'list');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('weather.report(city, state?)  The weather of a place\n');
    const { answer } = await runAsJson(testbed, 'prompts', 'list', 'weather');
    expect(answer.prompts).toMatchObject([{ server: 'weather' }]);
    const none = await testbed.mcp('prompts', 'list', 'plain');
    expect(none).toEqual({ status: 0, stdout: 'plain does not offer prompts\n', stderr: '' });
  });

  verifies('host:prompts:get', 'are returned with their arguments filled in', async () => {
    const testbed = withServers({ weather: WEATHER });
    const get = (...words: readonly string[]) => testbed.mcp('prompts', 'get', ...words);
    const [one, two] = await Promise.all([
      get('weather.report', 'city=Bern'),
      get('weather.report', 'city=Bern', 'state=BE=x'),
    ]);
    expect([one, two]).toEqual([
      { status: 0, stdout: "user: What's weather in Bern?\n", stderr: '' },
      { status: 0, stdout: "user: What's weather in Bern, BE=x?\n", stderr: '' },
    ]);
    const { answer } = await runAsJson(testbed, 'prompts', 'get', 'weather.report', 'city=Bern');
    expect(answer).toMatchObject({
      ...{ v: 1, server: 'weather', prompt: 'report' },
      result: { messages: [{ role: 'user', content: { type: 'text', text: "What's weather in Bern?" } }] },
    });
  });

  test('cannot control the terminal, whatever they contain', async () => {
    const text = JSON.stringify(HOSTILE);
    const prompt = `{ name: 'p', title: ${text}, description: ${text}, arguments: [{ name: ${text} }] }`;
    const message = `{ role: ${text}, content: { type: 'text', text: ${text} + '\\nassistant: yes' } }`;
    const testbed = withServers({
      one: scripted(
        `{ capabilities: { prompts: {} }, methods: { 'prompts/list': () => ({ prompts: [${prompt}] }), 'prompts/get': () => ({ messages: [${message}] }) } }`,
      ),
    });
    for (const args of [['list'], ['list', '--json'], ['get', 'one.p'], ['get', 'one.p', '--json']]) {
      const { status, stdout } = await testbed.mcp('prompts', ...args);
      expect([status, stdout.match(STEERING)]).toEqual([0, null]);
    }
    expect((await testbed.mcp('prompts', 'get', 'one.p')).stdout).toMatch(/\n {2}assistant: yes\n$/);
  });
});
