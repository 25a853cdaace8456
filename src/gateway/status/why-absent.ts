import type { Definition } from '../../schema/definitions/definition.ts';
import { PROFILES } from '../../schema/profiles/registry.ts';
import { mayBeNameOf, qualifyNames } from '../catalog/public-names.ts';
import { whyHidden } from '../servers/gateway-server.ts';
import type { GatewayView } from '../views/gateway-view.ts';
import type { ServerStatus } from './server-status.ts';

/** Returns why the tool that a client calls by this name is hidden, or undefined if none is. */
export function whyHiddenByName(name: string, view: GatewayView): string | undefined {
  for (const server of view.servers()) {
    const { id } = server.upstream;
    if (!view.mayOwn(id, name)) continue;
    const { items } = server.catalog.list('tools');
    const key = view.hasPrefix ? rawNameOf(id, name, items) : name;
    const tool = items.find((item) => item.key === key);
    const why = tool && view.showsTool(id, tool.key) ? whyHidden(server, tool) : undefined;
    if (why !== undefined) return `It is ${why}`;
  }
  return undefined;
}

/** Returns the raw name of a public name under any profile. */
function rawNameOf(serverId: string, name: string, items: readonly Definition[]): string | undefined {
  const rawNames = items.map(({ key }) => key);
  for (const { maxNameLength: maxLength } of Object.values(PROFILES)) {
    for (const [raw, publicName] of qualifyNames({ serverId, rawNames, maxLength }))
      if (publicName.name === name) return raw;
  }
  return undefined;
}

/** Returns why the server that may own a tool is not ready. */
export function notReadyReason(
  publicName: string,
  view: GatewayView,
  servers: readonly ServerStatus[],
): string | undefined {
  const mayOwn = (id: string) => id === view.server || mayBeNameOf(id, publicName);
  const server = servers.find(({ id, state }) => state !== 'ready' && mayOwn(id));
  if (server === undefined) return undefined;
  const next = server.next === undefined ? '' : ` Next: ${server.next}`;
  return `Its server ${server.id} is ${server.state}: ${server.reason ?? 'the reason is unknown'}.${next}`;
}
