import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, expect } from 'vitest';
import { isObject, type JsonObject } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { FREE } from '../codex-server/testbed.ts';
import { verifies } from '../verifies.ts';
import { shareHttpTestbed } from './testbed.ts';

const testbed = shareHttpTestbed();
const INFO = { name: 'interop', version: '1.0.0' };
const CAPABILITIES = { elicitation: { form: {} } };
const APPROVED = { action: 'accept' as const, content: { decision: 'approve' } };
const kinds = ['v1', 'v2', 'v2 auto', 'v2 modern'] as const;

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

interface OpenedClient {
  /** How many questions it has answered. */
  asked(): number;
  call(name: string, args: JsonObject): Promise<JsonObject>;
}

/** Connects an official client that approves every question. */
async function connect(kind: (typeof kinds)[number], url: string, token: string): Promise<OpenedClient> {
  let asked = 0;
  const approve = () => {
    asked++;
    return APPROVED;
  };
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const opened = kind === 'v1' ? await connectV1() : await connectV2(kind);
  open.push(opened);
  return {
    asked: () => asked,
    async call(name, args) {
      const { structuredContent, content, isError } = await opened.callTool({ name, arguments: args });
      if (isError === true) return { error: JSON.stringify(content) };
      return isObject(structuredContent) ? structuredContent : {};
    },
  };

  async function connectV1() {
    const sdk = new ClientV1(INFO, { capabilities: CAPABILITIES });
    sdk.setRequestHandler(ElicitRequestSchema, approve);
    // The SDK's own types do not agree about optional members.
    const transport = new TransportV1(new URL(url), { requestInit }) as unknown;
    await sdk.connect(transport as Parameters<ClientV1['connect']>[0]);
    return sdk;
  }

  async function connectV2(other: Exclude<typeof kind, 'v1'>) {
    const mode = { v2: 'legacy', 'v2 auto': 'auto', 'v2 modern': { pin: '2026-07-28' } } as const;
    const sdk = new Client(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode: mode[other] } });
    sdk.setRequestHandler('elicitation/create', approve);
    await sdk.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return sdk;
  }
}

verifies(
  ['codex:http:many', 'codex:http:owner', 'codex:http:approval'],
  'the official clients of both versions and eras work at the same time, each with its own token',
  async () => {
    const { url, kill } = await testbed().serve({ args: ['--tools', 'full'] });
    const clients: OpenedClient[] = [];
    for (const kind of kinds) clients.push(await connect(kind, url, await testbed().token(kind.replace(' ', '-'))));
    const ids = await Promise.all(
      clients.map(async ({ call }, index) => {
        const prompt = script([{ shell: `touch sdk-${index}.txt` }, { message: `answer ${index}` }]);
        const settings = { ...FREE, approvalPolicy: 'untrusted', waitSeconds: 45 };
        const done = await call('codex_start', { ...settings, prompt });
        expect(done).toMatchObject({ status: 'done', result: `answer ${index}` });
        const said = await call('codex_say', {
          sessionId: done['sessionId'],
          message: script([{ shell: `touch sdk-${index}-again.txt` }, { message: 'again' }]),
        });
        await call('codex_wait', { sessionIds: [said['sessionId']], timeoutSeconds: 45 });
        expect(await call('codex_status', { sessionId: said['sessionId'] })).toMatchObject({ result: 'again' });
        return String(done['sessionId']);
      }),
    );
    expect(clients.map(({ asked }) => asked())).toEqual([2, 2, 2, 2]);
    for (const [index, { call }] of clients.entries()) {
      const listed = JSON.stringify(await call('codex_list', {}));
      expect(ids.map((id) => listed.includes(id))).toEqual(ids.map((_, at) => at === index));
    }
    await Promise.all(open.splice(0).map((client) => client.close()));
    expect(await kill('SIGTERM')).toBe(143);
  },
);
