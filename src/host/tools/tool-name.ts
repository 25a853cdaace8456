import { cleanName, hash8 } from '../../base/text/names.ts';

/**
 * Returns the name of a tool for a model: `mcp_<server>_<tool>_<hash8>`. It depends only on the two names, so it is the
 * same in every run. It fits the limits of model providers, and the hash distinguishes names that look alike after
 * cleaning or truncation.
 *
 * @example
 * toolName('github', 'create_issue'); // mcp_github_create_issue_5b9912e6
 */
export function toolName(serverId: string, rawName: string): string {
  return assemble(serverId, rawName, hash8(serverId, rawName));
}

/**
 * Returns the name of a prompt that is offered as a tool. It never equals a tool's name, even if both have the same raw
 * name.
 */
export function promptName(serverId: string, rawName: string): string {
  // No server has an empty id, so no tool name can produce the hash of a prompt.
  return assemble(serverId, rawName, hash8('', `prompt\0${serverId}\0${rawName}`));
}

function assemble(serverId: string, rawName: string, hash: string): string {
  const [server, slug] = share(cleanName(serverId), cleanName(rawName));
  return `mcp_${server}_${slug}_${hash}`;
}

/** A name that needs less than half of the space leaves the rest to the other. */
function share(server: string, slug: string): [string, string] {
  const half = Math.floor(MAX_PARTS_LENGTH / 2);
  const maxServerLength = Math.max(half, MAX_PARTS_LENGTH - slug.length);
  const maxSlugLength = Math.max(half, MAX_PARTS_LENGTH - server.length);
  return [server.slice(0, maxServerLength), slug.slice(0, maxSlugLength)];
}

const MAX_LENGTH = 64;
const MAX_PARTS_LENGTH = MAX_LENGTH - 'mcp___01234567'.length;
