import { AppError } from '../../../base/errors.ts';
import { nearestNames } from '../../../base/text/nearest-names.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { commandFor } from '../../../config/next-command.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { matchesTemplate } from '../../../schema/uri-template.ts';
import { chooseServers } from '../listing/choose-servers.ts';
import { failuresOf, reportFailures, worstFailure } from '../listing/failures.ts';
import { listFromAll, type RequestOptions, type ServerList } from '../listing/list-servers.ts';

/** Returns the server that lists this URI, else the one with a matching template, else the only one with resources. */
export async function findResourceServer(uri: string, options: RequestOptions, isJson: boolean): Promise<ServerEntry> {
  const choice = await chooseServers(undefined, options.context);
  const lists = await listFromAll('resources', choice.entries, options);
  const failures = failuresOf(choice, lists);
  const listing = lists.filter(({ items }) => items.some(({ key }) => key === uri));
  const offering = lists.filter(({ isOffered }) => isOffered);
  const candidates = listing.length > 0 ? listing : await templateOwners(uri, offering, options);
  const found = candidates.length === 0 && failures.length === 0 ? offering.slice(0, 2) : candidates;
  const [reader, another] = found;
  if (reader !== undefined && another === undefined) return reader.entry;
  if (candidates.length > 1) throw ambiguousError(uri, candidates);
  if (!isJson) reportFailures(options.context.output, choice, failures);
  const failure = worstFailure(failures, choice.entries.length + choice.broken.length);
  throw failure ?? unknownResourceError(uri, lists);
}

async function templateOwners(
  uri: string,
  offering: readonly ServerList[],
  options: RequestOptions,
): Promise<readonly ServerList[]> {
  const lists = await listFromAll(
    'resourceTemplates',
    offering.map(({ entry }) => entry),
    options,
  );
  return lists.filter(({ items }) => items.some(({ key }) => matchesTemplate(uri, key)));
}

function ambiguousError(uri: string, lists: readonly ServerList[]): AppError {
  const ids = lists.map(({ entry }) => entry.id);
  const commands = lists.map(({ entry }) => commandFor('mcp resources read', entry.origin, entry.id, uri));
  const message = `${quoteIfNeeded(uri)} is listed by ${ids.map(quoteIfNeeded).join(' and ')}. Run: ${commands.join(' or ')}`;
  return new AppError('USAGE', message, { data: { uri, servers: ids } });
}

/** Builds the error for a URI that no reachable server lists. */
export function unknownResourceError(uri: string, lists: readonly ServerList[]): AppError {
  const known = lists.flatMap(({ items }) => items.map(({ key }) => key));
  const near = [...new Set(nearestNames(uri, known))];
  const [only, ...others] = lists;
  const isOne = only !== undefined && others.length === 0;
  const who = isOne ? `${quoteIfNeeded(only.entry.id)} has no resource` : 'No server lists the resource';
  const next = `Run: ${commandFor('mcp resources list', only?.entry.origin, ...(isOne ? [only.entry.id] : []))}`;
  const hint =
    near.length > 0
      ? `Did you mean ${near.map(quoteIfNeeded).join(' or ')}?`
      : `${isOne ? '' : 'To read one that is not listed, name its server. '}${next}`;
  return new AppError('RESOURCE_NOT_FOUND', `${who} ${quoteIfNeeded(uri)}. ${hint}`, { data: { uri, near } });
}
