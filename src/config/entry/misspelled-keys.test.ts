import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toConfigFile } from '../files/config-file.ts';
import type { Source } from '../files/sources.ts';
import { entryKeys } from './entry-keys.ts';
import { findMisspelledKeys } from './misspelled-keys.ts';

const source: Source = {
  layer: 'explicit',
  file: '/x/mcp.json',
  needsTrust: false,
  isSwitchboardFile: false,
  namedBy: undefined,
};

function problemsOf(content: unknown) {
  return findMisspelledKeys(toConfigFile(source, source.file, Buffer.from(JSON.stringify(content, undefined, 1))));
}

/** Returns the key that this misspelling probably means. */
function meant(key: string): string | undefined {
  const [problem] = problemsOf({ mcpServers: { one: { command: 'a', [key]: 'b' } } });
  return problem?.message.match(/did you mean "(.*)"\?$/)?.[1];
}

describe('a misspelled key', () => {
  test('is reported with its location and the intended key, even if the entry is invalid', () => {
    expect(problemsOf({ mcpServers: { one: { command: 'a', agrs: [] }, 'two 2': { comand: 'b' }, three: 5 } })).toEqual(
      [
        {
          file: '/x/mcp.json',
          line: 5,
          message: 'mcpServers.one.agrs is not known and has no effect: did you mean "args"?',
        },
        {
          file: '/x/mcp.json',
          line: 8,
          message: 'mcpServers["two 2"].comand is not known and has no effect: did you mean "command"?',
        },
      ],
    );
  });

  test.each([
    ['comand', 'command'],
    ['commmand', 'command'],
    ['commnad', 'command'],
    ['xommand', 'command'],
    ['Command', 'command'],
    ['arg', 'args'],
    ['envs', 'env'],
    ['ulr', 'url'],
    ['header', 'headers'],
    ['enable', 'enabled'],
    ['envVars', 'env_vars'],
    ['startup-timeout-ms', 'startup_timeout_ms'],
  ])('is recognized by one typo: %s means %s', (written, name) => {
    expect(meant(written)).toBe(name);
  });

  test.each([
    'cmd',
    'tags',
    'bin',
    'description',
    'alwaysAllow',
    'trust',
    'name',
    'icon',
    '',
    '__proto__',
    'constructor',
  ])('is not suspected in a different word: %s', (key) => {
    expect(meant(key)).toBeUndefined();
  });

  test('is reported with control characters escaped', () => {
    expect(problemsOf({ mcpServers: { one: { command: 'a', 'arg\u001bs': 'b' } } })).toMatchObject([
      { message: 'mcpServers.one["arg\\u001bs"] is not known and has no effect: did you mean "args"?' },
    ]);
  });

  test('is never a known key, and is found for any known key with a letter missing', () => {
    const known = entryKeys({ ...source, line: 0 }).flatMap(({ names }) => names);
    fc.assert(
      fc.property(fc.constantFrom(...known), fc.nat(), (key, place) => {
        const at = place % key.length;
        const slip = key.slice(0, at) + key.slice(at + 1);
        expect([meant(key), meant(slip) !== undefined || known.includes(slip)]).toEqual([undefined, true]);
      }),
    );
  });
});
