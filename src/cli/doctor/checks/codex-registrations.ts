import { programName } from '../../../base/program-name.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { type CodexRegistration, findCodexRegistrations } from '../../../clients/connect/codex-registrations.ts';
import { commitPlan } from '../../../clients/connect/commit-plan.ts';
import { openConnections } from '../../../clients/connect/connections.ts';
import { planConnect } from '../../../clients/connect/plan-connect.ts';
import { userFile } from '../../../clients/connect/targets.ts';
import { dropInCommand } from '../../../clients/import/replace-codex-server.ts';
import { hasMcpServer } from '../../../codex/engines/engine-versions.ts';
import { formatLocation } from '../../../config/problem.ts';
import { isObject } from '../../../wire/messages.ts';
import { loadFormat } from '../../connect/choose-targets.ts';
import { installOwnLauncher } from '../../connect/install-own-launcher.ts';
import type { CheckContext } from '../check-context.ts';
import type { Finding } from '../finding.ts';
import type { ClientState } from './client-state.ts';

/** Finds registrations of `codex mcp-server`, which Codex removed in 0.154. Our drop-in replaces them. */
export async function registrationFindings(
  states: readonly ClientState[],
  checkContext: CheckContext,
): Promise<readonly Finding[]> {
  const found = states.flatMap((state) =>
    findCodexRegistrations(state.entries).map((registration) => ({ state, registration })),
  );
  if (found.length === 0) return [];
  const facts = await checkContext.inspectCodex();
  const stillWorks = facts.kind === 'found' && facts.version !== undefined && hasMcpServer(facts.version);
  return found.map(({ state, registration }) => {
    const name = quoteIfNeeded(registration.name);
    const title = `${state.target.client.title} starts codex mcp-server as ${name}`;
    const check = 'client.codex-mcp-server';
    if (stillWorks)
      return { check, title: `${title}, which Codex 0.154 removes: replace it before you update Codex`, state: 'note' };
    const base = { check, title: `${title}, which Codex has removed`, state: 'failure', code: 'SPAWN_FAILED' } as const;
    if (registration.options.length > 0)
      return {
        ...base,
        // The options may contain secrets.
        advice: `Its options have no equivalent. In ${formatLocation(state.file, 0)}, replace it by hand with ${programName()} codex mcp-server.`,
      };
    const repair = () => replaceRegistration(state, registration, checkContext);
    return { ...base, fix: `${programName()} doctor --fix`, repair };
  });
}

/** Replaces the command and keeps everything else of the entry. `disconnect` restores it. */
async function replaceRegistration(
  { target, file, entries }: ClientState,
  { name }: CodexRegistration,
  { environment, context }: CheckContext,
): Promise<string> {
  installOwnLauncher(context);
  const line = dropInCommand(environment);
  const previous = entries[name];
  const { command: _, args: __, ...kept } = isObject(previous) ? previous : {};
  const entry = { ...target.toEntry(line), ...kept };
  const format = await loadFormat(userFile(target, environment).format);
  const makePlan = (state: Parameters<typeof planConnect>[0]) =>
    planConnect(state, { entries: { [name]: entry }, disabled: [] });
  commitPlan({ target, file, format, makePlan }, openConnections(environment));
  return `Replaced ${quoteIfNeeded(name)} in ${formatLocation(file, 0)} with ${programName()} codex mcp-server. Undo: ${programName()} disconnect ${target.client.id}`;
}
