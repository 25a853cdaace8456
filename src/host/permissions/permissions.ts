import { callSafely } from '../../base/call-safely.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { isObject } from '../../wire/messages.ts';
import { displayName } from './confirmation-question.ts';
import { createDecider, type Outcome } from './decider.ts';
import type { Decision, PermissionOptions, PermissionRequest } from './permission-options.ts';
import { withoutDecisions } from './remembered-decisions.ts';
import { openRememberedFile } from './remembered-file.ts';
import { createRememberedStore } from './remembered-store.ts';
import { readRules } from './rules.ts';

export interface Permissions {
  /** Decides about a call. Never rejects: an error becomes a denial with its reason. */
  decide(call: PermissionRequest, signal?: AbortSignal): Promise<Decision>;
  /**
   * Forgets remembered decisions: of a tool, of a whole server, or all. Throws when the file cannot be changed, because
   * the decisions then remain in effect.
   */
  forget(server?: string, tool?: string): void;
}

export interface PermissionContext {
  readonly now: () => number;
  readonly warn: (text: string) => void;
  /** Aborts when the host closes and asks nobody any more. */
  readonly closing?: AbortSignal | undefined;
}

/** Creates the permissions. Throws `USAGE` for options that would not have the effect that they suggest. */
export function createPermissions(options: PermissionOptions, context: PermissionContext): Permissions {
  checkOptions(options);
  const { confirm, file, onDecision } = options;
  const { now, warn, closing } = context;
  const rules = readRules(options.rules);
  const store = file === undefined ? createRememberedStore() : openRememberedFile(file, warn);
  const decideCall = createDecider({ rules, confirm, store, now, warn, closing });

  const notify = (decision: Decision) => {
    callSafely(
      () => onDecision?.(decision),
      (error) => warn(`onDecision failed: ${messageOf(error)}`),
    );
  };

  return {
    async decide(call, signal) {
      const { server, kind, tool } = call;
      const verdict = await decideCall(call, signal).catch(toDenial);
      const decision = { at: now(), server: displayName(server), kind, tool: displayName(tool), ...verdict };
      notify(decision);
      return decision;
    },
    forget: (server, tool) => store.updateNow((decisions) => withoutDecisions(decisions, { server, tool })),
  };
}

function checkOptions(options: unknown): void {
  if (!isObject(options)) throw new AppError('USAGE', 'permissions must be an object.');
  for (const [key, value] of Object.entries(options)) {
    const kind = OPTION_KINDS.get(key);
    if (kind === undefined) {
      const known = [...OPTION_KINDS.keys()].join(', ');
      throw new AppError('USAGE', `permissions.${oneLine(key)} is unknown: use ${known}.`);
    }
    if (value !== undefined && (typeof value !== kind.type || value === ''))
      throw new AppError('USAGE', `permissions.${key} must be ${kind.text}.`);
  }
}

const OPTION_KINDS: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map([
  ['rules', { type: 'object', text: 'a list of rules' }],
  ['confirm', { type: 'function', text: 'a function that prompts a person' }],
  ['file', { type: 'string', text: 'the path of a file' }],
  ['onDecision', { type: 'function', text: 'a function' }],
]);

/** An unexpected error never grants a permission. */
function toDenial(error: unknown): Outcome {
  return { isAllowed: false, by: 'default', reason: oneLine(`the decision failed: ${messageOf(error)}`, 500) };
}
