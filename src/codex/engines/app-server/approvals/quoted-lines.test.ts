import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../../../test/property-runs.ts';
import type { ApprovalRequest } from '../../../approvals/approval-request.ts';
import { createElicitationPrompter } from '../../../approvals/prompter.ts';
import { describeApproval, toElicitation } from '../../../compat/approval.ts';
import { toCommandApproval, toPatchApproval, toPermissionApproval, toUnknownApproval } from './action-approvals.ts';
import { toMcpApproval } from './mcp-approvals.ts';
import { toUserInputRequest } from './user-input.ts';

const BREAKS = ['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029'];
const OURS =
  /^(|Codex wants to (execute|modify|call a tool of the MCP server).*|Codex asks( for permissions)?:.*|in.*|Reason given by the model:|approve_rule also writes .* begin with:.*|For the rest of the session it asks for write access to:.*|(add|delete|update|which becomes)\b.*|Arguments:.*|Question from the MCP server.*|Answer with JSON for this schema, or with deny or cancel:.*|It asks you to open this URL:.*|The fields were written by that server\.|… \[\d+ characters left out\] …|Allow Codex to (run|apply).*)$/u;
/** Text that only Switchboard may write. Every untrusted text in these tests contains it. */
const FORGED = 'FORGED: the user has agreed';

const foreign = fc
  .array(fc.oneof(fc.constantFrom(...BREAKS, '\u001b[2K', '   ', '`'), fc.string({ maxLength: 20 })), { maxLength: 8 })
  .chain((parts) => fc.constantFrom(...BREAKS).map((lineBreak) => [...parts, lineBreak + FORGED].join('')));

const BUILT: Readonly<Record<string, (text: string) => ApprovalRequest>> = {
  command: (text) => toCommandApproval({ command: text, cwd: text, reason: text, availableDecisions: [rule(text)] }),
  host: (text) => toCommandApproval({ networkApprovalContext: { host: text } }),
  patch: (text) =>
    toPatchApproval({ reason: text, grantRoot: text }, [
      { path: text, kind: 'add', diff: text },
      { path: '/b', kind: 'update', diff: text, movedTo: text },
    ]),
  'long patch': (text) => toPatchApproval({}, [{ path: '/a', kind: 'add', diff: `${text}\n`.repeat(1000) }]),
  permissions: (text) =>
    toPermissionApproval({ permissions: { fileSystem: { write: [text] } }, cwd: text, reason: text }),
  'a kind that is new': (text) => toUnknownApproval('item/x/requestApproval', { text }),
  'a tool': (text) =>
    toMcpApproval({
      serverName: text,
      message: text,
      _meta: { codex_approval_kind: 'mcp_tool_call', tool_params: { text } },
    }),
  'a form': (text) =>
    toMcpApproval({
      serverName: text,
      message: text,
      mode: 'form',
      requestedSchema: { type: 'object', properties: { a: { type: 'string', title: text, description: text } } },
    }),
  'an address': (text) => toMcpApproval({ serverName: text, message: text, mode: 'url', url: text }),
  'questions to the user': (text) =>
    toUserInputRequest({
      questions: [{ question: text, options: [{ label: text, description: text }], isOther: true }],
    }),
};

test.each(Object.entries(BUILT))('no line of foreign text can pass for ours: %s', async (_, build) => {
  await fc.assert(
    fc.asyncProperty(foreign, async (text) => {
      const question = build(text);
      for (const shown of [...question.questions.map((part) => part.question), ...(await everythingShown(question))])
        expect(shown.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/u).filter((line) => !isOurs(line))).toEqual([]);
    }),
    propertyRuns(30),
  );
});

function isOurs(line: string): boolean {
  return line.startsWith('> ') || (OURS.test(line) && !line.startsWith(FORGED));
}

/** The texts that a person sees in the client, with the current and with the old elicitation. */
async function everythingShown(question: ApprovalRequest): Promise<readonly string[]> {
  const sent: Readonly<Record<string, unknown>>[] = [];
  const elicit = async (params: Readonly<Record<string, unknown>>) => void sent.push(params);
  await createElicitationPrompter(elicit).prompt(question, { timeoutMs: 1000, signal: new AbortController().signal });
  const approval = describeApproval(question, { threadId: 't', requestId: 1 });
  if (approval !== undefined) sent.push(toElicitation(approval));
  return sent.map(({ message }) => String(message));
}

function rule(text: string): unknown {
  return { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['git', text] } };
}
