import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { runAsJson } from '../mcp/listing-testbed.ts';
import { configure } from '../mcp/test-report.ts';
import { useTestbeds } from '../mcp/testbed.ts';
import { call, configOf, hostHarness } from './host-harness.ts';

/** A large result with invalid JSON far inside, such as the NaN that Python's `json.dumps` writes. */
const { openHost, processes } = hostHarness();
const newTestbed = useTestbeds(processes);

const result = (mean: string) =>
  `{"content":[{"type":"text","text":"${'x'.repeat(5_000)}"}],"structuredContent":{"mean":${mean}}}`;
const lines = {
  'the id first': (mean: string) => `{"jsonrpc":"2.0","id":"$id","result":${result(mean)}}`,
  'the id last': (mean: string) => `{"result":${result(mean)},"jsonrpc":"2.0","id":"$id"}`,
};
const WHY = 'tools/call: the server sent an answer that is not valid JSON:';

describe.each(Object.entries(lines))('with %s', (_, line) => {
  test('a host answers its agent with an error, and the next call works', async () => {
    const host = await openHost({ config: configOf({ bad: fixture('says-anything') }) });
    const say = (mean: string) => call(host, 'bad', 'say', { lines: [line(mean)], answers: false });
    expect(await say('NaN')).toMatchObject({ is_error: true, text: expect.stringContaining(WHY) });
    expect(await say('1.5')).toMatchObject({ is_error: false });
  });

  test('`mcp call` exits with the code of an invalid response', async () => {
    const testbed = configure(newTestbed(), { bad: fixture('says-anything') });
    const args = JSON.stringify({ lines: [line('NaN')], answers: false });
    const { status, answer, error } = await runAsJson(testbed, 'call', 'bad.say', '--args', args);
    expect({ status, answer, code: error.code, message: error.message }).toEqual({
      status: 4,
      answer: undefined,
      code: 'BAD_ANSWER',
      message: expect.stringContaining(WHY),
    });
  });
});
