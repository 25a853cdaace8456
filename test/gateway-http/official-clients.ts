import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach } from 'vitest';

const INFO = { name: 'interop', version: '1.0.0' };
const CAPABILITIES = { elicitation: { form: {} } };
export const kinds = ['v1', 'v2', 'v2 auto', 'v2 modern'] as const;
type Kind = (typeof kinds)[number];

export const accepted = (name: string) => ({ action: 'accept' as const, content: { name } });

export interface OfficialClient {
  readonly sdk: Client | ClientV1;
  call(
    name: string,
    args: Record<string, unknown>,
    onprogress?: (progress: { progress: number }) => void,
  ): Promise<unknown>;
}

/** Connects official clients, which answer every question with their own name. Closes them when their test ends. */
export function officialClients() {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((client) => client.close()));
  });
  return { connect };

  async function connect(kind: Kind, url: string, name: string): Promise<OfficialClient> {
    if (kind === 'v1') {
      const sdk = new ClientV1(INFO, { capabilities: CAPABILITIES });
      sdk.setRequestHandler(ElicitRequestSchema, () => accepted(name));
      // The SDK's own types do not agree about optional members.
      await sdk.connect(new TransportV1(new URL(url)) as unknown as Parameters<ClientV1['connect']>[0]);
      open.push(sdk);
      return {
        sdk,
        call: (tool, args, onprogress) =>
          sdk.callTool({ name: tool, arguments: args }, undefined, onprogress ? { onprogress } : {}),
      };
    }
    const mode = { v2: 'legacy', 'v2 auto': 'auto', 'v2 modern': { pin: '2026-07-28' } } as const;
    const sdk = new Client(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode: mode[kind] } });
    sdk.setRequestHandler('elicitation/create', () => accepted(name));
    await sdk.connect(new StreamableHTTPClientTransport(new URL(url)));
    open.push(sdk);
    return {
      sdk,
      call: (tool, args, onprogress) => sdk.callTool({ name: tool, arguments: args }, onprogress ? { onprogress } : {}),
    };
  }
}
