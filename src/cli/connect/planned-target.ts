import { type ClientServers, ownNames } from '../../clients/client-servers.ts';
import type { PlannedFile } from '../../clients/connect/commit-plan.ts';
import { CODEX_ENTRY, GATEWAY_ENTRY } from '../../clients/connect/own-entries.ts';
import { planConnect, type WantedServers } from '../../clients/connect/plan-connect.ts';
import { type CommandLine, type ConnectTarget, userFile } from '../../clients/connect/targets.ts';
import { launcherFile } from '../../clients/launcher/install-launcher.ts';
import { visibleIds } from '../../clients/server-view.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { loadFormat } from './choose-targets.ts';
import { askCodexForEntry, variablesForCodex } from './codex-entry.ts';

export interface ConnectOptions {
  /** The client sees all servers from now on. */
  readonly seesAllServers: boolean;
  /** Adds Codex as tools. */
  readonly hasCodexTools: boolean;
  /** Leaves the client's own servers on that we now provide. */
  readonly keepsServers: boolean;
  /** Ids of servers that do not work through us yet. They stay on in the client. */
  readonly failing?: ReadonlySet<string>;
  /** The usable servers of our config. */
  readonly entries: readonly ServerEntry[];
  /** Which servers each client had, by client. */
  readonly records: Readonly<Record<string, ClientServers>>;
  /** Whether to run `codex mcp add` to get the entry in Codex's own format. */
  readonly asksCodex: boolean;
  readonly context: CommandContext;
}

/** Prepares the connection of one client. Writes nothing. */
export async function planTarget(target: ConnectTarget, options: ConnectOptions): Promise<PlannedFile> {
  const { file, format: name } = userFile(target, environmentOf(options.context));
  const format = await loadFormat(name);
  const wanted = await wantedServers(target, options);
  return { target, file, format, makePlan: (state) => planConnect(state, wanted) };
}

/** Returns the servers of our config that a client sees. */
export function seenEntries(client: string, options: ConnectOptions): readonly ServerEntry[] {
  const record = options.seesAllServers ? undefined : recordOf(client, options);
  const visible = record === undefined ? undefined : visibleIds(record);
  return options.entries.filter(({ id }) => visible?.includes(id) ?? true);
}

async function wantedServers(target: ConnectTarget, options: ConnectOptions): Promise<WantedServers> {
  const { id } = target.client;
  const launcher = launcherFile(environmentOf(options.context));
  const gateway: CommandLine = { command: launcher, args: ['gateway', '--client', id] };
  const entry = id === 'codex' ? await codexEntry(gateway, target, options) : target.toEntry(gateway);
  const codex = target.toEntry({ command: launcher, args: ['codex'] });
  return {
    entries: { [GATEWAY_ENTRY]: entry, ...(options.hasCodexTools && id !== 'codex' ? { [CODEX_ENTRY]: codex } : {}) },
    disabled: options.keepsServers
      ? undefined
      : importedNames(id, options, (one) => options.failing?.has(one.id) !== true),
  };
}

/** Returns the names in the client's config of the servers that stay on there, because they do not work here. */
export function namesLeftOn(client: string, options: ConnectOptions): readonly string[] {
  return importedNames(client, options, ({ id }) => options.failing?.has(id) === true);
}

/** Returns the names in the client's config of those servers that we provide. */
function importedNames(
  client: string,
  options: ConnectOptions,
  isWanted: (entry: ServerEntry) => boolean,
): readonly string[] {
  const record = recordOf(client, options);
  if (record === undefined) return [];
  const ids = options.entries.filter(isWanted).map(({ id }) => id);
  return ownNames(
    record,
    record.imported.filter((id) => ids.includes(id)),
  );
}

/**
 * Codex starts a conversation without servers that are slow to start, unless they are `required`, and passes on only
 * the variables that it is told to.
 */
async function codexEntry(
  line: CommandLine,
  target: ConnectTarget,
  options: ConnectOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { context, asksCodex } = options;
  const asked = asksCodex ? await askCodexForEntry(line, { context, format: await loadFormat('toml') }) : undefined;
  const variables = variablesForCodex(seenEntries(target.client.id, options), context.env);
  const passedOn = variables.length === 0 ? {} : { env_vars: variables };
  return { ...(asked ?? target.toEntry(line)), required: true, ...passedOn };
}

function recordOf(client: string, { records }: ConnectOptions): ClientServers | undefined {
  return Object.hasOwn(records, client) ? records[client] : undefined;
}
