import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CLIENT_METHODS,
  DELTA_NOTIFICATIONS,
  NOTIFICATIONS,
  SERVER_REQUESTS,
} from '../../src/codex/engines/app-server/protocol/methods.ts';
import { trackProcesses } from '../processes.ts';
import { makeAnswers, type WireSample } from './wire-samples.ts';
import { type Bindings, openBindings } from './wire-shapes.ts';
import { recordMessages } from './wire-shapes-requests.ts';

const json = (value: unknown) => JSON.stringify(value);
const toDeclaration = ({ type, value }: WireSample, index: number) => ({
  uses: [type],
  text: `export const sample${index}: ${type} = ${json(value)};`,
});

/** Requests that differ from the bindings but that this Codex accepts: empty params where it expects none. */
const KNOWN_MISMATCHES = { current: [], previous: ['account/rateLimits/read'] } as const;

describe.each(['current', 'previous'] as const)('the bindings of Codex %s', { timeout: 120_000 }, (release) => {
  const processes = trackProcesses();
  let bindings: Bindings;
  beforeAll(async () => {
    bindings = await openBindings(release);
  });
  afterAll(() => bindings[Symbol.asyncDispose]());

  const check = (union: string, text: string) => bindings.check([{ uses: [union], text }]);
  const list = (union: string, methods: readonly string[]) =>
    check(union, `export const methods: readonly ${union}['method'][] = ${json(methods)};`);
  const coverage = (union: string, methods: readonly string[]) =>
    check(
      union,
      `type Known = ${methods.map(json).join(' | ')};
       export const covered: [Exclude<${union}['method'], Known>] extends [never] ? true : false = true;`,
    );

  test('reject a wrong member, a missing member, a wrong value, an unknown method and an unanswered request', async () => {
    const wrong = await bindings.check(
      [
        { type: 'ThreadStartParams', value: { cwd: '/project' } },
        { type: 'ThreadStartParams', value: { workingDirectory: '/project' } },
        { type: 'TurnStartParams', value: { threadId: 't', input: [{ type: 'text', words: 'do it' }] } },
        { type: 'TurnInterruptParams', value: { threadId: 't' } },
        { type: 'ThreadStartParams', value: { sandbox: 'workspaceWrite' } },
        { type: 'FileChangeRequestApprovalResponse', value: { decision: 'approved' } },
      ].map(toDeclaration),
    );
    expect(new Set(wrong.map(({ index }) => index))).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(await list('ClientRequest', [...CLIENT_METHODS, 'thread/begin'])).toHaveLength(1);
    expect(await coverage('ServerRequest', SERVER_REQUESTS.slice(1))).toHaveLength(1);
  });

  test('contain every method that we call', async () => {
    expect(await list('ClientRequest', CLIENT_METHODS)).toEqual([]);
  });

  test('contain every notification that we read or opt out of', async () => {
    expect(await list('ServerNotification', [...NOTIFICATIONS, ...DELTA_NOTIFICATIONS])).toEqual([]);
  });

  test('contain exactly the server requests that we know', async () => {
    expect(await list('ServerRequest', SERVER_REQUESTS)).toEqual([]);
    expect(await coverage('ServerRequest', SERVER_REQUESTS)).toEqual([]);
  });

  test('accept every response that we send', async () => {
    const answers = await makeAnswers();
    const complaints = await bindings.check(answers.map(toDeclaration));
    expect(complaints.map(({ index, message }) => ({ ...answers[index], message }))).toEqual([]);
  });

  test('accept every request and notification that we send', async () => {
    const messages = await recordMessages(release, processes.env());
    const used = new Set(messages.map(({ method }) => method));
    expect(CLIENT_METHODS.filter((method) => !used.has(method))).toEqual([]);
    const typed = messages.map((value) => ({
      type: value.id === undefined ? 'ClientNotification' : 'ClientRequest',
      value,
    }));
    const started = messages.find(({ method }) => method === 'thread/start');
    const wrong = { type: 'ClientRequest', value: { ...started, params: { unheardOf: 1 } } };
    const complaints = await bindings.check([...typed, wrong].map(toDeclaration));
    const refused = complaints.map(({ index }) => typed[index]?.value.method ?? 'the wrong one');
    expect(refused, JSON.stringify(complaints)).toEqual([...KNOWN_MISMATCHES[release], 'the wrong one']);
  });

  test('contain every member that we read', async () => {
    const declarations = read.map(({ type, members, variant }, index) => {
      const source = variant === undefined ? type : `Extract<${type}, ${json(variant)}>`;
      return { uses: [type], text: `export type Read${index} = Pick<${source}, ${members.map(json).join(' | ')}>;` };
    });
    const complaints = await bindings.check(declarations);
    expect(complaints.map(({ index, message }) => ({ ...read[index], message }))).toEqual([]);
  });
});

interface ReadMembers {
  readonly type: string;
  readonly members: readonly string[];
  /** Returns which member of a union is meant. */
  readonly variant?: Readonly<Record<string, string>>;
}

const item = (type: string, ...members: readonly string[]): ReadMembers => ({
  type: 'ThreadItem',
  variant: { type },
  members: ['id', ...members],
});

/** The parts of Codex's messages that the product reads. */
const read: readonly ReadMembers[] = [
  { type: 'InitializeResponse', members: ['userAgent'] },
  { type: 'ThreadStartResponse', members: ['thread', 'cwd', 'model', 'approvalPolicy', 'sandbox'] },
  { type: 'ThreadResumeResponse', members: ['thread', 'cwd', 'model', 'approvalPolicy', 'sandbox'] },
  { type: 'ThreadForkResponse', members: ['thread', 'cwd', 'model', 'approvalPolicy', 'sandbox'] },
  {
    type: 'Thread',
    members: ['id', 'cwd', 'preview', 'name', 'createdAt', 'updatedAt', 'source', 'forkedFromId', 'turns'],
  },
  { type: 'SandboxPolicy', variant: { type: 'workspaceWrite' }, members: ['writableRoots'] },
  { type: 'ThreadListResponse', members: ['data', 'nextCursor'] },
  { type: 'ThreadReadResponse', members: ['thread'] },
  { type: 'ThreadTurnsListResponse', members: ['data', 'nextCursor'] },
  { type: 'TurnStartResponse', members: ['turn'] },
  { type: 'ReviewStartResponse', members: ['turn'] },
  { type: 'ModelListResponse', members: ['data'] },
  {
    type: 'Model',
    members: ['id', 'displayName', 'description', 'isDefault', 'supportedReasoningEfforts', 'defaultReasoningEffort'],
  },
  { type: 'ReasoningEffortOption', members: ['reasoningEffort'] },
  { type: 'GetAccountRateLimitsResponse', members: ['rateLimits'] },
  { type: 'GetAccountResponse', members: ['account', 'requiresOpenaiAuth'] },
  { type: 'TurnStartedNotification', members: ['threadId', 'turn'] },
  { type: 'TurnCompletedNotification', members: ['threadId', 'turn'] },
  { type: 'TurnDiffUpdatedNotification', members: ['threadId', 'turnId', 'diff'] },
  { type: 'TurnPlanUpdatedNotification', members: ['threadId', 'turnId', 'plan'] },
  { type: 'ItemStartedNotification', members: ['threadId', 'turnId', 'item'] },
  { type: 'ItemCompletedNotification', members: ['threadId', 'turnId', 'item'] },
  { type: 'ThreadTokenUsageUpdatedNotification', members: ['threadId', 'tokenUsage'] },
  { type: 'ServerRequestResolvedNotification', members: ['threadId', 'requestId'] },
  { type: 'ErrorNotification', members: ['threadId', 'error', 'willRetry'] },
  { type: 'WarningNotification', members: ['threadId', 'message'] },
  { type: 'Turn', members: ['id', 'status', 'error', 'items'] },
  { type: 'TurnError', members: ['message', 'codexErrorInfo', 'additionalDetails'] },
  { type: 'TurnPlanStep', members: ['step', 'status'] },
  { type: 'ThreadTokenUsage', members: ['total', 'last', 'modelContextWindow'] },
  {
    type: 'TokenUsageBreakdown',
    members: ['inputTokens', 'cachedInputTokens', 'outputTokens', 'reasoningOutputTokens'],
  },
  item('userMessage', 'content'),
  item('hookPrompt'),
  item('agentMessage', 'text'),
  item('plan', 'text'),
  item('reasoning', 'summary', 'content'),
  item('commandExecution', 'command', 'status', 'exitCode'),
  item('fileChange', 'changes', 'status'),
  item('mcpToolCall', 'server', 'tool', 'status'),
  item('dynamicToolCall', 'tool', 'status'),
  item('webSearch', 'query'),
  item('enteredReviewMode'),
  item('exitedReviewMode', 'review'),
  { type: 'FileUpdateChange', members: ['path', 'kind', 'diff'] },
  {
    type: 'CommandExecutionRequestApprovalParams',
    members: [
      'threadId',
      'turnId',
      'itemId',
      'command',
      'cwd',
      'reason',
      'availableDecisions',
      'networkApprovalContext',
    ],
  },
  { type: 'NetworkApprovalContext', members: ['host'] },
  { type: 'FileChangeRequestApprovalParams', members: ['threadId', 'turnId', 'itemId', 'reason', 'grantRoot'] },
  {
    type: 'PermissionsRequestApprovalParams',
    members: ['threadId', 'turnId', 'itemId', 'reason', 'cwd', 'permissions'],
  },
  { type: 'ToolRequestUserInputParams', members: ['threadId', 'turnId', 'itemId', 'questions'] },
  {
    type: 'ToolRequestUserInputQuestion',
    members: ['id', 'header', 'question', 'isOther', 'isSecret', 'options'],
  },
  { type: 'ToolRequestUserInputOption', members: ['label', 'description'] },
  { type: 'McpServerElicitationRequestParams', members: ['threadId', 'turnId', 'serverName', 'mode', '_meta'] },
  {
    type: 'McpServerElicitationRequestParams',
    variant: { mode: 'form' },
    members: ['message', 'requestedSchema'],
  },
  { type: 'McpServerElicitationRequestParams', variant: { mode: 'url' }, members: ['message', 'url'] },
];
