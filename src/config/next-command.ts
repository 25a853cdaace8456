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

/** The command that signs in to a server. `refusal` is the error message, which names the scopes that are missing, if any. */
export function loginCommand({ id, origin }: Subject, refusal = ''): string {
  const usual = `switchboard mcp login${configOption(origin)} ${shellWord(id)}`;
  const named = /Run: (.+)$/.exec(refusal)?.[1] ?? '';
  const wider = `${usual} --scopes `;
  return named.startsWith(wider) && SCOPES.test(named.slice(wider.length)) ? named : usual;
}

/** Only names of scopes: people and programs run this command, and the error may contain text of a server. */
const SCOPES = /^('[\w:./@+~*,-]+'|[\w:./@+,-]+)$/;

/** Starts the server once, however long it takes, and caches what it offers. */
export function warmCommand({ id, origin }: Subject): string {
  // `--only` splits its value at commas and takes `--x` for an option: without it all servers are started.
  return `switchboard warm${configOption(origin)}${SELECTABLE.test(id) ? ` --only ${id}` : ''}`;
}

const SELECTABLE = /^\w[\w.-]*$/;

/** Any other command. `words` is its name; `--config` is repeated if the user gave it. */
export function commandFor(words: string, origin: Place | undefined, ...args: readonly string[]): string {
  const command = `switchboard ${words}${origin === undefined ? '' : configOption(origin)}`;
  return [command, ...args.map(shellWord)].join(' ');
}

type Place = Pick<Subject['origin'], 'layer' | 'file'>;

function configOption({ layer, file }: Place): string {
  return layer === 'explicit' ? ` --config ${shellWord(file)}` : '';
}
