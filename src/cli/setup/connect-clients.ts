import { type AppError, toAppError } from '../../base/errors.ts';
import { openClientServers } from '../../clients/client-servers.ts';
import type { ClientId } from '../../clients/clients.ts';
import { commitPlan } from '../../clients/connect/commit-plan.ts';
import { openConnections } from '../../clients/connect/connections.ts';
import { disabledNames } from '../../clients/connect/plan-connect.ts';
import { type ConnectTarget, userFile } from '../../clients/connect/targets.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { installOwnLauncher } from '../connect/install-own-launcher.ts';
import { type ConnectOptions, namesLeftOn, planTarget, seenEntries } from '../connect/planned-target.ts';
import { countTools, type ToolCounts } from '../connect/tool-counts.ts';
import { loadEveryServer } from '../load-every-server.ts';
import type { SetupRun } from './setup-run.ts';

/** The outcome for one client. */
export interface ConnectedClient {
  readonly client: ClientId;
  readonly title: string;
  readonly file: string;
  /** Ids of the servers that it sees. */
  readonly servers: readonly string[];
  readonly sees: ToolCounts;
  /** Names of its own servers that were turned off, because Switchboard provides them. */
  readonly disabled: readonly string[];
  /** Names of its own servers that stay on, because they do not work through Switchboard yet. */
  readonly leftOn: readonly string[];
  /** Why it was not connected. */
  readonly error: AppError | undefined;
}

export interface ConnectSteps {
  /** Ids of the servers that do not work. They stay on in the clients. */
  readonly failing: ReadonlySet<string>;
  onDone(client: ConnectedClient): void;
}

/**
 * Installs the launcher and connects the clients one after another. A client that cannot be connected does not affect
 * the others.
 */
export async function connectClients(
  targets: readonly ConnectTarget[],
  run: SetupRun,
  { failing, onDone }: ConnectSteps,
): Promise<readonly ConnectedClient[]> {
  if (targets.length === 0) return [];
  const { context, environment } = run;
  installOwnLauncher(context);
  const records = openClientServers(environment).readAll();
  const options = await connectOptions(run, { records, asksCodex: true, failing });
  const done: ConnectedClient[] = [];
  for (const target of targets) {
    run.throwIfInterrupted();
    const outcome = await connectClient(target, options, run);
    done.push(outcome);
    onDone(outcome);
  }
  return done;
}

/** Each client sees the servers that it had before. Those that work are turned off there. */
export async function connectOptions(
  { context }: SetupRun,
  { added = [], ...planned }: PlannedOptions,
): Promise<ConnectOptions> {
  const { servers } = await loadEveryServer(context);
  const usable = servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? [verdict.entry] : []));
  const defaults = { seesAllServers: false, hasCodexTools: false, keepsServers: false };
  return { ...defaults, ...planned, entries: [...usable, ...added], context };
}

interface PlannedOptions extends Pick<ConnectOptions, 'records' | 'asksCodex' | 'failing'> {
  /** Entries that are not in our config yet. */
  readonly added?: readonly ServerEntry[];
}

async function connectClient(target: ConnectTarget, options: ConnectOptions, run: SetupRun): Promise<ConnectedClient> {
  const { id, title } = target.client;
  const { file } = userFile(target, run.environment);
  const servers = seenEntries(id, options).map((entry) => entry.id);
  const common = { client: id, title, file, servers, sees: countTools(servers, run.environment) };
  try {
    const planned = await planTarget(target, options);
    run.journal.change((before) => ({ ...before, connected: [...new Set([...before.connected, id])] }));
    const plan = commitPlan(planned, openConnections(run.environment));
    return { ...common, disabled: disabledNames(plan), leftOn: namesLeftOn(id, options), error: undefined };
  } catch (error) {
    return { ...common, disabled: [], leftOn: [], error: toAppError(error) };
  }
}
