import type { AggregateGateway } from '../../gateway/entry/open-aggregate.ts';
import { whyHidden } from '../../gateway/servers/gateway-server.ts';
import { keepNames } from '../completion/store-names.ts';
import type { CommandContext } from '../main.ts';

/** What the servers of a running gateway offer can be completed from now on. */
export function keepGatewayNames(gateway: AggregateGateway, { cwd, home, env }: CommandContext): void {
  const { members } = gateway.sources();
  const seen = members.filter(({ catalog }) => catalog.isListed('tools') && catalog.problem('tools') === undefined);
  keepNames(
    { cwd, home, env, platform: process.platform },
    seen.map((member) => ({
      id: member.entry.id,
      tools: member.catalog.list('tools').items.filter((tool) => whyHidden(member, tool) === undefined),
    })),
  );
}
