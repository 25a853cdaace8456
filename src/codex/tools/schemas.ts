/** Parts of schemas that several tools have. Kept to what a quick check understands: types, choices and members. */

const text = (description: string) => ({ type: 'string', description });
const flag = (description: string) => ({ type: 'boolean', description });
const number = (description: string) => ({ type: 'number', description });
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description });

export const field = { text, flag, number, texts };

export const SESSION_ID = text('The session id, as codex_start or codex_list gave it');

export const APPROVAL_POLICY = {
  type: 'string',
  enum: ['untrusted', 'on-failure', 'on-request', 'never'],
  description:
    "When Codex asks for approval. 'never': it never asks, and what would need approval is refused. 'on-failure' runs as 'on-request'. Default: Codex's own configuration",
};

export const SANDBOX = {
  type: 'string',
  enum: ['read-only', 'workspace-write', 'danger-full-access'],
  description: "What commands may do. Default: Codex's own configuration",
};

export const WAIT_SECONDS = number(
  'Wait so long for the turn to end or to need an answer, with progress on the way. Default: return at once',
);

const question = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    type: {
      type: 'string',
      enum: [
        'command_approval',
        'patch_approval',
        'permission_approval',
        'user_input',
        'mcp_tool_approval',
        'mcp_elicitation',
      ],
    },
    questions: {
      type: 'array',
      items: {
        type: 'object',
        properties: { question: { type: 'string' }, options: { type: 'array', items: { type: 'string' } } },
        required: ['question', 'options'],
      },
    },
  },
  required: ['id', 'type', 'questions'],
};

const usage = {
  type: 'object',
  properties: {
    inputTokens: { type: 'number' },
    cachedInputTokens: { type: 'number' },
    outputTokens: { type: 'number' },
    reasoningOutputTokens: { type: 'number' },
  },
};

const STATUS = { type: 'string', enum: ['active', 'awaiting_approval', 'done', 'error', 'interrupted'] };

/** What is told of a session; `codex_status` tells all of it, other tools a part. */
const statusMembers = {
  sessionId: { type: 'string' },
  status: STATUS,
  result: text('The final message'),
  error: {
    type: 'object',
    properties: {
      kind: { type: 'string' },
      message: { type: 'string' },
      httpStatus: { type: 'number' },
      resetsAt: { type: 'string' },
      hint: { type: 'string' },
    },
    required: ['kind', 'message'],
  },
  recentOutput: { type: 'array', items: { type: 'string' } },
  pendingQuestion: question,
  pendingQuestions: { type: 'array', items: question },
  itemEvents: {
    type: 'array',
    items: {
      type: 'object',
      properties: { itemType: { type: 'string' }, status: { type: 'string' }, summary: { type: 'string' } },
      required: ['itemType', 'status'],
    },
  },
  plan: {
    type: 'array',
    items: {
      type: 'object',
      properties: { step: { type: 'string' }, status: { type: 'string' } },
      required: ['step', 'status'],
    },
  },
  filesChanged: {
    type: 'array',
    items: {
      type: 'object',
      properties: { path: { type: 'string' }, kind: { type: 'string' } },
      required: ['path', 'kind'],
    },
  },
  retrying: text('Why Codex tries again, as long as it does'),
  usage,
  turnUsage: usage,
  contextWindow: { type: 'number' },
  turnCount: { type: 'number' },
  turnSeconds: { type: 'number' },
  queuedMessages: { type: 'number' },
  workingDirectory: { type: 'string' },
  model: { type: 'string' },
  approvalPolicy: { type: 'string' },
  sandbox: { type: 'string' },
  forkedFrom: { type: 'string' },
  warnings: { type: 'array', items: { type: 'string' } },
  cursor: text('Pass it to codex_status to see only what is new'),
  missedEvents: flag('Some events since the cursor are forgotten'),
  truncated: flag('Something was cut: the linked resources have the whole'),
};

/** A session as a result; further members beside those of every session. */
export function sessionSchema(more: Readonly<Record<string, unknown>> = {}) {
  return { type: 'object', properties: { ...statusMembers, ...more }, required: ['sessionId', 'status'] };
}

export const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** It lets a model work: what comes of it nobody knows. */
export const OPEN_ENDED = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
