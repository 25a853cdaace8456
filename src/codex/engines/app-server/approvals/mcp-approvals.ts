import { AppError } from '../../../../base/errors.ts';
import { withOptionalNulls } from '../../../../serve/optional-nulls.ts';
import { createChecker } from '../../../../serve/tools/schema.ts';
import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { ApprovalRequest, Decision } from '../../../approvals/approval-request.ts';
import { stringOf } from '../../../json-values.ts';
import { label, mcpServerQuestion, quote } from '../../../text/quoting.ts';
import { assertAnswerCount, createChoice, findOption, invalidAnswer, joinLines } from './choice.ts';

const DECLINED = { action: 'decline', content: null, _meta: null };
const CANCELLED = { action: 'cancel', content: null, _meta: null };

/** Converts an elicitation of an MCP server, or an approval for its tool. Codex sends both as the same request. */
export function toMcpApproval(params: JsonObject): ApprovalRequest {
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  if (meta['codex_approval_kind'] === 'mcp_tool_call') return toToolApproval(params, meta);
  return params['mode'] === 'form' ? toFormElicitation(params) : toUrlElicitation(params);
}

function toToolApproval(params: JsonObject, meta: JsonObject): ApprovalRequest {
  const persist = Array.isArray(meta['persist']) ? meta['persist'] : [];
  const accept = (scope: string | undefined) => ({
    action: 'accept',
    content: null,
    _meta: scope === undefined ? null : { persist: scope },
  });
  const { tool_params: toolArguments, tool_description: description } = meta;
  return createChoice({
    type: 'mcp_tool_approval',
    params,
    lines: [
      label('Codex wants to call a tool of the MCP server', String(params['serverName'])),
      typeof params['message'] === 'string' ? quote(params['message']) : undefined,
      toolArguments === undefined ? undefined : label('Arguments:', JSON.stringify(toolArguments)),
    ],
    details: { server: params['serverName'], arguments: toolArguments, description },
    answers: [
      ['approve', accept(undefined)],
      ...(persist.includes('session') ? [['approve_session', accept('session')] as const] : []),
      ...(persist.includes('always') ? [['approve_always', accept('always')] as const] : []),
      ['deny', DECLINED],
      ['cancel', CANCELLED],
    ],
    refusal: DECLINED,
    cancellation: CANCELLED,
  });
}

/** Converts a form of a server. The answer is the completed form, as JSON. */
function toFormElicitation(params: JsonObject): ApprovalRequest {
  const schema = isObject(params['requestedSchema']) ? params['requestedSchema'] : { type: 'object', properties: {} };
  const options = Object.keys(REFUSALS);
  return {
    type: 'mcp_elicitation',
    turnId: stringOf(params['turnId']),
    itemId: undefined,
    questions: [
      {
        question: joinLines([
          mcpServerQuestion(params['serverName'], stringOf(params['message']) ?? ''),
          label('Answer with JSON for this schema, or with deny or cancel:', JSON.stringify(schema)),
        ]),
        options,
        isOpen: true,
      },
    ],
    details: { server: params['serverName'], mode: 'form', message: params['message'], schema },
    refusal: DECLINED,
    cancellation: CANCELLED,
    decide: (answers) => fillForm(answers, schema, options),
  };
}

async function fillForm(answers: readonly string[], schema: JsonObject, options: readonly string[]): Promise<Decision> {
  assertAnswerCount(answers, 1);
  const answer = (answers[0] ?? '').trim();
  const refusal = findOption(answer, Object.keys(REFUSALS));
  if (refusal !== undefined)
    return { response: REFUSALS[refusal], note: undefined, isApproval: false, summary: refusal };
  const content = parseForm(answer);
  if (content === undefined) throw invalidAnswer(answer, options, ', or the form as a JSON object');
  // Many clients send null for an empty field.
  const checked = await createChecker(withOptionalNulls(schema), 'input', 'The form').check(content);
  if (checked.problems !== undefined)
    throw new AppError('BAD_ARGUMENTS', `The answer does not match the form: ${checked.problems.join('; ')}`);
  const response = { action: 'accept', content: checked.value, _meta: null };
  return { response, note: undefined, isApproval: true, summary: 'answered' };
}

/** Converts a request to open a link, or one that only Codex's own UI can show. It can only be accepted or refused. */
function toUrlElicitation(params: JsonObject): ApprovalRequest {
  const { serverName: server, mode, message, url, title } = params;
  return createChoice({
    type: 'mcp_elicitation',
    params,
    lines: [
      mcpServerQuestion(server, stringOf(message) ?? stringOf(title) ?? String(mode)),
      typeof url === 'string' ? label('It asks you to open this URL:', url) : undefined,
    ],
    details: { server, mode, message, ...(url === undefined ? {} : { url }) },
    answers: [
      ...(mode === 'url' ? [['approve', { action: 'accept', content: null, _meta: null }] as const] : []),
      ['deny', DECLINED],
      ['cancel', CANCELLED],
    ],
    refusal: DECLINED,
    cancellation: CANCELLED,
  });
}

const REFUSALS: Readonly<Record<string, unknown>> = { deny: DECLINED, decline: DECLINED, cancel: CANCELLED };

function parseForm(answer: string): JsonObject | undefined {
  try {
    const content: unknown = JSON.parse(answer);
    return isObject(content) ? content : undefined;
  } catch {
    // The answer is not JSON. The caller gets an error with the options.
    return undefined;
  }
}
