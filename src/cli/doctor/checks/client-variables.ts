import { programName } from '../../../base/program-name.ts';
import { quoteForShell } from '../../../base/text/shell-quote.ts';
import { openClientServers } from '../../../clients/client-servers.ts';
import type { ClientId } from '../../../clients/clients.ts';
import { GATEWAY_ENTRY } from '../../../clients/connect/own-entries.ts';
import { visibleIds } from '../../../clients/server-view.ts';
import { listVariables } from '../../../config/entry/variable-uses.ts';
import { openSecretStore } from '../../../config/secrets/secret-store.ts';
import { isObject } from '../../../wire/messages.ts';
import { type CheckContext, usableEntries } from '../check-context.ts';
import type { Finding } from '../finding.ts';
import type { ClientState } from './client-state.ts';

/** Names each variable that is set in this shell but that a connected client does not pass on to its servers. */
export function variableFindings(state: ClientState, checkContext: CheckContext): readonly Finding[] {
  const { environment, definitions } = checkContext;
  const { client } = state.target;
  if (INHERITS_SHELL.includes(client.id)) return [];
  const record = openClientServers(environment).read(client.id);
  const visible = record === undefined ? undefined : visibleIds(record);
  const entries = usableEntries(definitions).filter(({ id }) => visible?.includes(id) ?? true);
  const stored = openSecretStore(environment).readAll();
  const passed = passedVariables(state.entries[GATEWAY_ENTRY]);
  const names = [...new Set(entries.flatMap(listVariables))].filter(
    (name) => (environment.env[name] ?? '') !== '' && !Object.hasOwn(stored, name) && !passed.includes(name),
  );
  const verb = client.id === 'codex' ? 'does not pass on' : 'may not pass on';
  return names.map((name) => ({
    check: 'client.variable',
    title: `${client.title} ${verb} ${name}, which is set in this shell`,
    state: 'warning',
    fix: `printenv ${quoteForShell(name)} | ${programName()} secret set ${quoteForShell(name)}`,
  }));
}

/** People start these in a shell, and they pass on its variables. Codex does not, and the others are desktop programs. */
const INHERITS_SHELL: readonly ClientId[] = ['claude', 'gemini', 'opencode', 'copilot'];

/** Returns the variables that the client's entry sets or passes on by name. */
function passedVariables(entry: unknown): readonly string[] {
  if (!isObject(entry)) return [];
  const { env, env_vars: names } = entry;
  return [
    ...(isObject(env) ? Object.keys(env) : []),
    ...(Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []),
  ];
}
