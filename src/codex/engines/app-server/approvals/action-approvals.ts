import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { ApprovalRequest } from '../../../approvals/approval-request.ts';
import type { FileChange } from '../../../item-types.ts';
import { stringOf } from '../../../json-values.ts';
import { isPlain, label, quote } from '../../../text/quoting.ts';
import { truncate } from '../../../text/truncate.ts';
import { createChoice } from './choice.ts';

/** Longer diffs are shortened. */
const MAX_CHARS = 500_000;

/** Codex wants to run a command. */
export function toCommandApproval(params: JsonObject): ApprovalRequest {
  const { command, cwd, reason } = params;
  const offered = Array.isArray(params['availableDecisions']) ? params['availableDecisions'] : [];
  const rule = offered.find((decision) => isObject(decision) && 'acceptWithExecpolicyAmendment' in decision);
  const host = hostOf(params['networkApprovalContext']);
  return createChoice({
    type: 'command_approval',
    params,
    lines: [
      wantedLine(stringOf(command), host),
      folderLine(cwd),
      reasonLine(reason),
      rule === undefined
        ? undefined
        : label(
            "approve_rule also writes a rule to the user's own Codex: from now on, in every session, commands run without asking if they begin with:",
            prefixOf(rule),
          ),
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

/** Codex wants to change files. `files` are the changes that it reported for the item before. */
export function toPatchApproval(params: JsonObject, files: readonly FileChange[]): ApprovalRequest {
  const { reason, grantRoot } = params;
  const diff = files.map(toDiff).join('\n\n');
  return createChoice({
    type: 'patch_approval',
    params,
    lines: [
      pathsLine(files.map(({ path }) => path)),
      reasonLine(reason),
      typeof grantRoot === 'string'
        ? label('For the rest of the session it asks for write access to:', grantRoot)
        : undefined,
      ...files.map(changeLines),
    ],
    details: {
      files: files.map(({ path, kind }) => ({ path, kind })),
      reason,
      diff: truncate(diff, MAX_CHARS),
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
export function toPermissionApproval(params: JsonObject): ApprovalRequest {
  const { reason, cwd } = params;
  const permissions = isObject(params['permissions']) ? params['permissions'] : {};
  // Omit null members: Codex does not accept them in the granted permissions.
  const granted = Object.fromEntries(Object.entries(permissions).filter(([, value]) => value !== null));
  const nothing = { permissions: {}, scope: 'turn' };
  return createChoice({
    type: 'permission_approval',
    params,
    lines: [label('Codex asks for permissions:', JSON.stringify(granted)), folderLine(cwd), reasonLine(reason)],
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

/** An approval of an unknown kind, from a newer Codex. Shows the parameters unchanged. */
export function toUnknownApproval(method: string, params: JsonObject): ApprovalRequest {
  return createChoice({
    type: 'command_approval',
    params,
    lines: [label('Codex wants to execute:', `${method} ${JSON.stringify(params)}`)],
    details: { method },
    answers: [
      ['approve', { decision: 'accept' }],
      ['deny', { decision: 'decline' }],
    ],
    refusal: { decision: 'decline' },
    cancellation: { decision: 'cancel' },
  });
}

function wantedLine(command: string | undefined, host: string | undefined): string {
  if (command !== undefined) return label('Codex wants to execute:', command);
  if (host !== undefined) return label('Codex wants to execute: a connection to', host);
  return 'Codex wants to execute: an action that it does not name';
}

/** A longer list of files has one line for each. */
const MAX_LISTED_CHARS = 400;

function pathsLine(paths: readonly string[]): string {
  if (paths.length === 0) return 'Codex wants to modify files:';
  const list = paths.join(', ');
  const line = `Codex wants to modify ${list}:`;
  const isClear = list.length <= MAX_LISTED_CHARS && paths.every((path) => isPlain(path, line) && !path.includes(', '));
  return isClear ? line : `Codex wants to modify:\n${quote(paths.join('\n'))}`;
}

function folderLine(cwd: unknown): string | undefined {
  return typeof cwd === 'string' && cwd !== '' ? label('in', cwd) : undefined;
}

/** Quotes the model's reason, so that it cannot look like a statement of Switchboard. */
function reasonLine(reason: unknown): string | undefined {
  return typeof reason === 'string' && reason !== '' ? `Reason given by the model:\n${quote(reason)}` : undefined;
}

function changeLines({ kind, path, movedTo, diff = '' }: FileChange): string {
  return [
    `\n${label(kind, path)}`,
    ...(movedTo === undefined ? [] : [label('which becomes', movedTo)]),
    ...(diff === '' ? [] : [quote(diff.trimEnd())]),
  ].join('\n');
}

/** Returns the unquoted form, for programs. */
function toDiff({ kind, path, movedTo, diff = '' }: FileChange): string {
  return `${kind} ${path}${movedTo === undefined ? '' : `, which becomes ${movedTo}`}\n${diff}`.trimEnd();
}

function prefixOf(rule: unknown): string {
  const amendment = isObject(rule) ? rule['acceptWithExecpolicyAmendment'] : undefined;
  const words = isObject(amendment) ? amendment['execpolicy_amendment'] : undefined;
  return Array.isArray(words) ? words.join(' ') : JSON.stringify(amendment);
}

function hostOf(context: unknown): string | undefined {
  return isObject(context) ? stringOf(context['host']) : undefined;
}
