import { AppError, toAppError } from '../../base/errors.ts';
import { readListing } from '../../upstream/catalog/listing.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { readElements } from '../../wire/json/json-text.ts';
import { isObject, RawJson, resultText } from '../../wire/messages.ts';
import type { Client } from '../client/client.ts';
import { DeferredResponse } from '../routing/deferred-response.ts';
import type { ClientRequest } from '../routing/routing.ts';
import type { GatewayServers } from '../servers/gateway-servers.ts';
import { offersSkills } from './offered-capabilities.ts';
import { rewriteUris } from './rewrite-uris.ts';

/**
 * Handles `skills/list`: returns the skills of all servers that the client sees. A server that fails or is too slow is
 * left out, because clients must not take the list for complete anyway. If all fail, the first error is the answer.
 * https://modelcontextprotocol.io/seps/2640-skills-extension
 */
export function createSkillsList(
  servers: GatewayServers,
  timeoutMs: number,
): (client: Client, request: ClientRequest) => void {
  return (client, { message: { params }, method, idText, exchange }) => {
    if (isObject(params) && params['cursor'] !== undefined)
      throw new AppError('INVALID_PARAMS', 'The list of skills has only one page, so no cursor was issued.');
    const view = servers.viewOf(client);
    const offering = view.servers().filter(offersSkills);
    if (offering.length === 0) throw new AppError('METHOD_NOT_FOUND', `Method not found: ${method}`);
    const context = { method, publicName: undefined, serverName: undefined };
    const deferred = new DeferredResponse({ client, idText, context, exchange });
    const lists = offering.map((server) =>
      listSkills(servers.pool.acquire(server, client), { hasPrefix: view.hasPrefix, timeoutMs }),
    );
    void Promise.allSettled(lists).then((outcomes) => {
      const listed = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (listed.length === 0 && failed !== undefined) return deferred.fail(toAppError(failed.reason));
      const skills = firstOfEachUri(listed.flat());
      deferred.answer(resultText(idText, new RawJson(`{"skills":[${skills.join(',')}]}`)));
    });
  };
}

interface ListOptions {
  readonly hasPrefix: boolean;
  readonly timeoutMs: number;
}

/** Returns the skills of one server, as JSON. */
async function listSkills(upstream: Upstream, { hasPrefix, timeoutMs }: ListOptions): Promise<string[]> {
  const { pages } = await readListing('skills', (params) => upstream.request('skills/list', params, timeoutMs));
  return pages.flatMap((page) => {
    const json = page.toString('utf8');
    const skills = readElements(json).map(({ start, end }) => json.slice(start, end));
    return hasPrefix ? skills.map((skill) => rewriteUris(skill, upstream.id) ?? skill) : skills;
  });
}

/** Without prefixes, two servers may list the same URI. Requests for it go to the first one. */
function firstOfEachUri(skills: readonly string[]): string[] {
  const seen = new Set<unknown>();
  return skills.filter((json) => {
    const skill: unknown = JSON.parse(json);
    const uri = isObject(skill) ? skill['uri'] : undefined;
    if (typeof uri !== 'string' || seen.has(uri)) return false;
    seen.add(uri);
    return true;
  });
}
