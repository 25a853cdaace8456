import type { AggregateGateway } from '../../gateway/open/open-aggregate.ts';
import { whyHidden } from '../../gateway/servers/gateway-server.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { storeNames } from '../completion/store-names.ts';

/** Stores the tools of a running gateway's servers for completion and for the tool counts of `connect`. */
export function storeGatewayNames(gateway: AggregateGateway, context: CommandContext): void {
  const { servers } = gateway.statusSources();
  const seen = servers.filter(({ catalog }) => catalog.isListed('tools') && catalog.problem('tools') === undefined);
  storeNames(
    environmentOf(context),
    seen.map((server) => ({
      id: server.entry.id,
      tools: server.catalog.list('tools').items.filter((tool) => whyHidden(server, tool) === undefined),
    })),
  );
}
