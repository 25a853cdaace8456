import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageOf } from '../../../base/errors.ts';
import { unknownToolError } from './name-errors.ts';
import { parseToolName } from './tool-name.ts';

describe('an unknown server name', () => {
  test.each([
    [
      'githb.search',
      ['github', 'files'],
      /^githb\.search does not begin with a configured server\. Did you mean github\.search\?$/,
    ],
    ['github__search', ['github'], /does not have the form <server>\.<name>\. Did you mean github\.search\?$/],
    ['githb', ['github'], /Did you mean github\.<name>\?$/],
    ['nobody.x', ['github'], /See: switchboard mcp list$/],
    ['nobody.x', [], /No server is configured yet\. To import those of your clients, run: switchboard import$/],
    ['\u001b[31m.x', ['github'], /^"\\u001b\[31m\.x" does not begin/],
    ['github', ['github'], /is a server, .* Write github\.<name>\. See: switchboard mcp tools --server github$/],
    ['github.', ['github'], /no tool or prompt is named/],
    ['', ['github'], /^"" does not have the form/],
  ])('%j among %j is rejected with USAGE', (written, ids, words) => {
    expect(caught(() => parseToolName(written, ids))).toEqual({ code: 'USAGE', message: expect.stringMatching(words) });
  });

  test('is never guessed', () => {
    expect(() => parseToolName('GITHUB.search', ['github'])).toThrow('Did you mean github.search?');
  });
});

describe('the longest id followed by a dot', () => {
  test('is the server, and the rest is the tool', () => {
    const ids = ['a', 'a.b', 'a.b.c'];
    const a = { server: 'a', tool: 'b.c.d' };
    expect(parseToolName('a.b.c.d', ids)).toEqual({
      ...{ server: 'a.b.c', tool: 'd' },
      others: [{ server: 'a.b', tool: 'c.d' }, a],
    });
    expect(parseToolName('a.b.x.y', ids)).toEqual({
      ...{ server: 'a.b', tool: 'x.y' },
      others: [{ server: 'a', tool: 'b.x.y' }],
    });
    expect(parseToolName('a.c', ids)).toEqual({ server: 'a', tool: 'c', others: [] });
  });

  test('without that tool yields an error that also names the other possible server', () => {
    const { server, tool, others } = parseToolName('a.with.tool', ['a', 'a.with', 'b']);
    const { code, message, data } = unknownToolError(at(server), tool, ['echo'], others);
    expect({ code, message, data }).toEqual({
      code: 'TOOL_NOT_FOUND',
      message:
        'a.with has no tool tool (or did you mean tool with.tool of server a? See: switchboard mcp tools --server a). It has 1; switchboard mcp tools --server a.with lists them.',
      data: {
        ...{ server: 'a.with', tool: 'tool', near: [], next: 'switchboard mcp tools --server a.with' },
        others: [{ server: 'a', tool: 'with.tool' }],
      },
    });
  });

  test('round-trips any server and tool name', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (server, tool) => {
        expect(parseToolName(`${server}.${tool}`, [server])).toEqual({ server, tool, others: [] });
      }),
    );
  });
});

test('reports an unknown tool with the nearest name, or with the number of tools', () => {
  const near = unknownToolError(at('a b'), 'get-sun', ['echo', 'get-sum']);
  expect([near.code, near.message, near.data]).toEqual([
    'TOOL_NOT_FOUND',
    '"a b" has no tool get-sun. Did you mean "a b.get-sum"?',
    { server: 'a b', tool: 'get-sun', near: ['get-sum'], next: "switchboard mcp tools --server 'a b'" },
  ]);
  expect(unknownToolError(at('a b'), 'x', ['echo']).message).toBe(
    '"a b" has no tool x. It has 1; switchboard mcp tools --server \'a b\' lists them.',
  );
});

function at(id: string) {
  return { id, origin: { layer: 'global', file: 'config.json', line: 1 } } as const;
}

function caught(run: () => unknown): object {
  try {
    return { returned: run() };
  } catch (error) {
    return { code: error instanceof Error && 'code' in error ? error.code : undefined, message: messageOf(error) };
  }
}
