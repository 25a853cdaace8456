import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type Inbox, recordMessages } from './inbox.ts';

/** The official clients, each with its defaults. */
export const sdkKinds = ['version 1', 'version 2'] as const;
export type SdkKind = (typeof sdkKinds)[number];

/** How to start a server. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Handlers for server requests. The client declares only these capabilities. */
export interface Answers {
  readonly sampling?: (params: object) => Sampled;
  readonly elicitation?: (params: object) => Elicited;
  readonly roots?: () => { readonly uri: string; readonly name?: string }[];
}

// Types instead of interfaces, because the SDKs expect results that may have additional members.
type Sampled = {
  readonly model: string;
  readonly role: 'assistant';
  readonly content: { readonly type: 'text'; readonly text: string };
};

type Elicited = {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, string | number | boolean>;
};

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: () => void;
}

/** An initialized official client, and every message that it receives. */
export interface SdkClient extends Inbox {
  /** For methods with the same name in both versions. */
  readonly sdk: ClientV1 | Client;
  callTool(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<object>;
  [Symbol.asyncDispose](): Promise<void>;
}

const INFO = { name: 'interop', version: '1.0.0' };

export async function openSdkClient(kind: SdkKind, program: Program, answers: Answers = {}): Promise<SdkClient> {
  const server = { ...program, args: [...program.args], env: { ...program.env }, stderr: 'ignore' as const };
  const client = kind === 'version 1' ? createV1(answers) : createV2(answers);
  const transport = kind === 'version 1' ? new StdioClientTransportV1(server) : new StdioClientTransport(server);
  const inbox = recordMessages(transport);
  await client.sdk.connect(transport);
  return { ...inbox, ...client, [Symbol.asyncDispose]: () => client.sdk.close() };
}

function createV1(answers: Answers): Pick<SdkClient, 'sdk' | 'callTool'> {
  const { sampling, elicitation, roots } = answers;
  const sdk = new ClientV1(INFO, { capabilities: capabilitiesFor(answers) });
  if (sampling) sdk.setRequestHandler(CreateMessageRequestSchema, ({ params }) => sampling(params));
  if (elicitation) sdk.setRequestHandler(ElicitRequestSchema, ({ params }) => elicitation(params));
  if (roots) sdk.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots() }));
  return {
    sdk,
    callTool: (name, args = {}, options = {}) => sdk.callTool({ name, arguments: args }, undefined, options),
  };
}

function createV2(answers: Answers): Pick<SdkClient, 'sdk' | 'callTool'> {
  const { sampling, elicitation, roots } = answers;
  const sdk = new Client(INFO, { capabilities: capabilitiesFor(answers) });
  if (sampling) sdk.setRequestHandler('sampling/createMessage', ({ params }) => sampling(params));
  if (elicitation) sdk.setRequestHandler('elicitation/create', ({ params }) => elicitation(params));
  if (roots) sdk.setRequestHandler('roots/list', () => ({ roots: roots() }));
  return { sdk, callTool: (name, args = {}, options = {}) => sdk.callTool({ name, arguments: args }, options) };
}

function capabilitiesFor({ sampling, elicitation, roots }: Answers) {
  return {
    ...(sampling ? { sampling: {} } : {}),
    ...(elicitation ? { elicitation: { form: {}, url: {} } } : {}),
    ...(roots ? { roots: { listChanged: true } } : {}),
  };
}
