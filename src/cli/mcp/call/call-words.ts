import type { ArgumentRules } from '../../arguments/parse-arguments.ts';
import { isServerUrl, type TypedServer, takeCommand } from '../target/typed-server.ts';

/** The words of a call, before the config and the schema are known. */
export interface CallWords {
  /** `key=value` and `key:value`. */
  readonly pairs: readonly string[];
  /** The name of the tool, and the options. */
  readonly others: readonly string[];
  /** The URL of a server that is not configured. */
  readonly url: string | undefined;
  readonly command: TypedServer | undefined;
}

/**
 * Separates the arguments of the tool from its name and from our options. The name is the first word without a `=`: a
 * tool name may contain a `:`. If every word contains a `=`, the name is the first word.
 */
export function splitCallWords(args: readonly string[], rules: ArgumentRules): CallWords {
  const command = takeCallCommand(args, rules);
  const own = command?.args ?? args;
  const isPositional = positionalTest(own, rules);
  const firstAt = own.findIndex(isPositional);
  const urlAt = isServerUrl(own[firstAt]) ? firstAt : -1;
  const isWord = (arg: string, index: number) => index !== urlAt && isPositional(arg, index);
  const plainAt = own.findIndex((arg, index) => isWord(arg, index) && !PAIR.test(arg));
  const nameAt = plainAt === -1 ? own.findIndex(isWord) : plainAt;
  const isPair = (arg: string, index: number) =>
    index !== nameAt && isWord(arg, index) && (PAIR.test(arg) || (index > nameAt && COLON_PAIR.test(arg)));
  return {
    pairs: own.filter(isPair),
    others: own.filter((arg, index) => index !== urlAt && !isPair(arg, index)),
    url: urlAt === -1 ? undefined : own[urlAt],
    command,
  };
}

const PAIR = /^[^-=][^=]*=/;
const COLON_PAIR = /^[^-:][^:]*:/;

/** A command follows the name of the tool. Otherwise `--` protects words that begin with a dash. */
function takeCallCommand(args: readonly string[], rules: ArgumentRules): TypedServer | undefined {
  const end = args.indexOf('--');
  const isPositional = positionalTest(args, rules);
  const hasName = args.some((arg, index) => index < end && isPositional(arg, index));
  return hasName && !PAIR.test(args[end + 1] ?? '') ? takeCommand(args) : undefined;
}

function positionalTest(args: readonly string[], { options = [] }: ArgumentRules) {
  const end = args.indexOf('--');
  return (arg: string, index: number) =>
    (!arg.startsWith('-') || (end !== -1 && index > end)) && !options.includes(args[index - 1] ?? '');
}
