import type { Message, TestClient } from './harness.ts';

/** Output for the fixture says-anything: a literal line or a message. */
export type ScriptedLine = string | Record<string, unknown>;

/** The arguments of its tool `say`. */
export function lines(...messages: readonly ScriptedLine[]): { lines: string[] } {
  return {
    lines: messages.map((line) => (typeof line === 'string' ? line : JSON.stringify({ jsonrpc: '2.0', ...line }))),
  };
}

/** Returns every message that a fixture with the tool `heard` has received, except this call. */
export async function receivedMessages(client: TestClient, server: string): Promise<Message[]> {
  return (await receivedLines(client, server)).map((line) => JSON.parse(line));
}

export async function receivedLines(client: TestClient, server: string): Promise<string[]> {
  const { result } = await client.call(`${server}heard`);
  const all: string[] = JSON.parse(result.content[0].text);
  return all.slice(0, -1);
}

/** Returns the params of the received messages with this method. */
export async function receivedParams(client: TestClient, server: string, method: string): Promise<unknown[]> {
  return (await receivedMessages(client, server))
    .filter((message) => message.method === method)
    .map(({ params }) => params);
}
