import { quoteForShell } from '../../../base/text/shell-quote.ts';
import { commandName } from '../../../config/entry/entry-name.ts';
import { commandTransport, typedEntry } from '../../../config/entry/typed-entry.ts';
import { formatUrl, maskArgument, maskUrlSecrets } from '../../../config/secrets/masked-value.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { type ArgumentRules, usageError } from '../../arguments/parse-arguments.ts';

/**
 * A server that is typed on the command line instead of configured: a URL, or a command after `--`. It needs no trust,
 * because the user has just typed it.
 */
export interface TypedServer {
  readonly entry: ServerEntry;
  /** The other arguments. */
  readonly args: readonly string[];
}

/**
 * Takes the command after `--`; undefined if there is none. A first word with a leading dash is not a program: it is an
 * argument of ours that `--` protects.
 */
export function takeCommand(args: readonly string[]): TypedServer | undefined {
  const end = args.indexOf('--');
  const [command, ...rest] = end === -1 ? [] : args.slice(end + 1);
  if (command === undefined || command === '' || command.startsWith('-')) return undefined;
  return { entry: commandEntry(command, rest), args: args.slice(0, end) };
}

/** Returns the typed server, if the first argument is a URL or a command follows `--`. Throws USAGE for both. */
export function typedServer(
  first: string | undefined,
  command: TypedServer | undefined,
  rules: ArgumentRules,
): ServerEntry | undefined {
  if (!isServerUrl(first)) return command?.entry;
  if (command !== undefined) throw usageError(rules, 'Give a URL or a command, not both.');
  return urlEntry(first, rules);
}

export function isServerUrl(text: string | undefined): text is string {
  return text !== undefined && /^https?:\/\//i.test(text);
}

function urlEntry(url: string, rules: ArgumentRules): ServerEntry {
  if (!URL.canParse(url)) throw usageError(rules, `${formatUrl(url)} is not a valid URL: check its host and port.`);
  const shown = maskUrlSecrets(url) === url ? quoteForShell(url) : '<url>';
  const settings = { headers: {}, headerEnv: {}, bearerTokenEnv: undefined, oauth: undefined, isSse: false };
  return typedEntry({ id: new URL(url).hostname, transport: { kind: 'http', url, ...settings }, target: shown });
}

function commandEntry(command: string, args: readonly string[]): ServerEntry {
  const words = [command, ...args];
  const isSecret = words.some((word, index) => maskArgument(word, words[index - 1]) !== word);
  const shown = isSecret ? '-- <command>' : `-- ${words.map(quoteForShell).join(' ')}`;
  return typedEntry({ id: nameOf(command, args), transport: commandTransport(command, args), target: shown });
}

/** Programs that run another one: the first argument names the server. */
const RUNNERS = new Set(['node', 'npx', 'bun', 'bunx', 'deno', 'uv', 'uvx', 'python', 'python3', 'pipx', 'docker']);

function nameOf(command: string, args: readonly string[]): string {
  const program = commandName(command);
  const script = RUNNERS.has(program) ? args.find((arg) => !arg.startsWith('-')) : undefined;
  return (script === undefined ? undefined : commandName(script)) || program || 'server';
}
