/**
 * Parts of schemas that several tools have. A model reads all of them before it makes its first call, so they say what a
 * caller cannot guess and nothing else: see `test/codex-server/tokens.test.ts` for the budget. What the members of a
 * result mean is told in docs/codex.md.
 */

const text = (description: string) => ({ type: 'string', description });
const flag = (description: string) => ({ type: 'boolean', description });
const number = (description: string) => ({ type: 'number', description });
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description });

export const field = { text, flag, number, texts };

export const SESSION_ID = { type: 'string' };

export const APPROVAL_POLICY = {
  type: 'string',
  enum: ['untrusted', 'on-failure', 'on-request', 'never'],
  description:
    "When Codex asks for approval. 'never': what would need approval is refused. Default: Codex's configuration",
};

export const SANDBOX = {
  type: 'string',
  enum: ['read-only', 'workspace-write', 'danger-full-access'],
  description: "What commands may do. Default: Codex's configuration",
};

export const WAIT_SECONDS = number('Wait so long for the result. Default: return at once');

const STRING = { type: 'string' };
const NUMBER = { type: 'number' };
const OBJECT = { type: 'object' };
const ARRAY = { type: 'array' };

/** What every tool tells of a session. */
const SESSION = { sessionId: STRING, status: STRING };

/** What is told of a turn that was waited for. */
export const OUTCOME = {
  ...SESSION,
  result: STRING,
  resultCursor: STRING,
  error: OBJECT,
  summary: STRING,
  pendingQuestion: OBJECT,
  warnings: ARRAY,
};

/** All that `codex_status` tells. */
const STATUS = {
  ...SESSION,
  result: text('The final message'),
  resultCursor: text('The result goes on: pass it to codex_status'),
  error: OBJECT,
  pendingQuestion: OBJECT,
  pendingQuestions: ARRAY,
  recentOutput: ARRAY,
  itemEvents: ARRAY,
  plan: ARRAY,
  filesChanged: ARRAY,
  retrying: STRING,
  usage: OBJECT,
  turnUsage: OBJECT,
  contextWindow: NUMBER,
  turnCount: NUMBER,
  turnSeconds: NUMBER,
  queuedMessages: NUMBER,
  workingDirectory: STRING,
  model: STRING,
  approvalPolicy: STRING,
  sandbox: STRING,
  forkedFrom: STRING,
  warnings: ARRAY,
  cursor: STRING,
  missedEvents: { type: 'boolean' },
  truncated: { type: 'boolean' },
  isStored: { type: 'boolean' },
  heldElsewhere: { type: 'boolean' },
};

type Members = Readonly<Record<string, unknown>>;

/** A session as a result, with the members that a tool adds. */
export function sessionSchema(more: Members = {}) {
  return { type: 'object', properties: { ...SESSION, ...more }, required: ['sessionId', 'status'] };
}

/** The result of a call that may have waited for a turn. */
export function outcomeSchema(more: Members = {}) {
  return { type: 'object', properties: { ...OUTCOME, ...more }, required: ['sessionId', 'status'] };
}

export const STATUS_SCHEMA = { type: 'object', properties: STATUS, required: ['sessionId', 'status'] };

export const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** It lets a model work: what comes of it nobody knows. */
export const OPEN_ENDED = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
