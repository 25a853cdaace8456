import { describe, expect, test } from 'vitest';
import { findHeaderProblem, findParamProblem } from './check-headers.ts';
import { toModernRequest } from './modern-request.ts';

const KEY = 'io.modelcontextprotocol';
const META = { [`${KEY}/protocolVersion`]: '2026-07-28', [`${KEY}/clientCapabilities`]: {} };
const request = (method: string, params: object, meta: object = META) =>
  toModernRequest('1', method, { ...params, _meta: meta });
const call = (params: object = { name: 'echo' }, meta: object = META) => request('tools/call', params, meta);
const HEADERS = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' };

test('a complete request has no problem', () => {
  expect(findHeaderProblem(HEADERS, call())).toBeUndefined();
  expect(findHeaderProblem({ ...HEADERS, 'mcp-name': '  echo ' }, call())).toBeUndefined();
});

describe('a header that repeats a part of the body', () => {
  test.each([
    ['MCP-Protocol-Version', { 'mcp-protocol-version': '2025-11-25' }],
    ['MCP-Protocol-Version', { 'mcp-protocol-version': undefined }],
    ['Mcp-Method', { 'mcp-method': 'tools/list' }],
    ['Mcp-Method', { 'mcp-method': 'TOOLS/CALL' }],
    ['Mcp-Method', { 'mcp-method': undefined }],
    ['Mcp-Name', { 'mcp-name': 'other' }],
    ['Mcp-Name', { 'mcp-name': 'echo, echo' }],
    ['Mcp-Name', { 'mcp-name': undefined }],
    ['Mcp-Name', { 'mcp-name': '=?base64?ZWNobw?=' }],
    ['Mcp-Name', { 'mcp-name': '=?base64?/w==?=' }],
  ])('is refused by name if it differs: %s %j', (name, changed) => {
    const problem = findHeaderProblem({ ...HEADERS, ...changed } as typeof HEADERS, call());
    expect(problem).toMatchObject({ code: 'HEADER_MISMATCH', message: expect.stringContaining(name) });
  });

  test('may be encoded', () => {
    const headers = { ...HEADERS, 'mcp-name': `=?base64?${Buffer.from('Zähler').toString('base64')}?=` };
    expect(findHeaderProblem(headers, call({ name: 'Zähler' }))).toBeUndefined();
  });

  test.each([
    ['resources/read', { uri: 'test://a' }, 'test://a'],
    ['prompts/get', { name: 'p' }, 'p'],
    ['tasks/get', { taskId: 't' }, 't'],
  ])('is required for %s', (method, params, name) => {
    const message = request(method, params);
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
    expect(findHeaderProblem({ ...headers, 'mcp-name': name }, message)).toBeUndefined();
    expect(findHeaderProblem(headers, message)).toMatchObject({ code: 'HEADER_MISMATCH' });
  });

  test.each(['constructor', 'tools/list', '__proto__'])('is not required for %s', (method) => {
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
    expect(findHeaderProblem(headers, request(method, { name: 'x', constructor: 'y' }))).toBeUndefined();
  });

  test('is not required if the body has no name', () => {
    expect(findHeaderProblem({ ...HEADERS, 'mcp-name': 'x' }, call({}))).toBeUndefined();
  });
});

test.each([
  ['version', { [`${KEY}/clientCapabilities`]: {} }],
  ['version', { ...META, [`${KEY}/protocolVersion`]: 3 }],
  ['capabilities', { [`${KEY}/protocolVersion`]: '2026-07-28' }],
  ['capabilities', { ...META, [`${KEY}/clientCapabilities`]: [] }],
])('an envelope without a valid %s is an invalid request: %j', (_, meta) => {
  expect(findHeaderProblem(HEADERS, call({}, meta))).toMatchObject({ code: 'INVALID_PARAMS' });
});

test('an unknown version is refused with the supported ones, after a difference between header and body', () => {
  const unknown = call({}, { ...META, [`${KEY}/protocolVersion`]: '2099-01-01' });
  expect(findHeaderProblem({ ...HEADERS, 'mcp-protocol-version': '2099-01-01' }, unknown)).toMatchObject({
    code: 'UNSUPPORTED_VERSION',
    data: { supported: ['2026-07-28'], requested: '2099-01-01' },
  });
  expect(findHeaderProblem(HEADERS, unknown)).toMatchObject({ code: 'HEADER_MISMATCH' });
});

describe('an argument that a tool wants in a header', () => {
  const declared = [{ path: ['a', 'b'], header: 'mcp-param-b' }];
  const check = (value: unknown, header?: string) =>
    findParamProblem(header === undefined ? {} : { 'mcp-param-b': header }, declared, { a: { b: value } });

  test.each([
    ['text', 'text'],
    ['Zähler', `=?base64?${Buffer.from('Zähler').toString('base64')}?=`],
    ['', ''],
    [42, '42'],
    [42, '42.0'],
    [true, 'true'],
    [null, undefined],
    [null, 'ignored'],
    [undefined, undefined],
    [{ not: 'plain' }, undefined],
    [2 ** 60, 'not compared'],
  ])('%j matches the header %j', (value, header) => {
    expect(check(value, header)).toBeUndefined();
  });

  test.each([
    ['text', 'other'],
    ['text', undefined],
    ['text', '=?base64?!?='],
    [42, '43'],
    [42, '0x2a'],
    [42, ' '],
    [true, 'TRUE'],
  ])('%j does not match the header %j', (value, header) => {
    expect(check(value, header)).toMatchObject({
      code: 'HEADER_MISMATCH',
      message: expect.stringContaining('mcp-param-b'),
    });
  });
});
