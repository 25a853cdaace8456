import { expect, test } from 'vitest';
import { parseCodexVersion } from '../../../locate/codex-version.ts';
import { startParams, threadParams, toInput, toOpened, toTarget, toTurnId, turnParams, withTurn } from './params.ts';

const TODAY = parseCodexVersion('codex-cli 0.166.0');
const OLD = parseCodexVersion('codex-cli 0.92.0');

const REFUSED = ['sandbox_approval', 'rules', 'skill_approval', 'request_permissions'];
const NEVER = { granular: { ...Object.fromEntries(REFUSED.map((name) => [name, false])), mcp_elicitations: true } };

test.each([
  ['still asks about MCP tools in a sandbox', TODAY, 'workspace-write', NEVER],
  ['still asks about MCP tools if no sandbox is set', TODAY, undefined, NEVER],
  ['treats an unknown version as current', undefined, undefined, NEVER],
  ['asks about nothing without a sandbox', TODAY, 'danger-full-access', 'never'],
  ['is passed unchanged to an old Codex', OLD, 'workspace-write', 'never'],
] as const)('approval policy never: %s', (_, version, sandbox, approvalPolicy) => {
  const settings = { approvalPolicy: 'never', ...(sandbox === undefined ? {} : { sandbox }) } as const;
  const input = { text: '', images: [] };

  expect(threadParams(settings, version)).toMatchObject({ approvalPolicy });
  expect(turnParams(input, settings, { version })).toMatchObject({ approvalPolicy });
  expect(toOpened({ thread: { id: 's' }, approvalPolicy })).toMatchObject({ approvalPolicy: 'never' });
});

test('omits settings that are not set', () => {
  expect(threadParams({}, TODAY)).toEqual({});
  expect(turnParams({ text: 'hi', images: [] }, {})).toEqual({
    input: [{ type: 'text', text: 'hi', text_elements: [] }],
  });
});

test('maps the settings of a session', () => {
  const own = {
    cwd: '/w',
    model: 'm',
    approvalPolicy: 'untrusted',
    sandbox: 'read-only',
    baseInstructions: 'b',
    developerInstructions: 'd',
  } as const;
  const more = { compactPrompt: 'c', config: { a: { b: 1 } }, effort: 'low', name: 'n', addDirs: ['/x'] };

  expect(threadParams({ ...own, ...more }, TODAY)).toEqual({ ...own, config: { a: { b: 1 }, compact_prompt: 'c' } });
});

test('maps the settings of a turn', () => {
  const turn = {
    model: 'm',
    effort: 'low',
    approvalPolicy: 'untrusted',
    sandbox: 'read-only',
    outputSchema: { type: 'object' },
  } as const;
  const policy = { type: 'readOnly' };

  expect(turnParams({ text: 'hi', images: ['/a.png'] }, turn, { policy })).toEqual({
    input: [
      { type: 'text', text: 'hi', text_elements: [] },
      { type: 'localImage', path: '/a.png' },
    ],
    model: 'm',
    effort: 'low',
    approvalPolicy: 'untrusted',
    sandboxPolicy: policy,
    outputSchema: { type: 'object' },
  });
  expect(turnParams({ text: 'hi', images: [] }, turn, { policy: { type: 'other' } })).toMatchObject({
    sandboxPolicy: { type: 'other' },
  });
  expect(toInput({ text: '', images: [] })).toEqual([{ type: 'text', text: '', text_elements: [] }]);
});

test('keeps changes by a turn for the session', () => {
  const session = { sessionId: 's', cwd: '/w', model: 'a', sandbox: 'workspace-write' };
  expect(withTurn(session, {})).toEqual(session);
  expect(withTurn(session, { model: 'b', sandbox: 'read-only', approvalPolicy: 'never' })).toEqual({
    sessionId: 's',
    cwd: '/w',
    model: 'b',
    sandbox: 'read-only',
    approvalPolicy: 'never',
  });
});

test.each([
  [
    'many fields',
    {
      thread: { id: 's', forkedFromId: 'r' },
      cwd: '/w',
      model: 'm',
      approvalPolicy: 'never',
      sandbox: { type: 'workspaceWrite' },
    },
    { sessionId: 's', cwd: '/w', model: 'm', approvalPolicy: 'never', sandbox: 'workspace-write', forkedFrom: 'r' },
  ],
  ['few fields', { thread: { id: 's', cwd: '/w' } }, { sessionId: 's', cwd: '/w' }],
  [
    'unknown values',
    { thread: { id: 's' }, approvalPolicy: { granular: {} }, sandbox: { type: 'cloud' } },
    { sessionId: 's', cwd: '', sandbox: 'cloud' },
  ],
])('reads what Codex reports about a session: %s', (_, answer, opened) => {
  expect(toOpened(answer)).toEqual(opened);
});

test.each([{}, { thread: null }, { thread: { id: null } }, { thread: { id: '' } }])(
  'rejects a session without an id: %j',
  (answer) => {
    expect(() => toOpened(answer)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
  },
);

test('reads the id of a turn, and rejects a turn without one', () => {
  expect([toTurnId({ turn: { id: 't' } }), toTurnId({ turn: { id: '0' } })]).toEqual(['t', '0']);
  for (const answer of [{}, { turn: null }, { turn: {} }, { turn: { id: '' } }, { turn: { id: {} } }])
    expect(() => toTurnId(answer)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
});

test('requests raw events only if the caller wants them', () => {
  expect([startParams({}), startParams({ rawEvents: true })]).toEqual([{}, { experimentalRawEvents: true }]);
});

test('maps review targets', () => {
  expect(toTarget({ type: 'commit', sha: 'abc' })).toEqual({ type: 'commit', sha: 'abc', title: null });
  expect(toTarget({ type: 'baseBranch', branch: 'main' })).toEqual({ type: 'baseBranch', branch: 'main' });
});
