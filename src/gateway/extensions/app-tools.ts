import { AppError } from '../../base/errors.ts';
import type { AggregateCatalog } from '../catalog/aggregate-catalog.ts';
import type { PublicItem } from '../catalog/public-list.ts';
import { isUiUri } from '../catalog/server-uri.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { namesUi } from './rewrite-uris.ts';

/** Returns whether a server has interfaces of apps. Servers need not list them: a tool may name one. */
export function offersUi({ catalog }: Pick<GatewayServer, 'catalog'>): boolean {
  return (
    catalog.list('resources').items.some(({ key }) => isUiUri(key)) ||
    catalog.list('resourceTemplates').items.some(({ key }) => isUiUri(key)) ||
    catalog.list('tools').items.some(({ json }) => namesUi(json))
  );
}

/**
 * Finds the tool that an app calls by the name on its own server, which is the only one that the app knows. Servers
 * without apps do not count. Throws if several servers with apps have such a tool.
 */
export function findAppTool(catalog: AggregateCatalog, name: string): PublicItem | undefined {
  const [found, ...others] = catalog.findByOwnName(name).filter(({ server }) => server.hasUi);
  if (found === undefined || others.length === 0) return found;
  const ids = [found, ...others].map(({ server }) => server.upstream.id);
  const suggestions = [found, ...others].map((item) => item.name);
  const message = `Several servers with apps have a tool ${name}: ${ids.join(', ')}. Call one of: ${suggestions.join(', ')}`;
  throw new AppError('TOOL_NOT_FOUND', message, { data: { suggestions, servers: ids } });
}
