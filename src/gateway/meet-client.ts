import { isObject } from '../wire/messages.ts';
import type { Client } from './client.ts';

/** What `initialize` tells us about a client, kept with it. */
export function meetClient(client: Client, params: unknown): void {
  const { capabilities, clientInfo } = isObject(params) ? params : {};
  client.capabilities = isObject(capabilities) ? capabilities : {};
  client.name = isObject(clientInfo) && typeof clientInfo['name'] === 'string' ? clientInfo['name'] : '';
  client.errorStyle = { ...client.errorStyle, asToolResult: /^codex\b/i.test(client.name) };
}
