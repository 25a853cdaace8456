import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { configOf, hostHarness, toolOf } from './host-harness.ts';

const { openHost } = hostHarness();

const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

describe('a server that logs', () => {
  const MESSAGES: readonly (readonly [string, string, RegExp])[] = [
    ['a level that is no text', '{"level":{"toString":1},"data":"words"}', /^one says \(at no level\): words$/],
    ['a level without end', `{"level":"${'x'.repeat(5000)}","data":"words"}`, /^one says \(x{32}\): words$/],
    ['what is nested without end', `{"level":"info","data":${DEEP}}`, /^one says \(info\): data that cannot be shown$/],
    ['a text without end', `{"level":"info","data":"${'x'.repeat(3_000_000)}"}`, /^one says \(info\): x{1000,2000}…$/],
    ['an object', '{"level":"info","data":{"toJSON":1,"a":["b"]}}', /^one says \(info\): {"toJSON":1,"a":\["b"\]}$/],
    ['nothing', '{"level":"info"}', /^one says \(info\): null$/],
    ['a list in the place of parameters', '[1]', /^one says \(at no level\): null$/],
  ];

  test.each(MESSAGES)('%s keeps its connection and its call, and appears in the debug log', async (_, params, line) => {
    for (const logLevel of ['info', 'debug'] as const) {
      const lines: string[] = [];
      const log = (text: string) => void lines.push(text.replace('[switchboard] debug: ', ''));
      const host = await openHost({ config: configOf({ one: fixture('says-anything') }), log, logLevel });
      const tool = await toolOf(host, 'one', 'say');
      const notification = `{"jsonrpc":"2.0","method":"notifications/message","params":${params}}`;
      expect(await tool.run({ lines: [notification] })).toMatchObject({ is_error: false, text: 'said' });
      expect(host.get('one')).toMatchObject({ state: 'ready', restarts: 0 });
      const received = lines.filter((text) => text.startsWith('one says'));
      expect(received).toEqual(logLevel === 'debug' ? [expect.stringMatching(line)] : []);
    }
  });
});
