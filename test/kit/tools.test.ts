import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError, createServer, type Schema, type Server } from '../../src/kit/index.ts';
import { createTestClient } from '../../src/kit/testing.ts';
import { verifies } from '../verifies.ts';

const info = { name: 'test', version: '1.0.0' };

async function call(server: Server, name: string, args?: unknown) {
  const client = await createTestClient(server);
  try {
    return await client.callTool(name, args);
  } finally {
    await client.close();
  }
}

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

describe.each<[string, Schema]>([
  ['zod', z.object({ message: z.string(), times: z.number().int().optional() })],
  [
    'valibot',
    toStandardJsonSchema(v.object({ message: v.string(), times: v.optional(v.pipe(v.number(), v.integer())) })),
  ],
  ['arktype', type({ message: 'string', 'times?': 'number.integer' })],
  [
    'plain JSON Schema',
    { type: 'object', properties: { message: { type: 'string' }, times: { type: 'integer' } }, required: ['message'] },
  ],
])('an input of %s', (_, input) => {
  const seen: unknown[] = [];
  const server = createServer(info).tool('repeat', { description: 'Repeats.', input }, (args) => {
    seen.push(args);
    return 'done';
  });

  test('is published as an object schema', async () => {
    const client = await createTestClient(server);
    const [tool] = await client.listTools();
    await client.close();
    expect(tool).toMatchObject({
      name: 'repeat',
      description: 'Repeats.',
      inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    });
  });

  test('passes valid arguments to the handler', async () => {
    seen.length = 0;
    expect(await call(server, 'repeat', { message: 'hi', times: 2 })).toEqual(text('done'));
    expect(seen).toEqual([{ message: 'hi', times: 2 }]);
  });

  verifies(
    'kit:errors:high-level-validates',
    'rejects invalid arguments before the handler runs, with the reason and the allowed values',
    async () => {
      seen.length = 0;
      const result = await call(server, 'repeat', { message: 5 });
      expect(result.isError).toBe(true);
      const [value] = result.content;
      expect(value?.type === 'text' ? value.text : '').toMatch(
        /^Invalid arguments for tool "repeat": .*message.*Allowed: \{ message: string, times\?: (integer|number) \}\.$/,
      );
      expect(seen).toEqual([]);
    },
  );
});

test('the handler gets the validated value, with defaults and transformations', async () => {
  const input = z.object({ count: z.coerce.number().default(3) });
  const server = createServer(info).tool('count', { description: 'Counts.', input }, ({ count }) => String(count + 1));
  expect(await call(server, 'count', {})).toEqual(text('4'));
  expect(await call(server, 'count', { count: '41' })).toEqual(text('42'));
});

test('an asynchronous validation is awaited', async () => {
  const input = z.object({ user: z.string().refine(async (user) => user === 'ada', 'no such user') });
  const server = createServer(info).tool('greet', { description: 'Greets.', input }, ({ user }) => `hello ${user}`);
  expect(await call(server, 'greet', { user: 'ada' })).toEqual(text('hello ada'));
  expect(await call(server, 'greet', { user: 'bob' })).toMatchObject({ isError: true });
});

describe('the return value of a handler', () => {
  const server = createServer(info)
    .tool('text', { description: '' }, () => 'plain')
    .tool('nothing', { description: '' }, () => undefined)
    .tool('value', { description: '' }, async () => ({ answer: 42 }))
    .tool('whole', { description: '' }, () => ({
      content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
      _meta: { own: 1 },
    }))
    .tool('failed', { description: '' }, () => ({
      content: [{ type: 'text', text: 'no luck' }],
      isError: true,
      _meta: { code: 7 },
    }))
    .tool('cyclic', { description: '' }, () => {
      const cycle: Record<string, unknown> = {};
      cycle['self'] = cycle;
      return cycle;
    });

  test.each([
    ['text', text('plain')],
    ['nothing', { content: [] }],
    ['value', text('{"answer":42}')],
    ['whole', { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }], _meta: { own: 1 } }],
    ['failed', { content: [{ type: 'text', text: 'no luck' }], isError: true, _meta: { code: 7 } }],
  ])('%s', async (name, expected) => {
    expect(await call(server, name)).toEqual(expected);
  });

  test('a value that is not JSON is a failure of the tool, not of the server', async () => {
    expect(await call(server, 'cyclic')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('circular') }],
    });
  });
});

describe('an output schema', () => {
  const output = z.object({ sum: z.number() });
  const server = createServer(info)
    .tool('add', { description: 'Adds.', input: z.object({ a: z.number(), b: z.number() }), output }, ({ a, b }) => ({
      sum: a + b,
    }))
    .tool(
      'wrong',
      { description: 'Lies.', output: { type: 'object', properties: { sum: { type: 'number' } } } },
      () => ({ sum: 'x' }),
    )
    .tool('rich', { description: 'Both.', output }, () => ({
      content: [{ type: 'text', text: 'three' }],
      structuredContent: { sum: 3 },
    }))
    .tool('gives-up', { description: 'Fails.', output }, () => ({
      content: [{ type: 'text', text: 'no' }],
      isError: true,
    }));

  test('is published, and adds structured content to the text', async () => {
    const client = await createTestClient(server);
    const tools = await client.listTools();
    expect(tools[0]?.outputSchema).toMatchObject({ type: 'object', properties: { sum: { type: 'number' } } });
    expect(await client.callTool('add', { a: 1, b: 2 })).toEqual({
      ...text('{"sum":3}'),
      structuredContent: { sum: 3 },
    });
    await client.close();
  });

  test('is enforced: an invalid value is an error that says so', async () => {
    expect(await call(server, 'wrong')).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringMatching(/"wrong" returned a result that its output schema does not allow: sum/) },
      ],
    });
  });

  test('validates a complete result and passes an error result unchanged', async () => {
    expect(await call(server, 'rich')).toEqual({ ...text('three'), structuredContent: { sum: 3 } });
    expect(await call(server, 'gives-up')).toEqual({ ...text('no'), isError: true });
  });
});

verifies(
  'kit:errors:high-level-throw',
  'an exception becomes a result with isError and one readable line',
  async () => {
    const server = createServer(info)
      .tool('throws', { description: '' }, () => {
        throw new Error('first line\nsecond line');
      })
      .tool('rejects', { description: '' }, async () => Promise.reject(new TypeError('bad type')))
      .tool('throws-text', { description: '' }, () => {
        throw 'just text';
      })
      .tool('own-code', { description: '' }, () => {
        throw new AppError('BUSY', 'try later', { data: { queue: 9 } });
      });
    const failure = (message: string, code: string, rest = {}) => ({
      content: [{ type: 'text', text: message }],
      isError: true,
      _meta: { 'switchboard/error': { code, retryable: code === 'BUSY', ...rest } },
    });
    expect(await call(server, 'throws')).toEqual(failure('first line second line', 'TOOL_FAILED', { tool: 'throws' }));
    expect(await call(server, 'rejects')).toEqual(failure('bad type', 'TOOL_FAILED', { tool: 'rejects' }));
    expect(await call(server, 'throws-text')).toEqual(failure('just text', 'TOOL_FAILED', { tool: 'throws-text' }));
    expect(await call(server, 'own-code')).toEqual(failure('try later', 'BUSY', { queue: 9 }));
  },
);

verifies('kit:tools:unknown-tool', 'an unknown tool is an error result that lists the available tools', async () => {
  const server = createServer(info).tool('echo', { description: '' }, () => 'x');
  expect(await call(server, 'ecko')).toMatchObject({
    isError: true,
    content: [{ text: 'unknown tool: ecko. This server has: echo.' }],
  });
});

verifies('kit:tools:name-kept', 'a dotted name is listed and called unchanged', async () => {
  const server = createServer(info).tool('fs.read_file', { description: '' }, () => 'content');
  const client = await createTestClient(server);
  expect((await client.listTools()).map(({ name }) => name)).toEqual(['fs.read_file']);
  expect(await client.callTool('fs.read_file')).toEqual(text('content'));
  await client.close();
});

describe('a mistake in a definition throws where it is made', () => {
  const server = createServer(info).tool('taken', { description: '' }, () => 'x');
  test.each<[string, () => unknown, RegExp]>([
    [
      'a name with a space',
      () => server.tool('two words', { description: '' }, () => ''),
      /tool "two words" must have a name of/,
    ],
    ['a duplicate name', () => server.tool('taken', { description: '' }, () => ''), /"taken" is defined twice/],
    [
      'a schema that is not an object',
      () => server.tool('a', { description: '', input: z.string() }, () => ''),
      /input of tool "a".*must describe an object, not "string"/,
    ],
    [
      'a schema without JSON Schema',
      () => server.tool('b', { description: '', input: v.object({}) as never }, () => ''),
      /valibot schema cannot.*toStandardJsonSchema/,
    ],
    [
      'a type that JSON cannot represent',
      () => server.tool('c', { description: '', input: z.object({ when: z.date() }) }, () => ''),
      /input of tool "c".*cannot be converted to a JSON Schema/,
    ],
  ])('%s', (_, define, message) => {
    expect(define).toThrow(message);
    expect(define).toThrow(expect.objectContaining({ code: 'TOOL_INVALID' }));
  });
});

test('a top-level union is published as an object', async () => {
  const input = z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]);
  const server = createServer(info).tool('either', { description: '', input }, (args) => JSON.stringify(args));
  const client = await createTestClient(server);
  expect((await client.listTools())[0]?.inputSchema).toMatchObject({ type: 'object', anyOf: [{}, {}] });
  expect(await client.callTool('either', { b: 2 })).toEqual(text('{"b":2}'));
  await client.close();
});

test('an invalid call is a protocol error', async () => {
  const client = await createTestClient(createServer(info));
  await expect(client.request('tools/call', { arguments: {} })).rejects.toMatchObject({
    code: 'REQUEST_FAILED',
    data: { rpcCode: -32602 },
  });
  await expect(client.request('nonsense')).rejects.toMatchObject({ data: { rpcCode: -32601 } });
  await client.close();
});

test('a tool without an input schema accepts only an object', async () => {
  const server = createServer(info).tool('free', { description: '' }, (args) => JSON.stringify(args));
  expect(await call(server, 'free', { any: ['thing'] })).toEqual(text('{"any":["thing"]}'));
  expect(await call(server, 'free', [1])).toMatchObject({ isError: true });
  expect(await call(server, 'free', 5)).toMatchObject({ isError: true });
});

test('an error of another library is not mistaken for one of ours', async () => {
  const server = createServer(info).tool('busy', { description: '' }, () => {
    throw Object.assign(new Error('EBUSY'), { code: 'BUSY', data: { secret: 1 } });
  });
  expect(await call(server, 'busy')).toMatchObject({
    _meta: { 'switchboard/error': { code: 'TOOL_FAILED', tool: 'busy' } },
  });
});

describe('a mistake that types would catch is rejected in JavaScript too', () => {
  const server = () => createServer(info) as unknown as { tool(...args: unknown[]): void };
  test.each<[string, unknown[], RegExp]>([
    ['no definition', ['t'], /"t" needs a definition/],
    ['a description instead of a definition', ['t', 'does it', () => ''], /"t" needs a definition/],
    ['no description', ['t', {}, () => ''], /"t" needs a description/],
    ['no handler', ['t', { description: '' }], /"t" needs a handler/],
    [
      'inputSchema',
      ['t', { description: '', inputSchema: z.object({}) }, () => ''],
      /"t" has "inputSchema": call it "input"/,
    ],
    [
      'outputSchema',
      ['t', { description: '', outputSchema: {} }, () => ''],
      /"t" has "outputSchema": call it "output"/,
    ],
    [
      'a shape of schemas',
      ['t', { description: '', input: { city: z.string() } }, () => ''],
      /"city" is itself a schema. Wrap/,
    ],
    [
      'a misspelled type',
      ['t', { description: '', input: { type: 'object', properties: { a: { type: 'strnig' } } } }, () => ''],
      /no type "strnig"/,
    ],
    ['a missing name', [undefined, { description: '' }, () => ''], /must have a name/],
  ])('%s', (_, args, message) => {
    expect(() => server().tool(...args)).toThrow(message);
  });

  test('a server without a name or a version', () => {
    const make = createServer as unknown as (...args: unknown[]) => unknown;
    for (const args of [[], ['name'], [{ name: 'x' }], [{ version: '1' }]]) {
      expect(() => make(...args)).toThrow(/createServer needs \{ name, version \}/);
    }
  });
});

test('a thenable of another library is awaited like a promise', async () => {
  // biome-ignore lint/suspicious/noThenProperty: query builders look like this
  const query = { sql: 'select 1', then: (resolve: (rows: string) => void) => resolve('rows') };
  const server = createServer(info).tool('query', { description: '' }, () => query);
  expect(await call(server, 'query')).toEqual(text('rows'));
});

test('onError gets a thrown error with its stack; the model and silent servers do not', async () => {
  const received: unknown[] = [];
  const options = { onError: (error: unknown, tool: string) => received.push([tool, error]) };
  const failure = new TypeError('broken');
  const server = createServer(info, options)
    .tool('broken', { description: '' }, () => {
      throw failure;
    })
    .tool('refuses', { description: '' }, async () => {
      throw new AppError('BUSY', 'later');
    });
  expect(await call(server, 'broken')).toMatchObject({ isError: true, content: [{ text: 'broken' }] });
  await call(server, 'refuses');
  expect(received).toEqual([['broken', failure]]);
});

test('data that cannot be serialized breaks neither an error message nor the call', async () => {
  const server = createServer(info)
    .tool('error', { description: '' }, () => {
      throw new AppError('BUSY', 'too much', { data: { count: 1n } });
    })
    .tool('log', { description: '' }, (_, { log }) => {
      log('error', { count: 1n });
      return 'done';
    });
  expect(await call(server, 'error')).toMatchObject({ isError: true, content: [{ text: 'too much' }] });
  expect(await call(server, 'log')).toEqual(text('done'));
});

test('a content block without a type is a failure of the tool', async () => {
  const server = createServer(info).tool('stray', { description: '' }, () => ({ content: ['hi'] }));
  expect(await call(server, 'stray')).toMatchObject({
    isError: true,
    content: [{ text: 'The tool returned a content block without a type: "hi"' }],
  });
});

describe('plain JSON Schema as an output is validated as the client will see it', () => {
  const output = { type: 'object', properties: { n: { type: 'number' }, when: { type: 'string' } }, required: ['n'] };
  const server = createServer(info)
    .tool('missing-member', { description: '', output }, () => ({ n: 1, note: undefined }))
    .tool('nan', { description: '', output }, () => ({ n: Number.NaN }))
    .tool('date', { description: '', output }, () => ({ n: 1, when: new Date(0) }))
    .tool('text', { description: '', output }, () => ({ n: 1, toJSON: () => 'text' }));

  test.each([
    ['missing-member', { structuredContent: { n: 1 } }],
    ['nan', { isError: true }],
    ['date', { structuredContent: { n: 1, when: '1970-01-01T00:00:00.000Z' } }],
    ['text', { isError: true }],
  ])('%s', async (name, expected) => {
    expect(await call(server, name)).toMatchObject(expected);
  });
});

test('a value of the output schema may have its own content member', async () => {
  const output = z.object({ content: z.array(z.string()) });
  const server = createServer(info).tool('list', { description: '', output }, () => ({ content: ['a', 'b'] }));
  expect(await call(server, 'list')).toMatchObject({ structuredContent: { content: ['a', 'b'] } });
});

test.each<[string, () => unknown]>([
  ['an error', () => new Error('went wrong')],
  ['an error of a subclass', () => new TypeError('went wrong')],
  ['a promise of an error', async () => new Error('went wrong')],
  ['a promise of a promise of an error', async () => Promise.resolve(new Error('went wrong'))],
  ['content with an error', () => ({ content: [new Error('went wrong')] })],
  ['an array with an error', () => [1, new Error('went wrong')]],
  ['an error as structured content', () => ({ content: [], structuredContent: new Error('went wrong') })],
])('a handler that returns %s has failed', async (_, handler) => {
  const expected = { content: [{ type: 'text', text: 'went wrong' }], isError: true };
  const output = { type: 'object' } as const;
  const server = createServer(info)
    .tool('plain', { description: '' }, handler as never)
    .tool('structured', { description: '', output }, handler as never);
  expect(await call(server, 'plain')).toMatchObject(expected);
  expect(await call(server, 'structured')).toMatchObject(expected);
});

test('a listener that throws does not hide the message from the model', async () => {
  const options = {
    onError: () => {
      throw new Error('mine');
    },
  };
  const server = createServer(info, options).tool('broken', { description: '' }, () => {
    throw new Error('theirs');
  });
  expect(await call(server, 'broken')).toMatchObject({ isError: true, content: [{ text: 'theirs' }] });
});

describe('one bad definition cannot break the list', () => {
  const define = (definition: object) => () =>
    createServer(info).tool('t', { description: '', ...definition } as never, () => '');
  test.each<[string, object, RegExp]>([
    ['a BigInt in _meta', { _meta: { big: 1n } }, /cannot be listed/],
    [
      'a nested schema of another library',
      { input: { type: 'object', properties: { a: z.string() } } },
      /"a" is itself a schema/,
    ],
    ['required that is not an array', { input: { type: 'object', required: 'name' } }, /"required" must be a list/],
    [
      'an invalid pattern',
      { input: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } },
      /is not a regular expression/,
    ],
    ['a null output', { output: null }, /expected a schema, got null/],
  ])('%s', (_, definition, message) => {
    expect(define(definition)).toThrow(message);
  });

  test('a stray name does not replace the real one', () => {
    const server = createServer(info).tool('real', { description: '', name: 'bad name!' } as never, () => '');
    expect(JSON.parse(`{${server.catalog.listJson()}}`).tools[0].name).toBe('real');
  });
});

test('validation errors are readable, even for names outside ASCII', async () => {
  const input = { type: 'object', properties: { größe: { type: 'string' } } };
  const server = createServer(info).tool('t', { description: '', input }, () => '');
  expect(await call(server, 't', { größe: 1 })).toMatchObject({
    content: [{ text: expect.stringContaining('größe: expected string, got number') }],
  });
});

test('a lone surrogate at the end of a text becomes U+FFFD, because some clients reject the whole response', async () => {
  const half = '😀'.slice(0, 1);
  const server = createServer(info)
    .tool('text', { description: 'Text.' }, () => `cut ${half}`)
    .tool('value', { description: 'A value.' }, () => ({ cut: half, whole: '😀' }))
    .tool('failure', { description: 'Fails.' }, () => {
      throw new Error(`cut ${half}`);
    });
  expect(await call(server, 'text')).toEqual(text('cut \ufffd'));
  expect(await call(server, 'value')).toEqual(text('{"cut":"\ufffd","whole":"😀"}'));
  expect(await call(server, 'failure')).toMatchObject({ ...text('cut \ufffd'), isError: true });
});
