import { AppError } from '../../base/errors.ts';
import type { Client } from '../client/client.ts';
import type { GatewayServers } from '../servers/gateway-servers.ts';

/**
 * Recognizes requests for something that exists outside the client's view. The errors name only what the client named
 * itself: neither its server nor the state of that server.
 */
export interface OutsideView {
  tool(client: Client, name: string): AppError | undefined;
  prompt(client: Client, name: string): AppError | undefined;
  /** A resource or a resource template. */
  resource(client: Client, uri: string): AppError | undefined;
}

/** Each function returns the error, or undefined if the name is unknown in every view. Call it if the view lacks it. */
export function createOutsideView(servers: GatewayServers): OutsideView {
  const named = (kind: 'tools' | 'prompts', client: Client, name: string) => {
    const view = servers.viewOf(client);
    if (!view.isLimited) return undefined;
    const all = servers.views.everything;
    // Names of other servers mean nothing to a client that sees one server under its own names.
    if (view.server !== undefined) return view.showsTool(view.server, name) ? undefined : notInView(name);
    const exists = all.catalog(client.profile).find(kind, name) !== undefined;
    // A hidden server that was never started has no list, but its names show whose they are.
    const mayExist = () =>
      all.hasPrefix &&
      servers.registry.servers.some(
        ({ upstream: { id }, catalog }) => !view.showsServer(id) && !catalog.isKnown(kind) && all.mayOwn(id, name),
      );
    return exists || mayExist() ? notInView(name) : undefined;
  };
  return {
    tool: (client, name) => named('tools', client, name),
    prompt: (client, name) => named('prompts', client, name),
    resource(client, uri) {
      const view = servers.viewOf(client);
      if (!view.isLimited || view.server !== undefined) return undefined;
      const all = servers.views.everything.catalog(client.profile);
      const exists =
        all.find('resources', uri) !== undefined ||
        all.find('resourceTemplates', uri) !== undefined ||
        all.findByTemplate(uri).length > 0;
      return exists ? notInView(uri) : undefined;
    },
  };
}

function notInView(name: string): AppError {
  return new AppError('NOT_IN_VIEW', `${name} is not available in this view.`, { data: { name } });
}
