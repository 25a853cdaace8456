import { neutralize } from '../../base/text/safe-text.ts';
import { isObject, type JsonObject, type RequestId } from '../../wire/messages.ts';
import type { ApprovalRequest } from '../approvals/approval-request.ts';
import { decisionSchema } from '../approvals/prompter.ts';
import type { FileChange } from '../item-types.ts';
import { isPlain, label, quote } from '../text/quoting.ts';
import { toLegacyDecision } from './decision.ts';
import { toChanges, toParsedCommands } from './events/legacy-items.ts';
import { splitCommand } from './split-command.ts';

/** An approval request that is answered with one of a few options, with the data that the old server sent. */
export interface CompatApproval {
  readonly approvalRequest: ApprovalRequest;
  readonly message: string;
  /** The type that the old server used for it. */
  readonly kind: string;
  readonly threadId: string;
  readonly requestId: RequestId;
  /** Codex's request, and data derived from it, under the names of the old events. */
  readonly request: JsonObject;
  readonly facts: JsonObject;
}

/** Returns undefined for a request that needs more than a decision. */
export function describeApproval(
  approvalRequest: ApprovalRequest,
  { threadId, requestId }: { readonly threadId: string; readonly requestId: RequestId },
): CompatApproval | undefined {
  const request = isObject(approvalRequest.details['request']) ? approvalRequest.details['request'] : {};
  const common = { approvalRequest, threadId, requestId, request };
  switch (approvalRequest.type) {
    case 'command_approval':
      return { ...common, kind: 'exec-approval', ...describeCommand(approvalRequest, request) };
    case 'patch_approval':
      return { ...common, kind: 'patch-approval', ...describePatch(approvalRequest, request) };
    case 'permission_approval':
    case 'mcp_tool_approval':
      return {
        ...common,
        kind: approvalRequest.type.replaceAll('_', '-'),
        message: questionText(approvalRequest),
        facts: {},
      };
    case 'user_input':
    case 'mcp_elicitation':
      return undefined;
  }
}

/** Returns the params of a standard elicitation, with the additional members that the old server sent. */
export function toElicitation({
  approvalRequest,
  message,
  kind,
  threadId,
  requestId,
  facts,
}: CompatApproval): JsonObject {
  const options = approvalRequest.questions[0]?.options ?? [];
  const asOld = Object.entries(facts).map(([name, value]) => [`codex_${name}`, value]);
  return {
    message: neutralize(message, { multiline: true }),
    requestedSchema: decisionSchema(options, questionText(approvalRequest)),
    threadId,
    codex_elicitation: kind,
    codex_mcp_tool_call_id: String(requestId),
    codex_event_id: approvalRequest.turnId ?? '',
    codex_call_id: approvalRequest.itemId ?? '',
    ...Object.fromEntries(asOld),
  };
}

/** Returns the event with which the old server announced an approval request. */
export function toApprovalEvent({ approvalRequest, kind, request, facts }: CompatApproval): JsonObject {
  const { startedAtMs, reason, proposedExecpolicyAmendment, availableDecisions, grantRoot } = request;
  return omitNullish({
    type: EVENTS[kind] ?? kind.replaceAll('-', '_'),
    call_id: approvalRequest.itemId,
    turn_id: approvalRequest.turnId,
    started_at_ms: startedAtMs,
    reason,
    proposed_execpolicy_amendment: proposedExecpolicyAmendment,
    available_decisions: Array.isArray(availableDecisions) ? availableDecisions.map(toLegacyDecision) : undefined,
    grant_root: grantRoot,
    ...facts,
  });
}

const EVENTS: Readonly<Record<string, string>> = {
  'exec-approval': 'exec_approval_request',
  'patch-approval': 'apply_patch_approval_request',
};

function describeCommand(approvalRequest: ApprovalRequest, { command, cwd, commandActions }: JsonObject) {
  if (typeof command !== 'string') return { message: questionText(approvalRequest), facts: {} };
  return {
    message: commandMessage(command, String(cwd ?? '')),
    facts: omitNullish({
      command: splitCommand(command),
      cwd,
      parsed_cmd: Array.isArray(commandActions) ? toParsedCommands(commandActions) : undefined,
    }),
  };
}

/** Uses the sentence of Codex's own server, unless the command or folder contains a line break or a backtick. */
function commandMessage(command: string, cwd: string): string {
  const isClear = [command, cwd].every((text) => (text === '' || isPlain(text)) && !text.includes('`'));
  if (isClear) return `Allow Codex to run \`${command}\` in \`${cwd}\`?`;
  return `Allow Codex to run this command?\n${quote(command)}\n${label('in', cwd)}`;
}

function describePatch({ details }: ApprovalRequest, { reason, grantRoot }: JsonObject) {
  const prompt = 'Allow Codex to apply proposed code changes?';
  // The engine sets this member.
  const files = Array.isArray(details['changes']) ? (details['changes'] as readonly FileChange[]) : [];
  const changes = toChanges(
    files.map(({ path, kind, diff, movedTo }) => ({ path, diff, kind: { type: kind, move_path: movedTo } })),
  );
  return {
    message:
      typeof reason === 'string' && reason !== '' ? `${prompt}\nReason given by the model:\n${quote(reason)}` : prompt,
    facts: omitNullish({ changes, reason, grant_root: grantRoot }),
  };
}

function questionText({ questions }: ApprovalRequest): string {
  return questions[0]?.question ?? '';
}

function omitNullish(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}
