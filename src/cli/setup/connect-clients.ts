import { fileURLToPath } from 'node:url';
import { type AppError, toAppError } from '../../base/errors.ts';
import { openClientServers } from '../../clients/client-servers.ts';
import type { ClientId } from '../../clients/clients.ts';
import { commitPlan } from '../../clients/connect/commit-plan.ts';
import { openConnections } from '../../clients/connect/connections.ts';
import { disabledNames } from '../../clients/connect/plan-connect.ts';
import { type ConnectTarget, userFile } from '../../clients/connect/targets.ts';
import { installLauncher } from '../../clients/launcher/install-launcher.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { type ConnectOptions, planTarget, seenEntries } from '../connect/planned-target.ts';
import { loadEveryServer } from '../load-every-server.ts';
import type { SetupRun } from './setup-run.ts';

/** The outcome for one client. */
export interface ConnectedClient {
  readonly client: ClientId;
  readonly title: string;
  readonly file: string;
  /** Ids of the servers that it sees. */
  readonly servers: readonly string[];
  /** Names of its own servers that were turned off, because Switchboard provides them. */
  readonly disabled: readonly string[];
  /** Why it was not connected. */
  readonly error: AppError | undefined;
}

/**
 * Installs the launcher and connects the clients one after another. A client that cannot be connected does not affect
 * the others.
 */
export async function connectClients(
  targets: readonly ConnectTarget[],
  run: SetupRun,
  onDone: (client: ConnectedClient) => void,
): Promise<readonly ConnectedClient[]> {
  if (targets.length === 0) return [];
  const { context, environment } = run;
  installLauncher({ root: fileURLToPath(context.packageRoot), node: process.execPath, environment });
  const options = await connectOptions(run, { records: openClientServers(environment).readAll(), asksCodex: true });
  const done: ConnectedClient[] = [];
  for (const target of targets) {
    run.throwIfInterrupted();
    const outcome = await connectClient(target, options, run);
    done.push(outcome);
    onDone(outcome);
  }
  return done;
}

/** Each client sees the servers that it had before, which are turned off there. */
export async function connectOptions(
  { context }: SetupRun,
  { records, asksCodex, added = [] }: PlannedOptions,
): Promise<ConnectOptions> {
  const { servers } = await loadEveryServer(context);
  const usable = servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? [verdict.entry] : []));
  const defaults = { seesAllServers: false, hasCodexTools: false, keepsServers: false };
  return { ...defaults, entries: [...usable, ...added], records, asksCodex, context };
}

interface PlannedOptions extends Pick<ConnectOptions, 'records' | 'asksCodex'> {
  /** Entries that are not in our config yet. */
  readonly added?: readonly ServerEntry[];
}

async function connectClient(target: ConnectTarget, options: ConnectOptions, run: SetupRun): Promise<ConnectedClient> {
  const { id, title } = target.client;
  const { file } = userFile(target, run.environment);
  const servers = seenEntries(id, options).map((entry) => entry.id);
  const common = { client: id, title, file, servers };
  try {
    const planned = await planTarget(target, options);
    run.journal.change((before) => ({ ...before, connected: [...new Set([...before.connected, id])] }));
    const plan = commitPlan(planned, openConnections(run.environment));
    return { ...common, disabled: disabledNames(plan), error: undefined };
  } catch (error) {
    return { ...common, disabled: [], error: toAppError(error) };
  }
}
