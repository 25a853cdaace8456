import { programName } from '../../base/program-name.ts';
import type { Environment } from '../../config/files/folders.ts';
import { readKnownNames } from '../completion/known-names.ts';

/** What a client sees of some servers, as far as their tools are known from earlier runs. */
export interface ToolCounts {
  readonly servers: number;
  /** Servers whose tools are not known yet. */
  readonly unknownServers: number;
  readonly tools: number;
  /** How much of a model's context these tools take, if the client shows it all of them. */
  readonly estimatedTokens: number;
}

export function countTools(ids: readonly string[], environment: Environment): ToolCounts {
  const known = readKnownNames(environment);
  const listed = ids.flatMap((id) => known.get(id) ?? []);
  return {
    servers: ids.length,
    unknownServers: ids.length - listed.length,
    tools: sum(listed.map(({ tools }) => tools.length)),
    estimatedTokens: sum(listed.map(({ tokens }) => tokens)),
  };
}

/** With this number of tools or more, Codex gives the model a search instead of the tools. */
const MANY_TOOLS_FOR_CODEX = 100;

interface SeenOptions {
  /** Whether these are all servers. */
  readonly isAll?: boolean;
  /** False if the client does not use Switchboard yet. */
  readonly isConnected?: boolean;
}

/** Describes the servers and tools that a client sees: `Codex sees 3 servers, with 12 tools (about 900 tokens).` */
export function toolsText(
  client: string,
  counts: ToolCounts,
  {
    subject = 'It',
    ...options
  }: SeenOptions & { /** How the sentence names the client. */ readonly subject?: string } = {},
): string {
  return `${subject} ${seesText(client, counts, options)}`;
}

/** The same without a subject, for a line that begins with the client. */
export function seesText(
  client: string,
  { servers, unknownServers, tools, estimatedTokens }: ToolCounts,
  { isAll = false, isConnected = true }: SeenOptions = {},
): string {
  const seen = `${isAll && servers > 1 ? 'all ' : ''}${count(servers, 'server')}`;
  const sees = isConnected ? `sees ${seen}` : `will see ${seen} once connected`;
  if (unknownServers === servers) return `${sees}.`;
  const unknown = unknownServers === 0 ? '' : ` The tools of ${count(unknownServers, 'server')} are not known yet.`;
  return `${sees}, with ${count(tools, 'tool')} (about ${rounded(estimatedTokens)} tokens).${unknown}${warning(client, tools)}`;
}

/** Returns the last line of a list of clients: how to count the tools that are not known yet, if any. */
export function uncountedLines(counts: readonly ToolCounts[]): readonly string[] {
  if (counts.every(({ unknownServers }) => unknownServers === 0)) return [];
  return [`Some tools are not known yet. To count them, run: ${programName()} warm`];
}

function warning(client: string, tools: number): string {
  if (client !== 'codex' || tools < MANY_TOOLS_FOR_CODEX) return '';
  return ` With ${MANY_TOOLS_FOR_CODEX} tools or more, Codex hides them behind its own search: share fewer servers with it (${programName()} share --help).`;
}

/** An estimate has no more than two significant digits. */
function rounded(tokens: number): string {
  return Number(tokens.toPrecision(2)).toLocaleString('en');
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
