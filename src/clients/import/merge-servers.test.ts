import { expect, test } from 'vitest';
import type { FoundServer } from './find-servers.ts';
import { mergeServers } from './merge-servers.ts';

const found = (client: 'codex' | 'cursor' | 'zed', name: string, entry: object, project?: string): FoundServer => ({
  ...{ client, title: client, file: `/${client}`, name, line: 1, project, notCarried: [] },
  entry: { ...entry },
});

const summary = (servers: readonly FoundServer[]) =>
  mergeServers(servers).map(({ id, server, duplicates, isEnabled }) => ({
    id,
    from: server.client,
    also: duplicates.map(({ client, name }) => `${client}:${name}`),
    isEnabled,
  }));

test('the same definition under two names and in two notations is one server', () => {
  expect(
    summary([
      found('codex', 'github', { transport: 'stdio', command: 'x', env_vars: ['KEY'], enabled: false }),
      found('cursor', 'gh', { command: 'x', env: { KEY: `\${KEY}` }, expand_variables: true, request_timeout_ms: 1 }),
      found('codex', 'web', { url: 'https://w.example', bearer_token_env_var: 'T' }),
      found('zed', 'web', {
        url: 'https://w.example',
        headers: { authorization: `Bearer \${T}` },
        expand_variables: true,
      }),
    ]),
  ).toEqual([
    { id: 'github', from: 'codex', also: ['cursor:gh'], isEnabled: true },
    { id: 'web', from: 'codex', also: ['zed:web'], isEnabled: true },
  ]);
});

test('different definitions and different tools of one name are different servers', () => {
  expect(
    summary([
      found('codex', 'a b', { command: 'x' }),
      found('cursor', 'a b', { command: 'y', enabled: false }),
      found('zed', 'a-b', { command: 'x', enabled_tools: ['one'] }),
      found('cursor', 'a/b', { command: 'z' }),
      found('zed', '__proto__', { url: 'https://w.example', headers: { A: `\${T}` } }),
      found('zed', 'w', { url: 'https://w.example', headers: { A: `\${T}` }, expand_variables: true }),
    ]).map(({ id, isEnabled }) => [id, isEnabled]),
  ).toEqual([
    ['a-b', true],
    ['a-b-cursor', false],
    ['a-b-zed', true],
    ['a-b-cursor-2', true],
    ['server', true],
    ['w', true],
  ]);
});

test('a server for all projects is preferred to the same one of a project', () => {
  expect(summary([found('codex', 'a', { command: 'x' }, '/work'), found('cursor', 'a', { command: 'x' })])).toEqual([
    { id: 'a', from: 'cursor', also: ['codex:a'], isEnabled: true },
  ]);
});
