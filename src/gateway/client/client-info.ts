import { isCodex } from '../../schema/profiles/codex-client.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import { chooseProfile } from '../../schema/profiles/registry.ts';
import { isObject } from '../../wire/messages.ts';
import { hasTasksExtension } from '../extensions/task-messages.ts';
import type { Client } from './client.ts';
import { parserLimitsOf } from './parser-limits.ts';

/**
 * Stores the client's `initialize` params on the client. If given, `profile` overrides the choice based on
 * `clientInfo`.
 */
export function recordClientInfo(client: Client, params: unknown, profile: ProfileName | undefined): void {
  const { capabilities, clientInfo } = isObject(params) ? params : {};
  client.capabilities = isObject(capabilities) ? capabilities : {};
  client.mayGetTasks = hasTasksExtension(capabilities);
  client.info = clientInfo;
  client.profile = profile ?? chooseProfile(clientInfo);
  client.errorStyle = { ...client.errorStyle, asToolResult: isCodex(clientInfo) };
  client.parserLimits = parserLimitsOf(clientInfo);
}
