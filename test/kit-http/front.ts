import { onTestFinished } from 'vitest';
import type { HttpLimits } from '../../src/serve/fronts/http/limits.ts';
import { type HttpFrontOptions, openHttpFront } from '../../src/serve/fronts/http/open-http-front.ts';
import type { Access, Principal } from '../../src/serve/fronts/http/principal.ts';
import { createServerEndpoint } from '../../src/serve/fronts/http/server-endpoint.ts';
import { createServer } from '../../src/serve/server.ts';
import { createRawClient } from './raw-client.ts';

interface TestFrontOptions extends Partial<Omit<HttpFrontOptions, 'limits'>> {
  readonly limits?: Partial<HttpLimits>;
}

/** Opens a front on a free port with a server that has a tool for every kind of message. */
export async function openTestFront(options: TestFrontOptions = {}) {
  const tools = createTestServer();
  const front = await openHttpFront({
    listen: { host: '127.0.0.1', port: 0 },
    endpoints: new Map([['/mcp', createServerEndpoint(tools.server)]]),
    access: createTestAccess(),
    ...options,
  });
  onTestFinished(() => front.close({ drainMs: 0 }));
  const { port } = front.address;
  return { ...tools, front, port, url: `http://127.0.0.1:${port}/mcp`, raw: createRawClient(port) };
}

function createTestServer() {
  const server = createServer({ name: 'test', version: '1.0.0' });
  /** The signals of the calls of `wait`, and functions that end these calls. */
  const waiting: { readonly signal: AbortSignal; readonly finish: (text: string) => void }[] = [];
  const text = { type: 'object', properties: { message: { type: 'string' } } } as const;
  server.tool('echo', { description: 'Repeats a message.', input: text }, ({ message }) => `${message}`);
  server.tool('wait', { description: 'Returns when the test says so.' }, (_, { signal }) => {
    const { promise, resolve } = withResolvers<string>();
    waiting.push({ signal, finish: resolve });
    return promise;
  });
  server.tool('count', { description: 'Reports progress three times.' }, (_, { progress, log }) => {
    for (const step of [1, 2, 3]) progress({ progress: step, total: 3 });
    log('info', 'counted');
    return 'done';
  });
  /** Sends progress when the test calls the function, and returns when it passes the last step. */
  const steps: ((progress: number, isLast?: boolean) => void)[] = [];
  server.tool('steps', { description: 'Reports progress when the test says so.' }, (_, { progress }) => {
    const { promise, resolve } = withResolvers<string>();
    steps.push((step, isLast = false) => {
      progress({ progress: step });
      if (isLast) resolve('all steps done');
    });
    return promise;
  });
  server.tool('ask', { description: 'Asks the user.' }, async (_, { elicit }) => {
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
    const answer = await elicit({ message: 'Who are you?', schema });
    return answer.action === 'accept' ? `You are ${JSON.stringify(answer.content)}.` : answer.action;
  });
  const region = { type: 'string', 'x-mcp-header': 'Region' } as const;
  server.tool(
    'regional',
    { description: 'Wants its region in a header.', input: { type: 'object', properties: { region } } },
    ({ region: where }) => `${where}`,
  );
  return { server, waiting, steps };
}

export const TOKENS = { alice: 'token-of-alice', bob: 'token-of-bob' };

/** Without a token, the client is `anybody`, unless the test requires tokens. */
export function createTestAccess({ required = false } = {}): Access & { revoke(token: string): void } {
  const valid = new Map(Object.entries(TOKENS).map(([name, token]) => [`Bearer ${token}`, principalOf(name)]));
  const listeners = new Set<(tokenId: string) => void>();
  return {
    authenticate: (authorization) =>
      authorization === undefined && !required ? principalOf('anybody') : valid.get(authorization ?? ''),
    onRevoked(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    revoke(token) {
      const principal = valid.get(`Bearer ${token}`);
      valid.delete(`Bearer ${token}`);
      for (const listener of listeners) listener(principal?.tokenId ?? '');
    },
  };
}

function principalOf(name: string): Principal {
  return { tokenId: `id of ${name}`, name, role: 'use', view: undefined, mayNameFolders: false };
}

function withResolvers<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}
