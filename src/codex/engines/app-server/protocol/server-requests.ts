import { AppError } from '../../../../base/errors.ts';
import { isObject } from '../../../../wire/messages.ts';
import type { IncomingRequest } from '../../../../wire/rpc/incoming-requests.ts';
import type { ApprovalRequest } from '../../../approvals/approval-request.ts';
import type { IncomingApproval } from '../../../engine.ts';
import type { FileChange } from '../../../item-types.ts';
import {
  toCommandApproval,
  toPatchApproval,
  toPermissionApproval,
  toUnknownApproval,
} from '../approvals/action-approvals.ts';
import { toMcpApproval } from '../approvals/mcp-approvals.ts';
import { toUserInputRequest } from '../approvals/user-input.ts';

export type ServerRequest =
  | { readonly kind: 'approval'; readonly approval: IncomingApproval }
  /** Responded to at once. */
  | { readonly kind: 'answered'; readonly result: unknown };

/**
 * Parses a request of the app-server. Refuses requests that only a product of OpenAI could handle, and unknown ones,
 * with the JSON-RPC error for an unknown method: Codex treats that as a refusal.
 */
export function parseServerRequest(
  { id: requestId, method, params: given }: IncomingRequest,
  filesOf: (itemId: string) => readonly FileChange[],
): ServerRequest {
  const params = isObject(given) ? given : {};
  const request = toApprovalRequest(method, params, filesOf);
  if (request !== undefined) {
    const { threadId } = params;
    // Without it, nobody knows which session asks.
    if (typeof threadId !== 'string') return { kind: 'answered', result: request.refusal };
    return { kind: 'approval', approval: { requestId, threadId, request } };
  }
  switch (method) {
    case 'currentTime/read':
      return { kind: 'answered', result: { currentTimeAt: Math.floor(Date.now() / 1000) } };
    case 'item/tool/call':
      return { kind: 'answered', result: NO_SUCH_TOOL };
    // Legacy requests from before threads. Our sessions never send them. All versions understand the refusal `abort`.
    case 'applyPatchApproval':
    case 'execCommandApproval':
      return { kind: 'answered', result: { decision: 'abort' } };
  }
  throw new AppError('METHOD_NOT_FOUND', `Switchboard does not support ${method}.`);
}

const NO_SUCH_TOOL = {
  contentItems: [{ type: 'inputText', text: 'There is no such tool.' }],
  success: false,
};

function toApprovalRequest(
  method: string,
  params: Readonly<Record<string, unknown>>,
  filesOf: (itemId: string) => readonly FileChange[],
): ApprovalRequest | undefined {
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return toCommandApproval(params);
    case 'item/fileChange/requestApproval':
      return toPatchApproval(params, filesOf(String(params['itemId'])));
    case 'item/permissions/requestApproval':
      return toPermissionApproval(params);
    case 'item/tool/requestUserInput':
      return toUserInputRequest(params);
    case 'mcpServer/elicitation/request':
      return toMcpApproval(params);
  }
  return /\/requestApproval$/.test(method) ? toUnknownApproval(method, params) : undefined;
}
