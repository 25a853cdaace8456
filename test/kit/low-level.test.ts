import { expect } from 'vitest';
import { type Handler, Response, serve, type Transport, type TransportReceiver } from '../../src/kit/index.ts';
import { verifies } from '../verifies.ts';

/** Passes messages to a handler and collects its output until every request has a response. */
async function converse(handler: Handler, messages: readonly unknown[], wrap = (transport: Transport) => transport) {
  const sent: unknown[] = [];
  let receiver: TransportReceiver | undefined;
  const transport: Transport = {
    start: (given) => {
      receiver = given;
    },
    send: (text) => sent.push(JSON.parse(text)),
    close: () => undefined,
  };
  const served = serve(wrap(transport), handler);
  for (const message of messages) receiver?.message(typeof message === 'string' ? message : JSON.stringify(message));
  receiver?.end();
  await served;
  return sent;
}

/** Records its input and always returns the same response. */
const remember =
  <Result>(seen: unknown[], result: Result) =>
  (given: unknown): Result => {
    seen.push(given);
    return result;
  };

const request = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });

const echo: Handler = {
  toolsList: () => ({
    tools: [
      {
        name: 'echo',
        description: 'Echo input arguments as text',
        inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
      },
    ],
  }),
  toolsCall: ({ name, arguments: args }) => {
    if (name !== 'echo') return { content: [{ type: 'text', text: `unknown tool: ${name}` }], isError: true };
    const { message = '' } = args as { message?: string };
    return { content: [{ type: 'text', text: message }], isError: false };
  },
};

verifies(
  [
    'kit:serve:initialize',
    'kit:initialize:default-capabilities',
    'kit:initialize:default-server-info',
    'kit:scope:not-declared',
  ],
  'without an override, initialize declares only tools',
  async () => {
    expect(await converse(echo, [request('initialize', {})])).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'switchboard-kit', version: '0.1.0' },
        },
      },
    ]);
  },
);

verifies(
  ['kit:initialize:override', 'kit:initialize:override-extra-fields', 'kit:initialize:params-any'],
  'an initialize handler returns the whole result and gets the params as sent',
  async () => {
    const seen: unknown[] = [];
    const result = { serverInfo: { name: 'mine', version: '9' }, capabilities: { tools: {}, x: 1 }, more: [true] };
    const handler = { ...echo, initialize: remember(seen, result) };
    expect(await converse({ ...echo, initialize: () => null }, [request('initialize', {})])).toEqual([
      { jsonrpc: '2.0', id: 1, result: null },
    ]);
    const params = [{}, [1, 2], 'text', { deep: { er: null } }];
    const answers = await converse(
      handler,
      params.map((value, id) => request('initialize', value, id)),
    );
    expect(seen).toEqual(params);
    expect(answers).toEqual(params.map((_, id) => ({ jsonrpc: '2.0', id, result })));
  },
);

verifies(
  [
    'kit:serve:tools-list',
    'kit:protocol:tools-list-result',
    'kit:protocol:tool',
    'kit:protocol:tool-description-optional',
    'kit:protocol:tool-schema-arbitrary',
  ],
  'tools/list returns the tools of the handler, in order and in camelCase',
  async () => {
    const tools = [
      { name: 'b', inputSchema: { $ref: '#/x', anyOf: [true, false], 'x-own': 1 } },
      { name: 'a', description: 'first', inputSchema: { type: 'object' } },
    ];
    const handler = { ...echo, toolsList: () => ({ tools }) };
    expect(await converse(handler, [request('tools/list')])).toEqual([{ jsonrpc: '2.0', id: 1, result: { tools } }]);
  },
);

verifies(
  [
    'kit:serve:tools-call',
    'kit:protocol:tool-call-params',
    'kit:protocol:tool-call-arguments-any',
    'kit:errors:low-level-unvalidated',
  ],
  'tools/call passes name and arguments to the handler as sent, whatever they are',
  async () => {
    const seen: unknown[] = [];
    const handler = { ...echo, toolsCall: remember(seen, { content: [] }) };
    const values = [{ message: 5 }, [1], 'text', 0, false, null, { deep: [null] }];
    await converse(
      handler,
      values.map((value, id) => request('tools/call', { name: 'echo', arguments: value }, id)),
    );
    expect(seen).toEqual(values.map((value) => ({ name: 'echo', arguments: value })));
  },
);

verifies(
  [
    'kit:protocol:tool-call-result',
    'kit:protocol:content-text',
    'kit:protocol:content-several',
    'kit:errors:tool-level',
    'kit:errors:structured',
  ],
  'a result is sent as returned: content in order, isError and all other members',
  async () => {
    const result = {
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
      isError: true,
      structuredContent: { code: 'E_QUOTA' },
    };
    const handler = { ...echo, toolsCall: () => result };
    expect(await converse(handler, [request('tools/call', { name: 'x' })])).toEqual([
      { jsonrpc: '2.0', id: 1, result },
    ]);
  },
);

verifies(
  [
    'kit:serve:unknown-method',
    'kit:serve:invalid-method',
    'kit:scope:not-served',
    'kit:serve:continues-after-error',
    'kit:protocol:version-field',
  ],
  'an unknown method returns -32601, and the next request is answered',
  async () => {
    const methods = ['resources/list', 'prompts/list', 'sampling/createMessage', 'nonsense', ''];
    const answers = await converse(echo, [
      ...methods.map((method, id) => request(method, {}, id)),
      request('tools/list', {}, 'last'),
    ]);
    const refused = methods.map((_, id) => ({
      jsonrpc: '2.0',
      id,
      error: { code: -32601, message: 'Method not found' },
    }));
    expect(answers).toHaveLength(methods.length + 1);
    expect(answers).toEqual(expect.arrayContaining(refused));
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: 'last', result: await echo.toolsList() });
    const invalid = [5, null, {}, true].map((method, id) => ({ jsonrpc: '2.0', id, method }));
    expect(await converse(echo, invalid)).toEqual(
      invalid.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })),
    );
  },
);

verifies(
  ['kit:errors:initialize-failed', 'kit:errors:tools-list-failed', 'kit:errors:tools-call-failed', 'kit:errors:data'],
  'a handler that throws returns -32000, with a fixed message and the thrown value in data',
  async () => {
    const fail = () => {
      throw new Error('the disk is full');
    };
    const handler: Handler = { initialize: fail, toolsList: fail, toolsCall: async () => fail() };
    const methods = ['initialize', 'tools/list', 'tools/call'];
    const answers = await converse(
      handler,
      methods.map((method) => request(method, { name: 'x' }, method)),
    );
    expect(new Set(answers)).toEqual(
      new Set(
        methods.map((method) => ({
          jsonrpc: '2.0',
          id: method,
          error: { code: -32000, message: `${method} failed`, data: { error: 'the disk is full' } },
        })),
      ),
    );
  },
);

verifies(
  ['kit:errors:params-undecodable', 'kit:example:typed-arguments', 'kit:example:typed-arguments-refused'],
  'params that cannot be decoded, by us or by the handler, return -32000 with the reason in data',
  async () => {
    const decode = (value: unknown): { message: string } => {
      if (typeof value !== 'object' || value === null || !('message' in value))
        throw new Error('missing field `message`');
      return { message: String(value.message) };
    };
    const handler: Handler = {
      ...echo,
      toolsCall: ({ arguments: args }) => ({ content: [{ type: 'text', text: decode(args).message.toUpperCase() }] }),
    };
    const answers = await converse(handler, [
      request('tools/call', { arguments: {} }, 1),
      request('tools/call', null, 2),
      request('tools/call', { name: 'echo', arguments: {} }, 3),
      request('tools/call', { name: 'echo', arguments: { message: 'hi' } }, 4),
    ]);
    const failed = (id: number, error: string) => ({
      jsonrpc: '2.0',
      id,
      error: { code: -32000, message: 'tools/call failed', data: { error } },
    });
    expect(answers).toEqual([
      failed(1, 'params.name must be a string'),
      failed(2, 'params.name must be a string'),
      failed(3, 'missing field `message`'),
      { jsonrpc: '2.0', id: 4, result: { content: [{ type: 'text', text: 'HI' }] } },
    ]);
  },
);

verifies('kit:ids:echo', 'the id is returned as sent', async () => {
  const ids = [0, '', 'a', '0', -7, 1.5];
  const answers = await converse(
    echo,
    ids.map((id) => request('ping', {}, id)),
  );
  expect(answers).toEqual(ids.map((id) => ({ jsonrpc: '2.0', id, result: {} })));
  const raw = await converse(echo, ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}'], (transport) => ({
    ...transport,
    send: (text) => transport.send(JSON.stringify(text)),
  }));
  expect(raw).toEqual(['{"jsonrpc":"2.0","id":9007199254740993,"result":{}}']);
});

verifies(
  [
    'kit:ids:notification-runs',
    'kit:ids:notification-silent',
    'kit:ids:null-id',
    'kit:ids:notification-failure-silent',
    'kit:protocol:request-without-id',
  ],
  'a message without an id, or with a null id, runs its handler and gets no response, even if it fails',
  async () => {
    const seen: string[] = [];
    const handler: Handler = {
      ...echo,
      toolsCall: ({ name }) => {
        seen.push(name);
        throw new Error('nobody hears this');
      },
      request: ({ id, method }) => void seen.push(`${method} ${id}`),
    };
    const answers = await converse(handler, [
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 'one' } },
      { jsonrpc: '2.0', id: null, method: 'tools/call', params: { name: 'two' } },
      { jsonrpc: '2.0', method: 'nonsense' },
      request('ping'),
    ]);
    expect(seen).toEqual(['one', 'two', 'nonsense undefined']);
    expect(answers).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  },
);

verifies(
  ['kit:protocol:request-fields', 'kit:protocol:params-default-null'],
  'other methods reach the handler as a Request: fields as sent, params null if missing',
  async () => {
    const seen: unknown[] = [];
    const handler: Handler = { ...echo, request: remember(seen, { ok: true }) };
    const answers = await converse(handler, [request('x/y', { a: 1 }, 'id'), { jsonrpc: '2.0', id: 2, method: 'z' }]);
    expect(seen).toEqual([
      { jsonrpc: '2.0', id: 'id', method: 'x/y', params: { a: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'z', params: null },
    ]);
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 'id', result: { ok: true } },
      { jsonrpc: '2.0', id: 2, result: { ok: true } },
    ]);
  },
);

verifies(
  ['kit:transport:swap', 'kit:transport:wrap', 'kit:transport:end', 'kit:serve:resolves-at-eof'],
  'any object that carries text is a transport and can wrap another, and serve returns when it ends',
  async () => {
    const answers = await converse(echo, [request('ping', {}, 'drop'), request('ping', {}, 'keep')], (inner) => ({
      ...inner,
      send: (text) => {
        if (!text.includes('drop')) inner.send(text);
      },
    }));
    expect(answers).toEqual([{ jsonrpc: '2.0', id: 'keep', result: {} }]);
  },
);

verifies(['kit:protocol:response-ok', 'kit:protocol:response-err'], 'Response creates results and errors', () => {
  expect(Response.ok('a', { x: 1 })).toEqual({ jsonrpc: '2.0', id: 'a', result: { x: 1 } });
  expect(Response.err(null, -32601, 'Method not found')).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32601, message: 'Method not found' },
  });
  expect(Response.err(0, -32000, 'x failed', { error: 'why' })).toEqual({
    jsonrpc: '2.0',
    id: 0,
    error: { code: -32000, message: 'x failed', data: { error: 'why' } },
  });
});

verifies(
  ['kit:example:echo', 'kit:example:echo-without-message', 'kit:tools:unknown-tool'],
  'the echo handler answers a message, an empty call and a call to an unknown tool',
  async () => {
    const call = (params: unknown, id: number) => request('tools/call', params, id);
    const answers = await converse(echo, [
      request('tools/list', {}, 0),
      call({ name: 'echo', arguments: { message: 'hi' } }, 1),
      call({ name: 'echo' }, 2),
      call({ name: 'ecko', arguments: {} }, 3),
    ]);
    const text = (id: number, reply: string, isError: boolean) => ({
      jsonrpc: '2.0',
      id,
      result: { content: [{ type: 'text', text: reply }], isError },
    });
    expect(answers[0]).toMatchObject({
      result: { tools: [{ name: 'echo', description: 'Echo input arguments as text' }] },
    });
    expect(answers.slice(1)).toEqual([text(1, 'hi', false), text(2, '', false), text(3, 'unknown tool: ecko', true)]);
  },
);
