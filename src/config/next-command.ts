import { quoteForShell } from '../base/text/shell-quote.ts';
import type { ConfiguredServer } from './server-entry.ts';

/** What a person runs next about one server, wherever it stands. */
type Subject = Pick<ConfiguredServer, 'id' | 'origin'>;

/** Tries it out step by step, and says what to do about what goes wrong. */
export function testCommand({ id, origin }: Subject): string {
  return serverCommand(`mcp test${configOption(origin)}`, id);
}

/** Switches it on; undefined where only an editor can, because its file is not one that we write. */
export function enableCommand({ id, origin: { layer } }: Subject): string | undefined {
  if (layer !== 'project' && layer !== 'global') return undefined;
  return serverCommand('mcp enable', id, layer === 'global' ? ' --scope global' : '');
}

/** Lets tools of it pass that were held back. */
export function trustToolsCommand({ id, origin }: Subject): string {
  return serverCommand(`trust${configOption(origin)}`, id);
}

/** The command that signs in to a server. `refusal` is the error message, which names the scopes that are missing, if any. */
export function loginCommand({ id, origin }: Subject, refusal = ''): string {
  const usual = serverCommand(`mcp login${configOption(origin)}`, id);
  const named = /Run: (.+)$/.exec(refusal)?.[1] ?? '';
  const scopes = /.* --scopes (\S+)/.exec(named)?.[1] ?? '';
  const wider = addOption(usual, ` --scopes ${scopes}`);
  return SCOPES.test(scopes) && named === wider ? named : usual;
}

/** Only names of scopes: people and programs run this command, and the error may contain text of a server. */
const SCOPES = /^('[\w:./@+~*,-]+'|[\w:./@+,-]+)$/;

/** A command about one server. Options go last, or before the `--` that an id with a dash in front needs. */
export function serverCommand(subcommand: string, id: string, options = ''): string {
  return addOption(`switchboard ${subcommand} ${quoteArgs([id])}`, options);
}

/** Adds options to one of these commands. Inside a quoted word a quote is never followed by a dash: see `shellWord`. */
export function addOption(command: string, option: string): string {
  const end = command.indexOf(" -- '-");
  return end === -1 ? `${command}${option}` : `${command.slice(0, end)}${option}${command.slice(end)}`;
}

/** After `--`, a word that begins with a dash is not taken for an option. */
function quoteArgs(args: readonly string[]): string {
  const words = args.map(quoteForShell).join(' ');
  return args.some((arg) => arg.startsWith('-')) ? `-- ${words}` : words;
}

/** Starts the server once, however long it takes, and caches what it offers. */
export function warmCommand({ id, origin }: Subject): string {
  // `--only` splits its value at commas and takes `--x` for an option: without it all servers are started.
  return `switchboard warm${configOption(origin)}${SELECTABLE.test(id) ? ` --only ${id}` : ''}`;
}

const SELECTABLE = /^\w[\w.-]*$/;

/** Any other command. `words` is its name; `--config` is repeated if the user gave it. */
export function commandFor(subcommand: string, origin: ConfigLocation | undefined, ...args: readonly string[]): string {
  const command = `switchboard ${subcommand}${origin === undefined ? '' : configOption(origin)}`;
  return args.length === 0 ? command : `${command} ${quoteArgs(args)}`;
}

type ConfigLocation = Pick<Subject['origin'], 'layer' | 'file'>;

function configOption({ layer, file }: ConfigLocation): string {
  return layer === 'explicit' ? ` --config ${quoteForShell(file)}` : '';
}
