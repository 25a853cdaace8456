import { AppError, toAppError } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';
import type { Root } from '../serve/client-requests/roots.ts';
import type { SampleContent, SampleMessage, SampleRequest } from '../serve/client-requests/sampling.ts';
import type { Progress } from '../serve/context.ts';
import type { LogLevel } from '../serve/log-levels.ts';
import type { JsonSchema, Tool, ToolCallResult } from '../serve/protocol.ts';
import { serveClient } from '../serve/serve-client.ts';
import type { Server } from '../serve/server.ts';
import { CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, VERSION_KEY } from '../wire/envelope-keys.ts';
import { isObject } from '../wire/messages.ts';
import { MODERN_VERSION, NEWEST_LEGACY_VERSION } from '../wire/protocol-versions.ts';
import { createPeer } from '../wire/rpc/peer.ts';
import { createMemoryPair } from './memory-transport.ts';

export interface TestClientOptions {
  /** The protocol era to speak. Default: legacy, as Codex does. */
  readonly era?: 'legacy' | 'modern';
  /** Answers an elicitation. Without it, the client declares no elicitation capability. */
  readonly onElicit?: (question: {
    message: string;
    requestedSchema: JsonSchema;
  }) => ElicitAnswer | PromiseLike<ElicitAnswer>;
  /** Answers as the model. Without it, the client declares no sampling capability. */
  readonly onSample?: (request: SampleParams) => SampleAnswer | PromiseLike<SampleAnswer>;
  /** The roots of the client. Without them, the client declares no roots capability. */
  readonly roots?: readonly Root[];
  readonly onLog?: (message: { level: LogLevel; data: unknown; logger?: string }) => void;
  readonly onToolsChanged?: () => void;
  /** Called for every notification except progress: resource changes, and custom notifications of your server. */
  readonly onNotification?: (method: string, params: unknown) => void;
  /** The `clientInfo` that the client sends. */
  readonly clientInfo?: { readonly name: string; readonly version: string; readonly title?: string };
}

/** The client's response to an elicitation. The server checks it against the requested schema. */
export interface ElicitAnswer {
  readonly action: string;
  readonly content?: unknown;
}

/** The params of `sampling/createMessage`. */
export interface SampleParams extends SampleRequest {
  readonly messages: readonly SampleMessage[];
}

/** The answer of the model: text, or content with the name of the model. */
export type SampleAnswer =
  | string
  | {
      readonly content: SampleContent | readonly SampleContent[];
      readonly role?: string;
      readonly model?: string;
      readonly stopReason?: string;
    };

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  readonly timeoutMs?: number;
}

export interface TestClient {
  listTools(): Promise<Tool[]>;
  callTool(name: string, args?: unknown, options?: CallOptions): Promise<ToolCallResult>;
  /** Sends any other request. A JSON-RPC error rejects with an `AppError` of code `REQUEST_FAILED`. */
  request(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Disconnects. Resolves when the server has finished its pending calls. */
  close(): Promise<void>;
}

/** Connects a client to a server in the same process: a unit test needs no pipe and no process. */
export async function createTestClient(server: Server, options: TestClientOptions = {}): Promise<TestClient> {
  checkOptions(server, options);
  const isModern = options.era === 'modern';
  const [ours, theirs] = createMemoryPair();
  let failure: { readonly error: unknown } | undefined;
  const peer = createPeer({
    send: (text) => ours.send(text),
    onRequest: ({ method, params }) => answerServerRequest(options, method, params),
    onNotification(method, params) {
      try {
        dispatchNotification(options, method, params);
      } catch (error) {
        // A failed assertion in a listener must fail the test, so all pending requests and `close` reject with it.
        failure ??= { error };
        peer.close(toAppError(error));
      }
    },
    onInvalidMessage: (error) => peer.close(error),
  });
  const closePeer = () => peer.close();
  ours.start({ message: peer.receive, fault: peer.reportError, end: closePeer, stop: closePeer });
  const served = serveClient(server, theirs);

  const capabilities = capabilitiesOf(options);
  const envelope = {
    [VERSION_KEY]: MODERN_VERSION,
    [CAPABILITIES_KEY]: capabilities,
    [CLIENT_INFO_KEY]: options.clientInfo ?? CLIENT_INFO,
    ...(options.onLog === undefined ? {} : { [LOG_LEVEL_KEY]: 'debug' }),
  };
  /**
   * Answers input requests until the request is complete (modern era). In the legacy era the server sends its own
   * requests.
   */
  const request = async (
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    call?: CallOptions,
  ): Promise<unknown> => {
    const sent = isModern ? { ...params, _meta: { ...envelope, ...asObject(params['_meta']) } } : params;
    const result = await peer.request(method, sent, toRequestOptions(call));
    if (!isObject(result) || result['resultType'] !== 'input_required') return result;
    const inputResponses = await answerInputRequests(options, result['inputRequests']);
    return request(method, { ...params, inputResponses, requestState: result['requestState'] }, call);
  };

  if (isModern) await request('server/discover');
  else await initialize(peer, capabilities, options);
  if (isModern && options.onToolsChanged !== undefined) listenForTools(request);

  return {
    async listTools() {
      const result = await request('tools/list');
      return (isObject(result) ? result['tools'] : []) as Tool[];
    },
    callTool: async (name, args = {}, callOptions) =>
      (await request('tools/call', { name, arguments: args }, callOptions)) as ToolCallResult,
    request: (method, params) => request(method, params),
    async close() {
      await ours.close();
      await served;
      peer.close();
      if (failure !== undefined) throw failure.error;
    },
  };
}

const CLIENT_INFO = { name: 'switchboard-test-client', version: VERSION };

type Request = (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>;

function checkOptions(server: unknown, { era = 'legacy' }: TestClientOptions): void {
  if (!isObject(server) || !isObject(server['catalog'])) {
    throw new AppError('USAGE', 'createTestClient needs a server that createServer returned.');
  }
  if (era !== 'legacy' && era !== 'modern') {
    throw new AppError('USAGE', `There is no era ${JSON.stringify(era)}: use legacy or modern.`);
  }
}

async function initialize(
  peer: ReturnType<typeof createPeer>,
  capabilities: unknown,
  options: TestClientOptions,
): Promise<void> {
  const { clientInfo = CLIENT_INFO } = options;
  await peer.request('initialize', { protocolVersion: NEWEST_LEGACY_VERSION, capabilities, clientInfo });
  peer.notify('notifications/initialized');
  if (options.onLog !== undefined) await peer.request('logging/setLevel', { level: 'debug' });
}

function listenForTools(request: Request): void {
  // The stream stays open until the client disconnects and then rejects. Nothing awaits it.
  request('subscriptions/listen', { notifications: { toolsListChanged: true } }).catch(() => undefined);
}

function capabilitiesOf({ onElicit, onSample, roots }: TestClientOptions): Readonly<Record<string, unknown>> {
  return {
    ...(onElicit === undefined ? {} : { elicitation: {} }),
    ...(onSample === undefined ? {} : { sampling: { tools: {} } }),
    ...(roots === undefined ? {} : { roots: {} }),
  };
}

async function answerServerRequest(options: TestClientOptions, method: string, params: unknown): Promise<unknown> {
  if (method === 'elicitation/create' && options.onElicit !== undefined) {
    const answer = await options.onElicit(params as Parameters<typeof options.onElicit>[0]);
    if (!isObject(answer)) throw new AppError('USAGE', 'onElicit must return { action, content }.');
    return answer;
  }
  if (method === 'sampling/createMessage' && options.onSample !== undefined)
    return toSampled(await options.onSample(params as SampleParams));
  if (method === 'roots/list' && options.roots !== undefined) return { roots: options.roots };
  if (method === 'ping') return {};
  throw new AppError('METHOD_NOT_FOUND', `Method not found: ${method}`);
}

function toSampled(answer: SampleAnswer): Readonly<Record<string, unknown>> {
  const common = { role: 'assistant', model: CLIENT_INFO.name };
  return typeof answer === 'string' ? { ...common, content: { type: 'text', text: answer } } : { ...common, ...answer };
}

async function answerInputRequests(options: TestClientOptions, questions: unknown): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const [key, question] of Object.entries(isObject(questions) ? questions : {})) {
    if (isObject(question))
      answers[key] = await answerServerRequest(options, String(question['method']), question['params']);
  }
  return answers;
}

function dispatchNotification(options: TestClientOptions, method: string, params: unknown): void {
  options.onNotification?.(method, params);
  if (method === 'notifications/message') options.onLog?.(params as Parameters<NonNullable<typeof options.onLog>>[0]);
  if (method === 'notifications/tools/list_changed') options.onToolsChanged?.();
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function toRequestOptions({ signal, onProgress, timeoutMs }: CallOptions = {}) {
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(onProgress === undefined
      ? {}
      : {
          onProgress: ({ progressToken: _, ...progress }: Readonly<Record<string, unknown>>) =>
            onProgress(progress as unknown as Progress),
        }),
  };
}
