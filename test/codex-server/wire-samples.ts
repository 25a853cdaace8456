import type { ApprovalRequest } from '../../src/codex/approvals/approval-request.ts';
import { parseServerRequest } from '../../src/codex/engines/app-server/protocol/server-requests.ts';
import { IncomingRequest } from '../../src/wire/rpc/incoming-requests.ts';

/** A response that we send, and its type name in Codex's bindings. */
export interface WireSample {
  readonly type: string;
  readonly value: unknown;
}

/** Returns, for each request of Codex, all responses that a client can choose and those that we send ourselves. */
export async function makeAnswers(): Promise<readonly WireSample[]> {
  const samples: WireSample[] = [];
  for (const { method, type, params, replies = [] } of asked) {
    const about = { threadId: 't', turnId: 'u', itemId: 'i' };
    const meaning = parseServerRequest(new IncomingRequest(0, '0', method, { ...about, ...params }), () => []);
    if (meaning.kind === 'answered') samples.push({ type, value: meaning.result });
    else samples.push(...(await allAnswers(meaning.approval.request, replies)).map((value) => ({ type, value })));
  }
  return samples;
}

async function allAnswers(
  question: ApprovalRequest,
  replies: readonly (readonly string[])[],
): Promise<readonly unknown[]> {
  const chosen =
    question.questions.length === 1 ? (question.questions[0]?.options ?? []).map((option) => [option]) : [];
  const decisions = await Promise.all([...chosen, ...replies].map((reply) => question.decide(reply)));
  return [question.refusal, question.cancellation, ...decisions.map(({ response }) => response)];
}

interface SampleRequest {
  readonly method: string;
  /** The type of the response. */
  readonly type: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Answers besides the options of the question. */
  readonly replies?: readonly (readonly string[])[];
}

const amendment = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['git', 'push'] } };
const permissions = { network: { enabled: true }, fileSystem: null };
const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const toolCall = { codex_approval_kind: 'mcp_tool_call', persist: ['session', 'always'], tool_params: { a: 1 } };
const elicitation = { method: 'mcpServer/elicitation/request', type: 'McpServerElicitationRequestResponse' };

const asked: readonly SampleRequest[] = [
  {
    method: 'item/commandExecution/requestApproval',
    type: 'CommandExecutionRequestApprovalResponse',
    params: { command: 'git push', cwd: '/project', availableDecisions: ['accept', amendment] },
  },
  { method: 'item/fileChange/requestApproval', type: 'FileChangeRequestApprovalResponse', params: {} },
  {
    method: 'item/permissions/requestApproval',
    type: 'PermissionsRequestApprovalResponse',
    params: { permissions, cwd: '/project' },
  },
  {
    method: 'item/tool/requestUserInput',
    type: 'ToolRequestUserInputResponse',
    params: { questions: [{ id: 'q', header: 'h', question: 'Which?', isOther: true, options: [{ label: 'one' }] }] },
    replies: [['another']],
  },
  {
    ...elicitation,
    params: { serverName: 's', mode: 'form', message: 'm', requestedSchema: form },
    replies: [['{"name":"n"}']],
  },
  { ...elicitation, params: { serverName: 's', mode: 'url', message: 'm', url: 'https://example.com/' } },
  { ...elicitation, params: { serverName: 's', mode: 'openai/userVerification', title: 't' } },
  { ...elicitation, params: { serverName: 's', mode: 'form', message: 'm', _meta: toolCall } },
  { method: 'item/tool/call', type: 'DynamicToolCallResponse', params: {} },
  { method: 'currentTime/read', type: 'CurrentTimeReadResponse', params: {} },
  { method: 'applyPatchApproval', type: 'ApplyPatchApprovalResponse', params: {} },
  { method: 'execCommandApproval', type: 'ExecCommandApprovalResponse', params: {} },
];
