import { expect, test } from 'vitest';
import { AppError } from '../../../base/errors.ts';
import type { LoadedConfig } from '../../../config/server-entry.ts';
import type { ExplainedTool, ExplainedTools } from '../../../gateway/status/explain-tools.ts';
import { findSubject, pickTool, unknownTool } from './subject.ts';

function config(...ids: string[]): LoadedConfig {
  const origin = { layer: 'global', file: '/config.json', line: 1 } as const;
  const verdict = { kind: 'disabled', reason: 'disabled in its file', isUntrusted: false } as const;
  return { servers: ids.map((id) => ({ id, origin, verdict })), problems: [], files: [] };
}

function explainedTool(name: string, publicName = `one__${name}`): ExplainedTool {
  return { name, publicName, repairs: [], rewrites: [], before: '{}', after: '{}' };
}

const explained: ExplainedTools = {
  listed: 'now',
  tools: [explainedTool('read'), explainedTool('one__read', 'one__one__read'), explainedTool('write')],
  leftOut: [
    { name: 'twin', reason: 'another tool has the same name' },
    { name: undefined, reason: 'it is not an object' },
  ],
  unlistedServers: [],
};

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test.each([
  ['an unknown id', 'flies', /^There is no server flies \(configured: files, git\)\. Did you mean files\?$/],
  ['with a tool', 'flies.read', /^There is no server flies\.read \(.*\)\. Did you mean files\?$/],
  ['a name as clients show it', 'git__log', /Did you mean git\.git__log\?$/],
  ['no similar name', 'x\u001b[31my', /^There is no server "x\\u001b\[31my" \(configured: files, git\)\.$/],
])('rejects an unknown server and suggests similar names: %s', (_, wanted, message) => {
  const error = thrownBy(() => findSubject(wanted, config('files', 'git')));
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({ code: 'USAGE', message: expect.stringMatching(message) });
});

test('reports that no server is configured, and the file with a problem', () => {
  const problems = [{ file: '/x.json', line: 3, message: 'this is not JSON' }];
  const error = thrownBy(() => findSubject('one', { ...config(), problems }));
  expect(error).toMatchObject({
    message: 'There is no server one: no server is configured. Config problem: /x.json:3: this is not JSON',
  });
});

test.each([
  ['files', 'files', undefined],
  ['files.read', 'files', 'read'],
  ['files.read.all', 'files', 'read.all'],
  ['a.b', 'a.b', undefined],
  ['a.b.c', 'a.b', 'c'],
  ['a.c', 'a', 'c'],
  ['a.', 'a', ''],
])('reads %s as server %s and tool %s', (wanted, id, tool) => {
  const { server, tool: found } = findSubject(wanted, config('a', 'files', 'a.b'));
  expect([server.id, found]).toEqual([id, tool]);
});

test('finds a tool by its own name, then by its public name, even if it is omitted', () => {
  const namesOf = ({ tools, leftOut }: ExplainedTools) => [...tools, ...leftOut].map(({ name }) => name);
  const wanted = ['read', 'one__read', 'one__write', 'twin', 'nothing'];
  expect(wanted.map((tool) => namesOf(pickTool(explained, tool)))).toEqual([
    ['read'],
    ['one__read'],
    ['write'],
    ['twin'],
    [],
  ]);
});

test('rejects an unknown tool and suggests similar names', () => {
  const { server } = findSubject('one', config('one'));
  const { code, message } = unknownTool({ server, tool: 'raed' }, explained);
  expect([code, message]).toEqual([
    'TOOL_NOT_FOUND',
    'one has no tool raed: it has 3; switchboard gateway --explain one lists them. Did you mean read or one__read?',
  ]);
});
