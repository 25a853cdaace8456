import { cleanName, hash8 } from '../../base/text/names.ts';

/**
 * What a model calls a tool by: `mcp_<server>_<tool>_<hash8>`. A function of the two names alone, so that it is the same
 * in every run. It fits what model providers allow, and the hash tells apart what looks alike after cleaning or cutting.
 *
 * @example
 * toolName('github', 'create_issue'); // mcp_github_create_issue_5b9912e6
 */
export function toolName(serverId: string, rawName: string): string {
  return assemble(serverId, rawName, hash8(serverId, rawName));
}

/** The same for a prompt that is offered as a tool: never the name of a tool, even where both are called the same. */
export function promptName(serverId: string, rawName: string): string {
  // No server has an empty id: nothing that a server calls a tool leads to the hash of a prompt.
  return assemble(serverId, rawName, hash8('', `prompt\0${serverId}\0${rawName}`));
}

function assemble(serverId: string, rawName: string, hash: string): string {
  const [server, slug] = share(cleanName(serverId), cleanName(rawName));
  return `mcp_${server}_${slug}_${hash}`;
}

/** Who needs less than half of the room leaves the rest to the other. */
function share(server: string, slug: string): [string, string] {
  const half = Math.floor(ROOM / 2);
  const serverRoom = Math.max(half, ROOM - slug.length);
  const slugRoom = Math.max(half, ROOM - server.length);
  return [server.slice(0, serverRoom), slug.slice(0, slugRoom)];
}

const MAX_LENGTH = 64;
const ROOM = MAX_LENGTH - 'mcp___01234567'.length;
