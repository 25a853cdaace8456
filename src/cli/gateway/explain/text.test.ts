import { expect, test } from 'vitest';
import type { ExplainedTool, ExplainedTools } from '../../../gateway/status/explain-tools.ts';
import type { ServerStatus } from '../../../gateway/status/server-status.ts';
import { toDocument } from './document.ts';
import type { Explanation } from './explain.ts';
import { toText } from './text.ts';

const origin = { layer: 'global', file: '/c.json', line: 3 } as const;

const status: ServerStatus = {
  ...{ id: 'one', state: 'ready', configured: '/c.json:3', protocolVersion: '2025-11-25' },
  ...{ tools: 2, hiddenTools: 0, prompts: 0, resources: 0 },
  ...{ changes: [], changedTools: [], quarantined: [], problems: [], lastWords: [] },
};

const read: ExplainedTool = {
  name: 'read',
  publicName: 'one__read',
  repairs: ['description was not text and is left out'],
  rewrites: [
    { path: '', what: 'type added', why: 'there was none', isNarrowing: false },
    { path: 'properties.q', what: 'became string', why: 'it had no type', isNarrowing: true },
  ],
  before: '{"properties":{"q":{"minimum":1.0}}}',
  after: '{"type":"object","properties":{"q":{"type":"string"}}}',
};
const hidden: ExplainedTool = {
  ...{
    name: 'se\u001b[31mcret',
    publicName: 'one__secret',
    whyNamedSo: 'its own name has characters that are not allowed',
  },
  ...{ hidden: 'hidden: the config denies it', repairs: [], rewrites: [], before: '{}', after: '{}' },
};
const tools: ExplainedTools = {
  ...{ listed: 'now', tools: [read, hidden], unlistedServers: [] },
  leftOut: [{ name: undefined, reason: 'it is not an object' }],
};

const explanation: Explanation = {
  subject: { server: { id: 'one', origin, verdict: { kind: 'error', reason: '' } }, tool: undefined },
  status,
  entry: {
    id: 'one',
    values: [{ key: 'env.TOKEN', shown: '(value hidden)', file: '/c.json', line: 5, layer: 'global' }],
    defaults: [{ key: 'pin', shown: 'false' }],
    overridden: [{ layer: 'codex', file: '/d.json', line: 2, why: 'the entry in /c.json:3 takes precedence' }],
  },
  problems: [],
  profile: 'codex',
  isDefaultProfile: true,
  tools,
};

const CONFIG = [
  'config: /c.json:3 (global)',
  '  env.TOKEN  (value hidden)  /c.json:5 (global)',
  '  pin        false           (default)',
  '  no effect: /d.json:2 (codex): the entry in /c.json:3 takes precedence',
];

test('lists all tools of a server, then the changes, without control characters', () => {
  expect(toText(explanation).split('\n')).toEqual([
    'one: ready, protocol 2025-11-25',
    '  profile codex (for current Codex versions; for others, use --profile none|codex|codex-legacy)',
    '',
    ...CONFIG,
    '',
    'tools: 1 of 3',
    '  read       -> one__read                   2 rewrites, 1 repair',
    '  secret     hidden: the config denies it   unchanged',
    '  (no name)  left out: it is not an object',
    '',
    'read:',
    '  repaired: description was not text and is left out',
    '  top: type added (there was none)',
    '  properties.q: became string (it had no type) [narrows]',
    '',
    '[narrows]: the server accepts more than the schema that clients see.',
  ]);
});

test('shows everything about one tool, with its schema before and after', () => {
  const subject = { ...explanation.subject, tool: 'read' };
  const one = { ...explanation, subject, tools: { ...tools, tools: [read], leftOut: [] }, isDefaultProfile: false };
  expect(toText(one).split('\n').slice(8)).toEqual([
    'tool read',
    '  listed as one__read',
    '  repaired: description was not text and is left out',
    '  top: type added (there was none)',
    '  properties.q: became string (it had no type) [narrows]',
    '',
    '[narrows]: the server accepts more than the schema that clients see.',
    '',
    'schema before:',
    ...['{', '  "properties": {', '    "q": {', '      "minimum": 1.0', '    }', '  }', '}'],
    '',
    'schema after:',
    ...JSON.stringify(JSON.parse(read.after), undefined, 2).split('\n'),
  ]);
});

test('reports a tool as both hidden and unchanged', () => {
  const subject = { ...explanation.subject, tool: 'secret' };
  const one = { ...explanation, subject, tools: { ...tools, tools: [hidden], unlistedServers: ['two'] } };
  expect(toText(one).split('\n').slice(8)).toEqual([
    'tool secret',
    '  would be listed as one__secret',
    '  named so: its own name has characters that are not allowed',
    '  hidden: the config denies it',
    "  the tools of two are unknown; if two tools have the same name, the first server's is listed",
    '',
    'schema before:',
    '{}',
    '',
    'schema after: unchanged',
  ]);
});

test('reports why a server is down, the next step, and the age of its tool list', () => {
  const down: Explanation = {
    ...explanation,
    status: { ...status, state: 'error', reason: 'it ended', next: 'edit /c.json:3', lastWords: ['\u009b2Jno key'] },
    tools: { ...tools, listed: 'earlier', tools: [hidden], leftOut: [] },
  };
  const lines = toText(down).split('\n');
  expect(lines.slice(0, 4)).toEqual([
    'one: error, protocol 2025-11-25 when it was last seen',
    '  it ended',
    '  stderr: no key',
    '  next: edit /c.json:3',
  ]);
  expect(lines).toContain('tools: 0 of 1 (from an earlier run: the server did not list them this time)');
});

test('reports a tool as unknown if its server has not listed tools yet', () => {
  const subject = { ...explanation.subject, tool: 'read' };
  const nothing: ExplainedTools = { listed: 'never', tools: [], leftOut: [], unlistedServers: [] };
  expect(
    toText({ ...explanation, subject, tools: nothing })
      .split('\n')
      .slice(-2),
  ).toEqual(['tool read:', '  unknown: the server has not listed its tools']);
});

test('the JSON document is complete, keeps schemas as written, and escapes invisible characters', () => {
  const text = toDocument(explanation);
  expect(text).toContain('"schema":{"before":{"properties":{"q":{"minimum":1.0}}},');
  expect(text).not.toMatch(/[^ -~]/);
  const { before: _, after, ...rest } = read;
  expect(JSON.parse(text)).toEqual({
    ...{ server: 'one', profile: 'codex', state: 'ready', protocolVersion: '2025-11-25', problems: [], lastWords: [] },
    config: {
      ...origin,
      values: explanation.entry?.values,
      defaults: explanation.entry?.defaults,
      overridden: explanation.entry?.overridden,
      problems: [],
    },
    ...{ listed: 'now', changedTools: [], leftOut: [{ reason: 'it is not an object' }], unheard: [] },
    tools: [
      { ...rest, schema: { before: { properties: { q: { minimum: 1 } } }, after: JSON.parse(after) } },
      {
        ...{ name: hidden.name, publicName: 'one__secret', whyNamedSo: hidden.whyNamedSo, hidden: hidden.hidden },
        ...{ repairs: [], rewrites: [], schema: { before: {}, after: {} } },
      },
    ],
  });
});

test('shows stray stdout output once, as text and in JSON', () => {
  const strayOutput = 'It prints text on stdout, for example "hello"';
  const noisy = { ...explanation, status: { ...status, strayOutput } };
  expect(toText(noisy).split('\n').slice(0, 2)).toEqual(['one: ready, protocol 2025-11-25', `  ${strayOutput}`]);
  expect(JSON.parse(toDocument(noisy))).toMatchObject({ strayOutput });
  expect(JSON.parse(toDocument(explanation))).not.toHaveProperty('strayOutput');
  const down = { ...noisy, status: { ...noisy.status, state: 'error' as const, reason: `it ended. ${strayOutput}` } };
  expect(toText(down).split(strayOutput)).toHaveLength(2);
});
