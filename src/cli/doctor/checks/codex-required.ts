import { programName } from '../../../base/program-name.ts';
import { escapeInvisible } from '../../../base/text/visible-text.ts';
import { GATEWAY_ENTRY } from '../../../clients/connect/own-entries.ts';
import { tildePath } from '../../../clients/import/plan-import.ts';
import type { Environment } from '../../../config/files/folders.ts';
import { isObject } from '../../../wire/messages.ts';
import type { Finding } from '../finding.ts';
import type { ClientState } from './client-state.ts';

/**
 * Notes that Codex does not wait for our gateway. That may be the user's choice, so `doctor --fix` does not change it.
 */
export function requiredFindings(
  { target: { client }, file, entries }: ClientState,
  environment: Environment,
): readonly Finding[] {
  const entry = entries[GATEWAY_ENTRY];
  if (client.id !== 'codex' || !isObject(entry) || entry['required'] === true) return [];
  const place = escapeInvisible(tildePath(file, environment));
  return [
    {
      check: 'client.required',
      title: 'A conversation of Codex may begin without tools: Codex does not wait for Switchboard',
      state: 'note',
      detail: [`[mcp_servers.${GATEWAY_ENTRY}] in ${place} does not have required = true.`],
      fix: `${programName()} connect codex`,
    },
  ];
}
