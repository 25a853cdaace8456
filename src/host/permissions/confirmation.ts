import { messageOf } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { isObject } from '../../wire/messages.ts';
import type { PermissionOptions, PermissionQuestion } from './permission-options.ts';
import { SCOPES, type Scope } from './remembered-decisions.ts';

/** Result of a confirmation: an answer, or the reason why there is none. */
export type Confirmation =
  | {
      readonly kind: 'answered';
      readonly isAllowed: boolean;
      readonly remember: Scope | undefined;
      readonly reason: string;
    }
  | { readonly kind: 'unanswered'; readonly reason: string };

export type Confirm = NonNullable<PermissionOptions['confirm']>;

/** Asks a person. Never rejects. Ignores an answer that arrives after the signal aborts. */
export async function requestConfirmation(
  confirm: Confirm,
  question: PermissionQuestion,
  signal: AbortSignal | undefined,
): Promise<Confirmation> {
  if (signal?.aborted === true) return CANCELLED;
  let onAbort = () => {};
  const aborted = new Promise<Confirmation>((resolve) => {
    onAbort = () => resolve(CANCELLED);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([aborted, callConfirm(confirm, question, signal)]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

export const CANCELLED: Confirmation = {
  kind: 'unanswered',
  reason: 'the call was cancelled before a person had answered',
};

/** Also catches synchronous errors of the application's function, and getters of the answer that throw. */
async function callConfirm(
  confirm: Confirm,
  question: PermissionQuestion,
  signal: AbortSignal | undefined,
): Promise<Confirmation> {
  try {
    return parseAnswer(await confirm(question, { signal }));
  } catch (error) {
    return { kind: 'unanswered', reason: `confirm failed: ${oneLine(messageOf(error), MAX_REASON)}` };
  }
}

/** Accepts only an unambiguous answer as a permission. */
function parseAnswer(answer: unknown): Confirmation {
  const { allow, remember, reason } = typeof answer === 'boolean' ? toParts(answer) : isObject(answer) ? answer : {};
  const scope = SCOPES.find((word) => word === remember);
  const isSound =
    typeof allow === 'boolean' &&
    (remember === undefined || scope !== undefined) &&
    (reason === undefined || typeof reason === 'string');
  if (!isSound) return { kind: 'unanswered', reason: 'confirm returned an invalid answer' };
  const givenReason = reason === undefined ? '' : oneLine(reason, MAX_REASON);
  const plain = allow ? 'a person allowed it' : 'a person denied it';
  return { kind: 'answered', isAllowed: allow, remember: scope, reason: givenReason === '' ? plain : givenReason };
}

function toParts(allow: boolean): Readonly<Record<string, unknown>> {
  return { allow };
}

const MAX_REASON = 500;
