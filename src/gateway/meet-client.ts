import { chooseProfile } from '../schema/profiles/all.ts';
import type { ProfileName } from '../schema/profiles/profile.ts';
import { isObject } from '../wire/messages.ts';
import type { Client } from './client.ts';

/** What `initialize` tells us about a client, kept with it. `profile` is given when it is not the client's to choose. */
export function meetClient(client: Client, params: unknown, profile: ProfileName | undefined): void {
  const { capabilities, clientInfo } = isObject(params) ? params : {};
  client.capabilities = isObject(capabilities) ? capabilities : {};
  const { name, version } = isObject(clientInfo) ? clientInfo : {};
  client.name = typeof name === 'string' ? name : '';
  client.version = typeof version === 'string' ? version : '';
  client.profile = profile ?? chooseProfile(clientInfo);
  client.errorStyle = { ...client.errorStyle, asToolResult: isCodex(client) };
}

/** It asks for the tools once, and shows errors of calls in its own way. */
export function isCodex({ name }: Client): boolean {
  return /^codex\b/i.test(name);
}
