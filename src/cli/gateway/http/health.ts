import type { AggregateGateway } from '../../../gateway/open/open-aggregate.ts';
import type { PublicPage } from '../../../serve/fronts/http/route-request.ts';

/** States in which a server can answer calls, or would after it is started by the first one. */
const HEALTHY: ReadonlySet<string> = new Set(['ready', 'idle', 'degraded']);

/**
 * Creates the page `/health`: 200 while the gateway accepts clients, otherwise 503. With `?server=`, the status of one
 * server. It needs no token, so it contains neither names nor reasons.
 */
export function createHealthPage(gateway: AggregateGateway, isStopping: () => boolean): PublicPage {
  return (query) => {
    const server = query.get('server');
    if (server === null) return isStopping() ? page(503, 'stopping') : page(200, 'ok');
    const found = gateway.status().find(({ id }) => id === server);
    if (found === undefined) return page(404, 'unknown');
    return page(HEALTHY.has(found.state) && !isStopping() ? 200 : 503, found.state);
  };
}

function page(status: number, state: string): ReturnType<PublicPage> {
  return { status, body: { status: state } };
}
