import type { Message, TestClient } from './harness.ts';

/** What the fixture says-anything is to write: a line as it is, or a message. */
export type ScriptedLine = string | Record<string, unknown>;

/** The arguments of its tool `say`. */
export function lines(...said: readonly ScriptedLine[]): { lines: string[] } {
  return {
    lines: said.map((line) => (typeof line === 'string' ? line : JSON.stringify({ jsonrpc: '2.0', ...line }))),
  };
}

/** Every message that a fixture with the tool `heard` has got so far, without the call that asks for it. */
export async function receivedMessages(client: TestClient, server: string): Promise<Message[]> {
  return (await receivedLines(client, server)).map((line) => JSON.parse(line));
}

export async function receivedLines(client: TestClient, server: string): Promise<string[]> {
  const { result } = await client.call(`${server}heard`);
  const all: string[] = JSON.parse(result.content[0].text);
  return all.slice(0, -1);
}

/** Of those, what was said of the request with this method: its params. */
export async function receivedParams(client: TestClient, server: string, method: string): Promise<unknown[]> {
  return (await receivedMessages(client, server))
    .filter((message) => message.method === method)
    .map(({ params }) => params);
}
