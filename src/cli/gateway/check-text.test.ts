import { describe, expect, test } from 'vitest';
import { displayWidth } from '../../base/text/display-width.ts';
import type { ServerStatus } from '../../gateway/status/server-status.ts';
import { serverLines } from './check-text.ts';

const ready: ServerStatus = {
  ...{ id: 'one', state: 'ready', configured: '/c.json:3', tools: 1, hiddenTools: 0, prompts: 0, resources: 0 },
  ...{ changes: [], changedTools: [], quarantined: [], problems: [], lastWords: [] },
};

describe('the lines of a checked server', () => {
  test('align columns for ids with any characters', () => {
    const places = ['one', 'mein-wörterbuch', '東京のファイル', '🗂️files', 'e\u0301'].map((id) => {
      const [head = ''] = serverLines({ ...ready, id });
      return displayWidth(head.slice(0, head.indexOf('ready')));
    });
    expect(places).toEqual([25, 25, 25, 25, 25]);
    expect(serverLines({ ...ready, id: '東'.repeat(30) })).toEqual([
      `${'東'.repeat(19)}… ready          1 tool     /c.json:3`,
    ]);
  });

  test('end with the full next command, and truncate other long lines', () => {
    const next = `switchboard trust '/${'deep/'.repeat(100)}'`;
    const server: ServerStatus = {
      ...{ ...ready, state: 'disabled', tools: 0, reason: 'untrusted', next, problems: ['x'.repeat(400)] },
      ...{ lastWords: ['\u001b[31mred'], changes: [{ name: 'a', what: 'renamed' }] },
      quarantined: [{ name: 'b', reason: 'no schema' }],
    };
    expect(serverLines(server)).toEqual([
      'one                      disabled       0 tools    /c.json:3',
      '  untrusted',
      '  stderr: red',
      `  ${'x'.repeat(299)}…`,
      '  left out: b: no schema',
      '  a: renamed',
      `  next: ${next}`,
    ]);
  });
});
