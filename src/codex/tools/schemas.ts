import type { JsonObject } from '../../wire/messages.ts';

/**
 * Schema parts that several tools share. A model reads all schemas before its first call, so they only say what a
 * caller cannot guess: see `test/codex-server/tokens.test.ts` for the budget. docs/codex.md describes the members of a
 * result.
 */

const text = (description: string) => ({ type: 'string', description });
const flag = (description: string) => ({ type: 'boolean', description });
const number = (description: string) => ({ type: 'number', description });
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description });

export const field = { text, flag, number, texts };

export const STRING = { type: 'string' };
export const NUMBER = { type: 'number' };
export const BOOLEAN = { type: 'boolean' };
export const OBJECT = { type: 'object' };
const ARRAY = { type: 'array' };

export const SESSION_ID = { type: 'string' };

/** An object with these members. It may have more. */
export function objectOf(properties: JsonObject, required: readonly string[]) {
  return { type: 'object', properties, required };
}

/** A list of objects with these members. */
export function listOf(properties: JsonObject, required: readonly string[]) {
  return { type: 'array', items: objectOf(properties, required) };
}

export const APPROVAL_POLICY = {
  type: 'string',
  enum: ['untrusted', 'on-failure', 'on-request', 'never'],
  description:
    "When Codex asks for approval. 'never': refuse actions that need approval. Default: Codex's configuration",
};

export const SANDBOX = {
  type: 'string',
  enum: ['read-only', 'workspace-write', 'danger-full-access'],
  description: "What commands may do. Default: Codex's configuration",
};

export const WAIT_SECONDS = number('How long to wait for the result. Default: return at once');

/** The members that every tool returns for a session. */
const SESSION = { sessionId: STRING, status: STRING };

/** The members of a result that reports the outcome of a turn. */
export const OUTCOME = {
  ...SESSION,
  result: STRING,
  resultCursor: STRING,
  error: OBJECT,
  summary: STRING,
  pendingQuestion: OBJECT,
  warnings: ARRAY,
};

/** The members of a `codex_status` result. */
const STATUS = {
  ...SESSION,
  result: text('The final message'),
  resultCursor: text('Pass to codex_status for the rest of the result'),
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
  missedEvents: BOOLEAN,
  truncated: BOOLEAN,
  isStored: BOOLEAN,
  heldElsewhere: BOOLEAN,
};

/** Returns the schema of a session, with the members that a tool adds. */
export function sessionSchema(more: JsonObject = {}) {
  return objectOf({ ...SESSION, ...more }, ['sessionId', 'status']);
}

/** Returns the result schema of a call that may wait for a turn. */
export function outcomeSchema(more: JsonObject = {}) {
  return objectOf({ ...OUTCOME, ...more }, ['sessionId', 'status']);
}

export const STATUS_SCHEMA = objectOf(STATUS, ['sessionId', 'status']);

export const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** For tools that let a model work: the effects cannot be predicted. */
export const OPEN_ENDED = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
