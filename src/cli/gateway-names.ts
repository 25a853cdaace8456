import { keepNames } from '../config/known-names-keep.ts';
import { whyHidden } from '../gateway/member.ts';
import type { AggregateGateway } from '../gateway/open-aggregate.ts';
import type { CommandContext } from './main.ts';

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
