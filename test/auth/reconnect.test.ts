import { afterEach, describe, expect, test } from 'vitest';
import {
  createHttpServers,
  type HttpServers,
  type NamedHttpServer,
  type SignInRequest,
} from '../../src/upstream/transports/http/http-servers.ts';
import { ID, type Testbed, useTestbeds } from './login-harness.ts';

const newTestbed = useTestbeds();
const opened: HttpServers[] = [];
afterEach(async () => {
  for (const servers of opened.splice(0)) await servers.close();
});

describe('a server that reconnects', () => {
  test('keeps its earlier tokens masked', async () => {
    const testbed = await newTestbed();
    const servers = openServers(testbed);
    await testbed.signIn();
    const first = testbed.stored();
    await initialize(servers, testbed);
    await testbed.signIn();
    const second = testbed.stored();
    await initialize(servers, testbed);
    const expected = [first, second].flatMap((record) => [record?.['access_token'], record?.['refresh_token']]);
    expect(new Set(expected).size).toBe(4);
    expect(servers.tokens()).toEqual(expect.arrayContaining(expected));
  });

  test('keeps its earlier tokens masked when its entry gets an Authorization header', async () => {
    const testbed = await newTestbed();
    const servers = openServers(testbed);
    await testbed.signIn();
    await initialize(servers, testbed);
    await initialize(servers, testbed, { headers: { authorization: 'Bearer own' }, hasOwnAuthorization: true });
    expect(servers.tokens()).toContain(testbed.stored()?.['access_token']);
  });

  test('asks the application for at most three sign-ins if it rejects every token', async () => {
    const testbed = await newTestbed({ server: { takesNothing: true } });
    let signIns = 0;
    const servers = openServers(testbed, async ({ challenge }) => {
      signIns++;
      await testbed.signIn({ challenge });
    });
    for (let connection = 0; connection < 4; connection++)
      expect(await initialize(servers, testbed)).toBe('SIGN_IN_NEEDED');
    expect(signIns).toBe(3);
    expect(servers.credentialsChanged(ID)).toBe(false);
  });
});

function openServers(testbed: Testbed, signIn?: (request: SignInRequest) => Promise<void>): HttpServers {
  const servers = createHttpServers({ environment: testbed.testEnvironment, signIn });
  opened.push(servers);
  return servers;
}

/** Connects and disconnects. Returns the error code, or undefined if the server answered `initialize`. */
async function initialize(servers: HttpServers, testbed: Testbed, over: Partial<NamedHttpServer> = {}) {
  const entry = { serverId: ID, headers: {}, isSse: false, oauth: undefined, hasOwnAuthorization: false };
  const { promise, resolve } = createOutcome();
  const transport = await servers.open(
    { ...entry, url: testbed.server.url, ...over },
    {
      redact: (text) => text,
      frame: () => resolve(undefined),
      reportError: ({ code }) => resolve(code),
      requestFailed: (_, { code }) => resolve(code),
      isPending: () => true,
      end: ({ code }) => resolve(code),
    },
  );
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  transport.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }), {
    id: 1,
    sequence: 1,
    method: 'initialize',
    isSafeToResend: false,
  });
  const code = await promise;
  await transport.close();
  return code;
}

function createOutcome() {
  let resolve: (code: string | undefined) => void = () => {};
  const promise = new Promise<string | undefined>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: (code: string | undefined) => resolve(code) };
}
