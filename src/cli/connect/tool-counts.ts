import type { Environment } from '../../config/files/folders.ts';
import { readKnownNames } from '../completion/known-names.ts';

/** From this number of tools, Codex shows the model none of them, but a search. */
export const MANY_TOOLS_FOR_CODEX = 100;

/** Describes how many servers and tools a client sees, as far as the tools are known from earlier runs. */
export function toolsText(client: string, ids: readonly string[], environment: Environment): string {
  const known = readKnownNames(environment);
  const listed = ids.flatMap((id) => known.get(id) ?? []);
  const tools = listed.reduce((sum, server) => sum + server.tools.length, 0);
  const servers = count(ids.length, 'server');
  const isCodexFull = client === 'codex' && tools >= MANY_TOOLS_FOR_CODEX;
  const warning = isCodexFull
    ? ` From ${MANY_TOOLS_FOR_CODEX} tools, Codex hides them behind its own search: share fewer servers with it (switchboard share --help).`
    : '';
  if (listed.length === 0) return `it sees ${servers}.`;
  const missing = ids.length - listed.length;
  const unknown = missing === 0 ? '' : ` (the tools of ${count(missing, 'server')} are not known yet)`;
  return `it sees ${servers} with ${count(tools, 'tool')}${unknown}.${warning}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
