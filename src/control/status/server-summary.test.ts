import { describe, expect, test } from 'vitest';
import { DISABLED_IN_FILE } from '../../config/merge-files.ts';
import type { ConfiguredServer, Layer, Verdict } from '../../config/server-entry.ts';
import { summarizeServer } from './server-summary.ts';

const nothing = { tools: 0, calls: 0, underWay: 0 };

function off(reason: string, layer: Layer, more: Partial<Verdict & { kind: 'disabled' }> = {}): ConfiguredServer {
  const verdict: Verdict = { kind: 'disabled', reason, isUntrusted: false, transport: 'stdio', ...more };
  return { id: 'one', origin: { layer, file: '/a/config.json', line: 3 }, verdict };
}

describe('an unused server is reported with the reason and the next command', () => {
  test.each([
    ['disabled in the global config', 'global', 'switchboard mcp enable one --scope global'],
    ['disabled in the project config', 'project', 'switchboard mcp enable one'],
    ['disabled in .mcp.json', 'mcp-json', 'edit /a/config.json:3'],
  ] as const)('%s', (_, layer, next) => {
    expect(summarizeServer(off(DISABLED_IN_FILE, layer), undefined)).toEqual({
      ...{ id: 'one', transport: 'stdio', source: layer, enabled: false, state: 'disabled', next },
      ...{ note: 'disabled by /a/config.json:3', ...nothing },
    });
  });

  test.each([
    ['by the command line, not by a file', DISABLED_IN_FILE, 'command-line'],
    ['because it is Switchboard itself', 'it would start itself', 'global'],
  ] as const)('off %s: has no next command', (_, note, layer) => {
    const row = { id: 'one', transport: 'stdio', source: layer, enabled: false, state: 'disabled', note };
    expect(summarizeServer(off(note, layer), undefined)).toEqual({ ...row, ...nothing });
  });

  test('untrusted', () => {
    const origin = { layer: 'mcp-json', file: '/a: run b/.mcp.json', line: 3 } as const;
    const server = { ...off('untrusted: run switchboard trust …', 'mcp-json', { isUntrusted: true }), origin };
    expect(summarizeServer(server, undefined)).toMatchObject({
      note: 'untrusted',
      next: "switchboard trust '/a: run b'",
    });
  });
});
