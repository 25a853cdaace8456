import { AppError } from '../../base/errors.ts';
import type { Redactor } from '../../base/redaction/redact.ts';
import { commandTransport, typedEntry } from '../../config/entry/typed-entry.ts';
import type { ConfiguredServer } from '../../config/server-entry.ts';
import { describeServer } from '../../control/status/server-detail.ts';
import { summarizeServer } from '../../control/status/server-summary.ts';
import { createCatalog, type UpstreamCatalog } from '../../upstream/catalog/catalog.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Gateway } from '../gateway.ts';
import { clientNames } from './client-names.ts';
import type { StatusProvider } from './control-status.ts';

/**
 * Creates the status provider for a single server from the command line. Its tools are listed on each status request,
 * because otherwise only the client lists them.
 */
export function createSingleStatusProvider(
  gateway: Gateway,
  { command, redactor }: { readonly command: readonly string[]; readonly redactor: Redactor },
): StatusProvider {
  const [upstream] = gateway.upstreams();
  if (upstream === undefined) throw new AppError('INTERNAL', 'A gateway for one server has no server.');
  const server = toConfiguredServer(upstream, command);
  const only = (serverId: string) => {
    if (serverId === upstream.id) return upstream;
    throw new AppError('USAGE', `This gateway has only one server: ${upstream.id}.`);
  };
  const catalog = createCatalogReader(upstream);
  return {
    async list() {
      const live = { upstream, catalog: await catalog() };
      return {
        clients: clientNames(gateway.clients()),
        servers: [summarizeServer(server, live, { redact: redactor.redact })],
        problems: [],
      };
    },
    get: async (serverId) =>
      describeServer(server, { upstream: only(serverId), catalog: await catalog() }, { settings: [], redactor }),
  };
}

/** Limits how long a status request waits for an unresponsive server. */
const LIST_WITHIN_MS = 500;

/** Returns a function that resolves with the catalog. If the server is ready, its tools are listed first. */
function createCatalogReader(upstream: Upstream): () => Promise<UpstreamCatalog> {
  let listed: () => void = () => {};
  const catalog = createCatalog(upstream, () => listed(), { retries: false });
  return async () => {
    if (upstream.state.kind !== 'ready') return catalog;
    await new Promise<void>((resolve) => {
      listed = resolve;
      setTimeout(resolve, LIST_WITHIN_MS).unref();
      catalog.changed('tools');
    });
    return catalog;
  };
}

function toConfiguredServer({ id }: Upstream, [command = '', ...args]: readonly string[]): ConfiguredServer {
  const entry = typedEntry({ id, transport: commandTransport(command, args) });
  return { id, origin: entry.origin, verdict: { kind: 'usable', entry } };
}
