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

describe('an entry that is off and says no more', () => {
  const judged = (below: Readonly<Record<string, unknown>>) =>
    mergeFiles([fileOf('project', { a: { enabled: false } }), fileOf('global', below)], () => true).servers;
  const origin = { layer: 'project', file: '/project.json', line: 1 };
  const off = { kind: 'disabled', isUntrusted: false };

  test.each([
    ['a program', { command: 'x' }, 'stdio'],
    ['an address', { url: 'https://x/mcp' }, 'http'],
    ['something broken', { command: 7 }, undefined],
  ])('switches off %s that stands below it', (_, below, transport) => {
    const verdict = { ...off, reason: 'switched off in its file', transport, definedIn: 'global' };
    expect(judged({ a: below })).toEqual([{ id: 'a', origin, verdict }]);
  });

  test.each([
    ['nothing', {}],
    ['nothing but another of its kind', { a: { disabled: true } }],
  ])('says that it is defined nowhere, where %s stands below it', (_, below) => {
    const reason = 'switched off, and nothing that was read says how it is reached';
    expect(judged(below)).toEqual([{ id: 'a', origin, verdict: { ...off, reason, transport: undefined } }]);
  });

  test('does nothing while nobody trusts it', () => {
    const files = [fileOf('project', { a: { enabled: false } }), fileOf('global', { a: { command: 'x' } })];
    const { servers } = mergeFiles(files, ({ source }) => !source.needsTrust);
    expect(servers).toMatchObject([{ id: 'a', origin: { layer: 'global' }, verdict: { kind: 'usable' } }]);
  });
});
