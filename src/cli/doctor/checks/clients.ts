import { programName } from '../../../base/program-name.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { type ClientServersStore, openClientServers, ownNames } from '../../../clients/client-servers.ts';
import { openConnections } from '../../../clients/connect/connections.ts';
import { findNewServers, type NewServers } from '../../../clients/import/find-new-servers.ts';
import { type FoundServer, findServers } from '../../../clients/import/find-servers.ts';
import { tildePath } from '../../../clients/import/plan-import.ts';
import { visibleIds } from '../../../clients/server-view.ts';
import { formatLocation } from '../../../config/problem.ts';
import { readKnownNames } from '../../completion/known-names.ts';
import { type CheckContext, usableEntries } from '../check-context.ts';
import type { Finding, Section } from '../finding.ts';
import { type ClientState, readClientStates } from './client-state.ts';
import { variableFindings } from './client-variables.ts';
import { registrationFindings } from './codex-registrations.ts';
import { requiredFindings } from './codex-required.ts';
import { checkLauncher } from './launcher.ts';
import { lostRecordFindings } from './lost-record.ts';

/** Checks every installed client: whether it is connected, and what it has besides our servers. */
export async function checkClients(checkContext: CheckContext): Promise<Section> {
  const { environment } = checkContext;
  const states = await readClientStates(environment, openConnections(environment).readAll());
  const records = openClientServers(environment);
  const [{ files }, fresh] = await Promise.all([findServers(environment), findNewServers(environment)]);
  const found = files.flatMap((file) => file.servers);
  const connected = states.filter(({ connection: { kind } }) => kind === 'connected' || kind === 'foreign');
  const findings = [
    ...states.flatMap((state) => connectionFinding(state, checkContext) ?? []),
    ...lostRecordFindings(checkContext),
    ...notConnectedFindings(states),
    ...(await checkLauncher(connected, checkContext)),
    ...connected.flatMap((state) => duplicateFindings(state, { found, records, checkContext })),
    ...connected.flatMap((state) => variableFindings(state, checkContext)),
    ...connected.flatMap((state) => requiredFindings(state, environment)),
    ...(await registrationFindings(states, checkContext)),
    ...newServerFindings(fresh),
  ];
  const summary =
    states.length === 0 ? 'none installed' : `${connected.length} of ${states.length} installed clients connected`;
  return { name: 'Clients', summary, findings };
}

/** Names all servers that no import has seen, also those of clients that were never imported. */
function newServerFindings(fresh: readonly NewServers[]): readonly Finding[] {
  if (fresh.length === 0) return [];
  const places = fresh.map(({ title, names }) => `${names.map(quoteIfNeeded).join(', ')} (${title})`);
  const title = `Not imported yet: ${places.join('; ')}`;
  return [{ check: 'client.new-servers', title, state: 'note', fix: `${programName()} import --new` }];
}

function notConnectedFindings(states: readonly ClientState[]): readonly Finding[] {
  const others = states.filter(({ connection: { kind } }) => kind === 'none').map(({ target }) => target.client);
  if (others.length === 0) return [];
  return [
    {
      check: 'client.connected',
      title: `Not connected: ${others.map(({ title }) => title).join(', ')}`,
      state: 'note',
      fix: `${programName()} connect ${others.map(({ id }) => id).join(' ')}`,
    },
  ];
}

function connectionFinding(
  { target: { client }, file, connection }: ClientState,
  { environment }: CheckContext,
): Finding | undefined {
  const check = 'client.connected';
  const shown = escapeInvisible(tildePath(file, environment));
  const fix = `${programName()} connect ${client.id}`;
  switch (connection.kind) {
    case 'connected':
      return { check, title: `${client.title} is connected`, state: 'ok' };
    case 'none':
      return undefined;
    case 'lost':
      return {
        check,
        title: `${client.title} is no longer connected: ${shown} has no entry for it`,
        state: 'warning',
        fix,
      };
    case 'foreign': {
      const command = quoteIfNeeded(connection.line.command);
      const title = connection.isMissing
        ? `${client.title} starts ${command}, which does not exist`
        : `${client.title} starts ${command} instead of the launcher, which always finds Node`;
      return connection.isMissing
        ? { check, title, state: 'failure', code: 'SPAWN_FAILED', fix }
        : { check, title, state: 'warning', fix };
    }
    case 'unreadable': {
      const { problem } = connection;
      const advice = `Correct ${formatLocation(problem.file, problem.line)}.`;
      return {
        check,
        title: `${client.title}: ${shown} cannot be read`,
        state: 'warning',
        detail: [problem.message],
        advice,
      };
    }
  }
}

interface DuplicateOptions {
  readonly found: readonly FoundServer[];
  readonly records: ClientServersStore;
  readonly checkContext: CheckContext;
}

/** Finds servers that are on in the client and that it also gets from us. `connect` switches them off. */
function duplicateFindings(
  { target: { client }, file }: ClientState,
  { found, records, checkContext: { definitions, environment } }: DuplicateOptions,
): readonly Finding[] {
  const record = records.read(client.id);
  if (record === undefined) return [];
  // A server that has never listed its tools here is listed only by the client.
  const known = readKnownNames(environment);
  const provided = usableEntries(definitions).map(({ id }) => id);
  const names = ownNames(
    record,
    visibleIds(record).filter((id) => provided.includes(id) && known.has(id)),
  );
  const twice = found.filter(
    (server) =>
      server.client === client.id &&
      server.file === file &&
      server.entry['enabled'] !== false &&
      names.includes(server.name),
  );
  if (twice.length === 0) return [];
  const listed = twice.map(({ name }) => quoteIfNeeded(name)).join(', ');
  return [
    {
      check: 'client.duplicates',
      title: `${client.title} lists ${twice.length === 1 ? 'a server' : `${twice.length} servers`} twice, directly and through Switchboard: ${listed}`,
      state: 'warning',
      fix: `${programName()} connect ${client.id}`,
    },
  ];
}
