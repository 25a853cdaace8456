import { programName } from '../base/program-name.ts';
import { quoteForShell } from '../base/text/shell-quote.ts';
import type { ConfiguredServer } from './server-entry.ts';

/** The server that a suggested command is about, from any layer. */
type Subject = Pick<ConfiguredServer, 'id' | 'origin'>;

/** Returns the command that tests a server step by step and suggests fixes. */
export function testCommand({ id, origin }: Subject): string {
  if (origin.target !== undefined) return `${programName()} mcp test ${origin.target}`;
  return serverCommand(`mcp test${configOption(origin)}`, id);
}

/**
 * Returns the command that enables a server; undefined if switchboard does not write its file and the user must edit
 * it.
 */
export function enableCommand({ id, origin: { layer } }: Subject): string | undefined {
  if (layer !== 'project' && layer !== 'global') return undefined;
  return serverCommand('mcp enable', id, layer === 'global' ? ' --scope global' : '');
}

/**
 * Returns the command that shares the sign-in of a server with everyone who has a token; undefined if switchboard does
 * not write its file.
 */
export function shareSignInCommand({ id, origin: { layer } }: Subject): string | undefined {
  if (layer !== 'project' && layer !== 'global') return undefined;
  return serverCommand('set', id, ` shareSignIn=true${layer === 'global' ? ' --scope global' : ''}`);
}

/** Returns the command that switches a server off, wherever it is defined. */
export function disableCommand({ id, origin: { layer } }: Subject): string {
  return serverCommand('disable', id, layer === 'global' ? ' --scope global' : '');
}

/**
 * Returns the command that sets the variable that the entry of a server needs, or that the server missed when it
 * started, according to the data of its error. Undefined if it missed none, or if switchboard does not write its file.
 */
export function unsetVariableCommand(
  { id, origin: { layer } }: Subject,
  errorData: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  const needed = errorData?.['variable'];
  if (typeof needed === 'string') return secretCommand(needed);
  const variable = errorData?.['unsetVariable'];
  if (typeof variable !== 'string' || (layer !== 'project' && layer !== 'global')) return undefined;
  return serverCommand('set', id, ` ${quoteForShell(`env.${variable}`)}${layer === 'global' ? ' --scope global' : ''}`);
}

/** Returns the command that stores the value of a variable. */
export function secretCommand(variable: string): string {
  return `${programName()} secret set ${quoteForShell(variable)}`;
}

/** Returns the command that trusts the quarantined tools of a server. */
export function trustToolsCommand({ id, origin }: Subject): string {
  return serverCommand(`trust${configOption(origin)}`, id);
}

/**
 * Returns the command that signs in to a server. `refusal` is the error message, which names missing scopes, if any.
 */
export function loginCommand({ id, origin }: Subject, refusal = ''): string {
  // A sign-in is stored under the id of a configured server.
  if (origin.target !== undefined)
    return `${programName()} mcp add ${quoteArgs([id.replaceAll(/[^\w-]/g, '-')])} ${origin.target}`;
  const usual = serverCommand(`mcp login${configOption(origin)}`, id);
  const named = /Run: (.+)$/.exec(refusal)?.[1] ?? '';
  const scopes = /.* --scopes (\S+)/.exec(named)?.[1] ?? '';
  const wider = addOption(usual, ` --scopes ${scopes}`);
  // The message of a gateway may name our program differently.
  return SCOPES.test(scopes) && named.endsWith(wider.slice(programName().length)) ? wider : usual;
}

/** Matches only scope names: people and programs run this command, and the error may contain text from a server. */
const SCOPES = /^('[\w:./@+~*,-]+'|[\w:./@+,-]+)$/;

/** Builds a command about one server. Options go last, or before the `--` that an id with a leading dash needs. */
export function serverCommand(subcommand: string, id: string, options = ''): string {
  return addOption(`${programName()} ${subcommand} ${quoteArgs([id])}`, options);
}

/**
 * Adds options to one of these commands. Inside a quoted word, a quote is never followed by a dash: see
 * `quoteForShell`.
 */
export function addOption(command: string, option: string): string {
  const end = command.indexOf(" -- '-");
  return end === -1 ? `${command}${option}` : `${command.slice(0, end)}${option}${command.slice(end)}`;
}

/** Quotes arguments. After `--`, an argument with a leading dash is not parsed as an option. */
function quoteArgs(args: readonly string[]): string {
  const words = args.map(quoteForShell).join(' ');
  return args.some((arg) => arg.startsWith('-')) ? `-- ${words}` : words;
}

/** Returns the command that starts the server once, however long it takes, and caches its lists. */
export function warmCommand({ id, origin }: Subject): string {
  // `--only` splits its value at commas and parses `--x` as an option. Without `--only`, all servers start.
  return `${programName()} warm${configOption(origin)}${SELECTABLE.test(id) ? ` --only ${id}` : ''}`;
}

const SELECTABLE = /^\w[\w.-]*$/;

/** Builds any other command. `subcommand` is its name; `--config` is repeated if the user passed it. */
export function commandFor(subcommand: string, origin: ConfigLocation | undefined, ...args: readonly string[]): string {
  // A typed server has no name that other commands know.
  if (origin?.target !== undefined)
    return `${programName()} ${subcommand === 'mcp tool' ? 'mcp tools' : subcommand} ${origin.target}`;
  const command = `${programName()} ${subcommand}${origin === undefined ? '' : configOption(origin)}`;
  return args.length === 0 ? command : `${command} ${quoteArgs(args)}`;
}

type ConfigLocation = Pick<Subject['origin'], 'layer' | 'file' | 'target'>;

function configOption({ layer, file }: ConfigLocation): string {
  return layer === 'explicit' ? ` --config ${quoteForShell(file)}` : '';
}
