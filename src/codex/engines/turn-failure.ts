import type { FailureKind, TurnFailure } from '../item-types.ts';

/**
 * Classifies the failure of a turn by its message, because `codex exec` reports nothing else: by the HTTP status in it
 * if there is one, otherwise by Codex's fixed phrases. An unrecognized message becomes `other`.
 */
export function classifyFailureMessage(message: string): TurnFailure {
  const status = HTTP_STATUS.exec(message)?.[1];
  if (status !== undefined) return { kind: kindOfStatus(Number(status)), message, httpStatus: Number(status) };
  return { kind: KIND_PATTERNS.find(([, words]) => words.test(message))?.[0] ?? 'other', message };
}

/** As in `unexpected status 401 Unauthorized: …` and `exceeded retry limit, last status: 429 Too Many Requests`. */
const HTTP_STATUS = /\b(?:unexpected|last) status:? ([1-5]\d\d)\b/;

/** Classifies an HTTP status of 400 or above. */
export function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate_limit';
  if (status >= 500) return 'overloaded';
  return 'bad_request';
}

const KIND_PATTERNS: readonly (readonly [FailureKind, RegExp])[] = [
  ['usage_limit', /\busage limit\b|^Quota exceeded|^To use Codex with your ChatGPT plan/i],
  ['context_window', /\bcontext window\b/i],
  ['rate_limit', /\brate limit\b/i],
  ['overloaded', /\bhigh demand\b|\bat capacity\b/i],
  ['auth', /\bnot logged in\b|\blog in again\b|\bsign in again\b|\brefresh token\b/i],
  ['network', /^stream disconnected|\berror sending request\b|^connection failed/i],
  ['sandbox', /^sandbox\b/i],
];
