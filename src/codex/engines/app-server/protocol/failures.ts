import { AppError, isAppError, toAppError } from '../../../../base/errors.ts';
import { isObject } from '../../../../wire/messages.ts';
import type { FailureKind, TurnFailure } from '../../../item-types.ts';
import type { CodexVersion } from '../../../locate/codex-version.ts';
import { sessionHeld, unknownSession } from '../../../sessions/session-errors.ts';
import { kindOfStatus } from '../../turn-failure.ts';
import type { ClientMethod } from './methods.ts';

/** Converts the `error` of a turn. */
export function toTurnFailure(raw: unknown): TurnFailure {
  const { message, codexErrorInfo, additionalDetails } = isObject(raw) ? raw : {};
  const text = typeof message === 'string' && message !== '' ? message : 'Codex gave no reason.';
  const httpStatus = httpStatusOf(codexErrorInfo) ?? statusInText(text);
  const resetsAt = resetTime(`${text} ${typeof additionalDetails === 'string' ? additionalDetails : ''}`);
  return {
    kind: isConnectionLost(text) ? 'network' : kindOf(codexErrorInfo, httpStatus),
    message: text,
    ...(httpStatus === undefined ? {} : { httpStatus }),
    ...(resetsAt === undefined ? {} : { resetsAt }),
  };
}

const KINDS: Readonly<Record<string, FailureKind>> = {
  usageLimitExceeded: 'usage_limit',
  sessionBudgetExceeded: 'usage_limit',
  rateLimitExceeded: 'rate_limit',
  contextWindowExceeded: 'context_window',
  unauthorized: 'auth',
  serverOverloaded: 'overloaded',
  flexUnavailable: 'overloaded',
  internalServerError: 'overloaded',
  badRequest: 'bad_request',
  modelNotFound: 'bad_request',
  sandboxError: 'sandbox',
  httpConnectionFailed: 'network',
  responseStreamConnectionFailed: 'network',
  responseStreamDisconnected: 'network',
  responseTooManyFailedAttempts: 'network',
};

/** Prefers the HTTP status to the name: Codex uses one name for every failed connection, whatever the response was. */
function kindOf(info: unknown, httpStatus: number | undefined): FailureKind {
  const name = typeof info === 'string' ? info : isObject(info) ? Object.keys(info)[0] : undefined;
  const named = name !== undefined && Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (named !== undefined && named !== 'network') return named;
  if (httpStatus !== undefined && httpStatus >= 400) return kindOfStatus(httpStatus);
  return named ?? 'other';
}

/** Recognizes a lost connection to the model, for which Codex reports the kind "other". */
function isConnectionLost(text: string): boolean {
  return /^stream disconnected before completion: (?:error sending request|stream closed before)/.test(text);
}

function httpStatusOf(info: unknown): number | undefined {
  if (!isObject(info)) return undefined;
  const [inner] = Object.values(info);
  const status = isObject(inner) ? inner['httpStatusCode'] : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** Some failures have their status only in the text: `unexpected status 401 Unauthorized: …`. */
function statusInText(text: string): number | undefined {
  const [, status] = /\bstatus (?:code )?(\d{3})\b/.exec(text) ?? [];
  return status === undefined ? undefined : Number(status);
}

/** Finds `resets_at` in seconds, or a time in ISO format: messages of the service contain both. */
function resetTime(text: string): string | undefined {
  const [, seconds] = /resets?_at"?\s*[:=]\s*"?(\d{9,11})\b/.exec(text) ?? [];
  if (seconds !== undefined) return new Date(Number(seconds) * 1000).toISOString();
  const [, iso] = /\b(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z)/.exec(text) ?? [];
  return iso === undefined || Number.isNaN(Date.parse(iso)) ? undefined : new Date(iso).toISOString();
}

/** Returns when the exhausted limit resets, in ISO format. */
export function rateLimitReset(limits: unknown): string | undefined {
  if (!isObject(limits)) return undefined;
  const windows = [limits['primary'], limits['secondary']].filter(isObject);
  const full = windows.find(({ usedPercent }) => Number(usedPercent) >= 100) ?? windows[0];
  const seconds = full?.['resetsAt'];
  return typeof seconds === 'number' ? new Date(seconds * 1000).toISOString() : undefined;
}

// All error responses of the app-server have the same code. Only this file decides by their texts.

/** Converts an error response of the app-server about a session. */
export function toSessionError(error: unknown, sessionId: string): AppError {
  if (!isAppError(error) || error.code !== 'REQUEST_FAILED' || isUnknownMethod(error)) return toAppError(error);
  const { message } = error;
  if (
    /no rollout found|thread not found|thread not loaded|invalid (?:thread|session) id|not found for thread/i.test(
      message,
    )
  ) {
    return unknownSession(sessionId, error);
  }
  if (/active writer/i.test(message)) return sessionHeld(sessionId, error);
  return new AppError('REQUEST_FAILED', `Codex refused: ${message}`, {
    cause: error,
    data: { ...error.data, sessionId },
  });
}

/** Returns whether Codex is too old for the request. */
export function isUnknownMethod(error: unknown): boolean {
  if (!isAppError(error) || error.code !== 'REQUEST_FAILED') return false;
  return namesMethod(error) || isUnknownMethod(error.cause);
}

/** Checks the name, because Codex reports an unknown value, such as an effort or a setting, with the same message. */
function namesMethod({ message, data }: AppError): boolean {
  return message.includes(`unknown variant \`${data?.['method']}\``) || /^method not found/i.test(message);
}

/** Replaces Codex's own message, which lists every method that it supports. Other errors stay unchanged. */
export function explainUnknownMethod(error: unknown, method: ClientMethod, version: CodexVersion | undefined): unknown {
  if (!isAppError(error) || error.code !== 'REQUEST_FAILED' || !namesMethod(error)) return error;
  const codex = version === undefined ? 'This Codex' : `Codex ${version.text}`;
  const cannot =
    method === 'turn/steer'
      ? 'cannot add a message to a running turn: send it as the next turn (onBusy: "queue"), or interrupt the turn first'
      : `does not support ${method}`;
  const text = `${codex} ${cannot}. Use a newer Codex: npm install -g @openai/codex@latest`;
  return new AppError('REQUEST_FAILED', text, { cause: error, data: { method } });
}

/** Returns whether Codex has not begun the turn yet, has not finished the previous one, or has ended the turn. */
export function isNoActiveTurn(error: unknown): boolean {
  return isAppError(error) && /no active turn|expected active turn id/i.test(error.message);
}

/** Returns whether an MCP server has variables but no command, because it was removed from the configuration. */
export function isMissingServer(error: unknown): boolean {
  return isAppError(error) && error.code === 'REQUEST_FAILED' && /invalid transport/i.test(error.message);
}
