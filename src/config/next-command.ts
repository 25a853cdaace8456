import type { ConfiguredServer } from './server-entry.ts';
import { shellWord } from './shell-word.ts';

/** What a person runs next about one server, wherever it stands. */
type Subject = Pick<ConfiguredServer, 'id' | 'origin'>;

/** Shows what is wrong with it. */
export function checkCommand({ id, origin }: Subject): string {
  return `switchboard gateway --check${configOption(origin)} --only ${shellWord(id)}`;
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
