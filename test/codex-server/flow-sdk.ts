import { isObject, type JsonObject, objectsOf } from '../codex/json.ts';
import { type Answers, openSdkClient, type SdkClient, type SdkKind } from '../interop/sdk-client.ts';
import type { Testbed } from './testbed.ts';

/** An official SDK client of the codex server, with typed access to tool results. */
export interface SdkFlow {
  readonly client: SdkClient;
  /** The structured content of a result, which the client has checked against the schema of the tool. */
  call(name: string, args?: JsonObject): Promise<JsonObject>;
  /** The first text of a result. */
  text(name: string, args?: JsonObject): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openSdkFlow(kind: SdkKind, testbed: Testbed, answers: Answers = {}): Promise<SdkFlow> {
  const [command, ...args] = testbed.command();
  const client = await openSdkClient(kind, { command, args, env: testbed.env() }, answers);
  // The SDK validates results only after it has listed the tools.
  await client.sdk.listTools();
  const ask = async (name: string, given: JsonObject = {}) => toObject(await client.callTool(name, { ...given }));
  return {
    client,
    async call(name, given) {
      const { structuredContent, isError, content } = await ask(name, given);
      if (isError === true) throw new Error(JSON.stringify(content));
      return toObject(structuredContent);
    },
    text: async (name, given) => String(objectsOf((await ask(name, given))['content'])[0]?.['text']),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

function toObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
