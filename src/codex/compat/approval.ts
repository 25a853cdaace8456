import { neutralise } from '../../base/text/safe-text.ts';
import { isObject, type RequestId } from '../../wire/messages.ts';
import type { Question } from '../approvals/approval-request.ts';
import type { FileChange } from '../item-types.ts';
import { isPlain, label, quote } from '../text/quoting.ts';
import { toOldDecision } from './decision.ts';
import { toChanges, toParsedCommands } from './events/legacy-items.ts';
import { splitCommand } from './split-command.ts';

type Members = Readonly<Record<string, unknown>>;

/** A question to which the answer is one of a few words, with what the old server told about it. */
export interface Approval {
  readonly question: Question;
  readonly message: string;
  /** Which of the old questions it is. */
  readonly kind: string;
  readonly threadId: string;
  readonly requestId: RequestId;
  /** Codex's request, and what follows from it, under the names of the old events. */
  readonly request: Members;
  readonly facts: Members;
}

/** Undefined for a question that wants more than a decision. */
export function describeApproval(
  question: Question,
  { threadId, requestId }: { readonly threadId: string; readonly requestId: RequestId },
): Approval | undefined {
  const request = isObject(question.details['request']) ? question.details['request'] : {};
  const common = { question, threadId, requestId, request };
  switch (question.type) {
    case 'command_approval':
      return { ...common, kind: 'exec-approval', ...describeCommand(question, request) };
    case 'patch_approval':
      return { ...common, kind: 'patch-approval', ...describePatch(question, request) };
    case 'permission_approval':
    case 'mcp_tool_approval':
      return { ...common, kind: question.type.replaceAll('_', '-'), message: textOf(question), facts: {} };
    case 'user_input':
    case 'mcp_elicitation':
      return undefined;
  }
}

/** The params of a standard elicitation, with the members that the old server sent besides. */
export function toElicitation({ question, message, kind, threadId, requestId, facts }: Approval): Members {
  const options = question.parts[0]?.options ?? [];
  const asOld = Object.entries(facts).map(([name, value]) => [`codex_${name}`, value]);
  return {
    message: neutralise(message, { multiline: true }),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: { type: 'string', title: 'Decision', description: textOf(question), enum: options },
        reason: { type: 'string', title: 'Reason', description: 'Optional: Codex is told.' },
      },
      required: ['decision'],
    },
    threadId,
    codex_elicitation: kind,
    codex_mcp_tool_call_id: String(requestId),
    codex_event_id: question.turnId ?? '',
    codex_call_id: question.itemId ?? '',
    ...Object.fromEntries(asOld),
  };
}

/** The event by which the old server told of the question. */
export function toApprovalEvent({ question, kind, request, facts }: Approval): Members {
  const { startedAtMs, reason, proposedExecpolicyAmendment, availableDecisions, grantRoot } = request;
  return withoutNothing({
    type: EVENTS[kind] ?? kind.replaceAll('-', '_'),
    call_id: question.itemId,
    turn_id: question.turnId,
    started_at_ms: startedAtMs,
    reason,
    proposed_execpolicy_amendment: proposedExecpolicyAmendment,
    available_decisions: Array.isArray(availableDecisions) ? availableDecisions.map(toOldDecision) : undefined,
    grant_root: grantRoot,
    ...facts,
  });
}

const EVENTS: Readonly<Record<string, string>> = {
  'exec-approval': 'exec_approval_request',
  'patch-approval': 'apply_patch_approval_request',
};

function describeCommand(question: Question, { command, cwd, commandActions }: Members) {
  if (typeof command !== 'string') return { message: textOf(question), facts: {} };
  return {
    message: commandMessage(command, String(cwd ?? '')),
    facts: withoutNothing({
      command: splitCommand(command),
      cwd,
      parsed_cmd: Array.isArray(commandActions) ? toParsedCommands(commandActions) : undefined,
    }),
  };
}

/** The sentence of Codex's own server, unless the command or folder contains a line break or a backtick. */
function commandMessage(command: string, cwd: string): string {
  const isClear = [command, cwd].every((text) => (text === '' || isPlain(text)) && !text.includes('`'));
  if (isClear) return `Allow Codex to run \`${command}\` in \`${cwd}\`?`;
  return `Allow Codex to run this command?\n${quote(command)}\n${label('in', cwd)}`;
}

function describePatch({ details }: Question, { reason, grantRoot }: Members) {
  const asked = 'Allow Codex to apply proposed code changes?';
  // The engine put them there.
  const files = Array.isArray(details['changes']) ? (details['changes'] as readonly FileChange[]) : [];
  const changes = toChanges(
    files.map(({ path, kind, diff, movedTo }) => ({ path, diff, kind: { type: kind, move_path: movedTo } })),
  );
  return {
    message:
      typeof reason === 'string' && reason !== '' ? `${asked}\nReason given by the model:\n${quote(reason)}` : asked,
    facts: withoutNothing({ changes, reason, grant_root: grantRoot }),
  };
}

function textOf({ parts }: Question): string {
  return parts[0]?.question ?? '';
}

function withoutNothing(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}
