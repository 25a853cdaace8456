import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { type ClientServers, type ClientServersStore, openClientServers } from '../../clients/client-servers.ts';
import { findClient } from '../../clients/clients.ts';
import { openConnections } from '../../clients/connect/connections.ts';
import { visibleIds } from '../../clients/server-view.ts';
import { unknownServers } from '../../config/unknown-server.ts';
import { type ArgumentRules, parseArguments, usageError } from '../arguments/parse-arguments.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { loadEveryServer } from '../load-every-server.ts';
import { toJson } from '../output.ts';
import { namedTargets } from './choose-targets.ts';
import { countTools, toolsText, uncountedLines } from './tool-counts.ts';

/**
 * Runs `switchboard share`: shows which servers each client sees, or lets clients see a server; `--remove` hides it
 * again. Running gateways follow.
 */
export async function share(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, RULES);
  const [server, ...names] = parsed.positionals;
  const store = openClientServers(environmentOf(context));
  const { servers } = await loadEveryServer(context);
  const ids = servers.map(({ id }) => id);
  const usable = servers.flatMap(({ id, verdict }) => (verdict.kind === 'usable' ? [id] : []));
  const isRemoval = parsed.has('--remove');
  if (server === undefined && isRemoval) throw usageError(RULES, '--remove needs the name of a server.');
  if (server === undefined) return show(store, { usable, isJson: parsed.isJson, context });
  // A server that was removed from the config can still be hidden.
  if (!ids.includes(server) && !isRemoval) throw unknownServers(server, { servers });
  const recorded = Object.keys(store.readAll());
  const clients = names.length === 0 ? recorded : namedTargets(names).map(({ client }) => client.id);
  if (names.length === 0 && isRemoval && clients.length === 0)
    throw usageError(RULES, 'Every client sees all servers. Name the clients from which to hide it.');
  for (const client of clients)
    store.change(client, (before) => (isRemoval ? hide(before, server, ids) : reveal(before, server)));
  show(store, { usable, isJson: parsed.isJson, context, also: clients });
}

const RULES: ArgumentRules = {
  command: 'switchboard share',
  positionals: ['[server]', '[client…]'],
  requiredPositionals: 0,
  flags: ['--remove'],
};

/** A client without a record already sees every server. */
function reveal(before: ClientServers | undefined, server: string): ClientServers | undefined {
  if (before === undefined || visibleIds(before).includes(server)) return before;
  return { ...before, shared: [...before.shared, server] };
}

function hide(before: ClientServers | undefined, server: string, all: readonly string[]): ClientServers {
  const record = before ?? { imported: [], shared: all, seen: [] };
  const others = (ids: readonly string[]) => ids.filter((id) => id !== server);
  return { ...record, imported: others(record.imported), shared: others(record.shared) };
}

interface ShowOptions {
  /** The servers that are not disabled. */
  readonly usable: readonly string[];
  readonly isJson: boolean;
  readonly context: CommandContext;
  /** Clients to show even without a record. */
  readonly also?: readonly string[];
}

function show(store: ClientServersStore, { usable, isJson, context, also = [] }: ShowOptions): void {
  // A connected client without a record sees all servers.
  const connected = openConnections(environmentOf(context))
    .readAll()
    .map(({ client }) => client);
  const clients = clientViews(store, usable, [...connected, ...also]);
  context.output.answer(isJson ? toJson({ clients }) : viewsText(clients, context));
}

interface ClientView {
  readonly client: string;
  readonly seesAll: boolean;
  readonly servers: readonly string[];
}

function clientViews(
  store: ClientServersStore,
  usable: readonly string[],
  also: readonly string[],
): readonly ClientView[] {
  const records = store.readAll();
  return [...new Set([...Object.keys(records), ...also])].map((client) => {
    const record = records[client];
    const visible = record === undefined ? undefined : visibleIds(record);
    return { client, seesAll: visible === undefined, servers: usable.filter((id) => visible?.includes(id) ?? true) };
  });
}

function viewsText(clients: readonly ClientView[], context: CommandContext): string {
  if (clients.length === 0) return 'Every client sees all servers.';
  const counted = clients.map((one) => ({ ...one, counts: countTools(one.servers, environmentOf(context)) }));
  const lines = counted.flatMap(({ client, seesAll, servers, counts }) => {
    const sees = toolsText(client, counts, { subject: findClient(client)?.title ?? client, isAll: seesAll });
    return seesAll || servers.length === 0 ? [sees] : [sees, `  ${servers.map(quoteIfNeeded).join(', ')}`];
  });
  return [...lines, ...uncountedLines(counted.map(({ counts }) => counts))].join('\n');
}
