import { expect, test } from 'vitest';
import { IncomingRequest } from '../../../../wire/rpc/incoming-requests.ts';
import { SERVER_REQUESTS } from './methods.ts';
import { parseServerRequest } from './server-requests.ts';

test.each(['account/chatgptAuthTokens/refresh', 'attestation/generate', 'something/new'])(
  'rejects a request that only another product could answer: %s',
  (method) => {
    expect(() => read(method)).toThrow(expect.objectContaining({ code: 'METHOD_NOT_FOUND' }));
  },
);

test.each([
  ['applyPatchApproval', { decision: 'abort' }],
  ['execCommandApproval', { decision: 'abort' }],
  ['item/tool/call', { contentItems: [{ type: 'inputText', text: 'There is no such tool.' }], success: false }],
  ['currentTime/read', { currentTimeAt: expect.any(Number) }],
])('answers at once: %s', (method, result) => {
  expect(read(method)).toEqual({ kind: 'answered', result });
});

test.each([
  ['item/commandExecution/requestApproval', 'command_approval'],
  ['item/fileChange/requestApproval', 'patch_approval'],
  ['item/permissions/requestApproval', 'permission_approval'],
  ['item/tool/requestUserInput', 'user_input'],
  ['mcpServer/elicitation/request', 'mcp_elicitation'],
  ['item/rocket/requestApproval', 'command_approval'],
])('asks for approval: %s', (method, type) => {
  expect(read(method)).toMatchObject({
    kind: 'approval',
    approval: { requestId: 1, threadId: 's', request: { type } },
  });
});

test.each([
  ['item/commandExecution/requestApproval', { decision: 'decline' }],
  ['item/fileChange/requestApproval', { decision: 'decline' }],
])('refuses an approval of an unnamed session: %s', (method, result) => {
  const request = new IncomingRequest(1, '1', method, { turnId: 't', itemId: 'i' });
  expect(parseServerRequest(request, () => [])).toEqual({ kind: 'answered', result });
});

test('a file change approval includes the files reported before', () => {
  expect(read('item/fileChange/requestApproval')).toMatchObject({
    approval: { request: { questions: [{ question: expect.stringContaining('Codex wants to modify /i:') }] } },
  });
});

test('answers, asks or rejects every known request, even without params', () => {
  for (const method of SERVER_REQUESTS) {
    try {
      expect(parseServerRequest(new IncomingRequest(1, '1', method, null), () => [])).toHaveProperty('kind');
    } catch (error) {
      expect(error).toMatchObject({ code: 'METHOD_NOT_FOUND' });
    }
  }
});

function read(method: string) {
  const params = { threadId: 's', turnId: 't', itemId: 'i' };
  return parseServerRequest(new IncomingRequest(1, '1', method, params), (itemId) => [
    { path: `/${itemId}`, kind: 'add' },
  ]);
}
