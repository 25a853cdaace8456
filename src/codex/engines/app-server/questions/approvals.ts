import { isObject } from '../../../../wire/messages.ts';
import { cut } from '../../../cut.ts';
import type { Question } from '../../../question.ts';
import type { FileChange } from '../../../words.ts';
import { textOf, toChoice } from './choice.ts';

type Members = Readonly<Record<string, unknown>>;

/** No question is kept longer than this; whoever shows it shows less. */
const MAX_CHARS = 500_000;

/** Codex wants to run a command. */
export function commandApproval(params: Members): Question {
  const { command, cwd, reason } = params;
  const offered = Array.isArray(params['availableDecisions']) ? params['availableDecisions'] : [];
  const rule = offered.find((decision) => isObject(decision) && 'acceptWithExecpolicyAmendment' in decision);
  const host = hostOf(params['networkApprovalContext']);
  const wanted =
    textOf(command) ?? (host === undefined ? 'something that it does not name' : `a connection to ${host}`);
  return toChoice({
    type: 'command_approval',
    params,
    lines: [
      `Codex wants to execute: ${wanted}`,
      textOf(cwd) && `in ${cwd}`,
      textOf(reason) && `Reason: ${reason}`,
      rule === undefined
        ? undefined
        : `approve_rule also writes a rule into the user's own Codex: from now on, in every session, commands that begin with "${prefixOf(rule)}" run unasked`,
    ],
    details: { command, cwd, reason, ...(host === undefined ? {} : { host }), request: params },
    answers: [
      ['approve', { decision: 'accept' }],
      ['approve_session', { decision: 'acceptForSession' }],
      ...(rule === undefined ? [] : [['approve_rule', { decision: rule }] as const]),
      ['deny', { decision: 'decline' }],
      ['cancel', { decision: 'cancel' }],
    ],
    refusal: { decision: 'decline' },
    cancellation: { decision: 'cancel' },
  });
}

/** Codex wants to change files. `files` is what it said about the item before. */
export function patchApproval(params: Members, files: readonly FileChange[]): Question {
  const { reason, grantRoot } = params;
  const paths = files.map(({ path }) => path);
  const heading = ({ kind, path, movedTo }: FileChange) =>
    `${kind} ${path}${movedTo === undefined ? '' : `, which becomes ${movedTo}`}`;
  const diff = files.map((file) => `${heading(file)}\n${file.diff ?? ''}`.trimEnd()).join('\n\n');
  return toChoice({
    type: 'patch_approval',
    params,
    lines: [
      `Codex wants to modify ${paths.length === 0 ? 'files' : paths.join(', ')}:`,
      textOf(reason) && `Reason: ${reason}`,
      textOf(grantRoot) && `It asks to write below ${grantRoot} for the rest of the session.`,
      diff === '' ? undefined : `\n${cut(diff, MAX_CHARS)}`,
    ],
    details: {
      files: files.map(({ path, kind }) => ({ path, kind })),
      reason,
      diff: cut(diff, MAX_CHARS),
      changes: files,
      request: params,
    },
    answers: [
      ['approve', { decision: 'accept' }],
      ['approve_session', { decision: 'acceptForSession' }],
      ['deny', { decision: 'decline' }],
      ['cancel', { decision: 'cancel' }],
    ],
    refusal: { decision: 'decline' },
    cancellation: { decision: 'cancel' },
  });
}

/** Codex wants more than its sandbox allows, for this turn or for the session. */
export function permissionApproval(params: Members): Question {
  const { reason, cwd } = params;
  const permissions = isObject(params['permissions']) ? params['permissions'] : {};
  // What Codex sends as null must be left out of what it is granted.
  const granted = Object.fromEntries(Object.entries(permissions).filter(([, value]) => value !== null));
  const nothing = { permissions: {}, scope: 'turn' };
  return toChoice({
    type: 'permission_approval',
    params,
    lines: [
      `Codex asks for permissions: ${JSON.stringify(granted)}`,
      textOf(cwd) && `in ${cwd}`,
      textOf(reason) && `Reason: ${reason}`,
    ],
    details: { permissions: granted, cwd, reason },
    answers: [
      ['approve', { permissions: granted, scope: 'turn' }],
      ['approve_session', { permissions: granted, scope: 'session' }],
      ['deny', nothing],
    ],
    refusal: nothing,
    cancellation: nothing,
  });
}

/** An approval of a kind that is newer than we are: what Codex sends is shown as it is. */
export function unknownApproval(method: string, params: Members): Question {
  return toChoice({
    type: 'command_approval',
    params,
    lines: [`Codex wants to execute: ${method} ${cut(JSON.stringify(params), MAX_CHARS)}`],
    details: { method },
    answers: [
      ['approve', { decision: 'accept' }],
      ['deny', { decision: 'decline' }],
    ],
    refusal: { decision: 'decline' },
    cancellation: { decision: 'cancel' },
  });
}

function prefixOf(rule: unknown): string {
  const amendment = isObject(rule) ? rule['acceptWithExecpolicyAmendment'] : undefined;
  const words = isObject(amendment) ? amendment['execpolicy_amendment'] : undefined;
  return Array.isArray(words) ? words.join(' ') : JSON.stringify(amendment);
}

function hostOf(context: unknown): string | undefined {
  return isObject(context) ? textOf(context['host']) : undefined;
}
