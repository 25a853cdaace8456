import type { ConfiguredServer } from './server-entry.ts';
import { shellWord } from './shell-word.ts';

/** What a person runs next about one server, wherever it stands. */
type Subject = Pick<ConfiguredServer, 'id' | 'origin'>;

/** Tries it out step by step, and says what to do about what goes wrong. */
export function testCommand({ id, origin }: Subject): string {
  return `switchboard mcp test${configOption(origin)} ${shellWord(id)}`;
}

/** Switches it on; undefined where only an editor can, because its file is not one that we write. */
export function enableCommand({ id, origin: { layer } }: Subject): string | undefined {
  if (layer !== 'project' && layer !== 'global') return undefined;
  return `switchboard mcp enable ${shellWord(id)}${layer === 'global' ? ' --scope global' : ''}`;
}

/** Lets tools of it pass that were held back. */
export function trustToolsCommand({ id, origin }: Subject): string {
  return `switchboard trust${configOption(origin)} ${shellWord(id)}`;
}

/** Signs in to it. */
export function loginCommand({ id, origin }: Subject): string {
  return `switchboard mcp login${configOption(origin)} ${shellWord(id)}`;
}

function configOption({ layer, file }: Subject['origin']): string {
  return layer === 'explicit' ? ` --config ${shellWord(file)}` : '';
}
