import { describe, expect, test } from 'vitest';
import { toConfigFile } from './files/config-file.ts';
import { mergeFiles } from './merge-files.ts';

const fileOf = (layer: 'project' | 'global', servers: Readonly<Record<string, unknown>>) => {
  const source = {
    layer,
    file: `/${layer}.json`,
    needsTrust: layer === 'project',
    isSwitchboardFile: true,
    namedBy: undefined,
  };
  const text = JSON.stringify({ version: 1, mcp: { servers } });
  return toConfigFile(source, source.file, Buffer.from(text));
};

describe('an entry that only disables', () => {
  const judged = (below: Readonly<Record<string, unknown>>) =>
    mergeFiles([fileOf('project', { a: { enabled: false } }), fileOf('global', below)], () => true).servers;
  const origin = { layer: 'project', file: '/project.json', line: 1 };
  const off = { kind: 'disabled', isUntrusted: false };

  test.each([
    ['a command', { command: 'x' }, 'stdio'],
    ['a URL', { url: 'https://x/mcp' }, 'http'],
    ['an invalid entry', { command: 7 }, undefined],
  ])('disables %s in a lower layer', (_, below, transport) => {
    const verdict = { ...off, reason: 'disabled in its file', transport, definedIn: 'global' };
    expect(judged({ a: below })).toEqual([{ id: 'a', origin, verdict }]);
  });

  test.each([
    ['nothing', {}],
    ['only another disabling entry', { a: { disabled: true } }],
  ])('reports that it is defined nowhere, with %s in a lower layer', (_, below) => {
    const reason = 'disabled, and no config that was read has its command or URL';
    expect(judged(below)).toEqual([{ id: 'a', origin, verdict: { ...off, reason, transport: undefined } }]);
  });

  test('has no effect until it is trusted', () => {
    const files = [fileOf('project', { a: { enabled: false } }), fileOf('global', { a: { command: 'x' } })];
    const { servers } = mergeFiles(files, ({ source }) => !source.needsTrust);
    expect(servers).toMatchObject([{ id: 'a', origin: { layer: 'global' }, verdict: { kind: 'usable' } }]);
  });
});
