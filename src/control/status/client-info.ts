import { oneLine } from '../../base/text/safe-text.ts';
import { isObject } from '../../wire/messages.ts';

const MAX_LENGTH = 100;

/** Returns the name and version of a client: `claude-code 2.1.0`. Empty if its `clientInfo` contains neither. */
export function formatClientInfo(clientInfo: unknown): string {
  const { name, version } = isObject(clientInfo) ? clientInfo : {};
  return oneLine([name, version].filter((part) => typeof part === 'string').join(' '), MAX_LENGTH);
}
