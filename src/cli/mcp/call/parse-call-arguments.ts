import { readFileSync, statSync } from 'node:fs';
import { AppError, messageOf } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { resolvePath } from '../../../config/files/folders.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { type ArgumentRules, parseArguments, usageError } from '../../arguments/parse-arguments.ts';
import { parseTimeout } from '../../arguments/values.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { chooseEntryFrom } from '../config/choose-entry.ts';
import { readDefinitions } from '../config/definitions.ts';
import { findToolName, type ToolName } from '../servers/tool-name.ts';
import { type ArgumentPair, parseArgumentObject, parsePairs, type ReadText } from './argument-pairs.ts';

/** The request of one `mcp call`. */
export interface CallRequest {
  readonly target: CallTarget;
  readonly input: CallInput;
  /** Undefined uses the entry's timeout or the default. */
  readonly timeoutMs: number | undefined;
  readonly isDirect: boolean;
  readonly display: CallDisplay;
}

/** The tool to call. */
export interface CallTarget {
  readonly entry: ServerEntry;
  readonly tool: string;
  /** Other possible readings of the typed name. */
  readonly others: ToolName['others'];
}

/** The arguments as typed. */
interface CallInput {
  readonly pairs: readonly ArgumentPair[];
  /** The value of `--args`. */
  readonly base: Readonly<Record<string, unknown>>;
}

/** How the call and its result are shown. */
export interface CallDisplay {
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  /** Prints text unchanged, including terminal control sequences. */
  readonly isRaw: boolean;
  /** Folder for saved media. */
  readonly folder: string | undefined;
}

const RULES: ArgumentRules = {
  command: 'switchboard mcp call',
  positionals: ['<server>.<tool>', '[key=value…]'],
  requiredPositionals: 1,
  options: ['--args', '--timeout', '--output'],
  flags: ['--direct', '--raw'],
};

/** Parses the arguments. Finds every fault that can be found before a server starts. */
export async function parseCallArguments(args: readonly string[], context: CommandContext): Promise<CallRequest> {
  const end = args.indexOf('--');
  const isPositional = (arg: string, index: number) =>
    (!arg.startsWith('-') || (end !== -1 && index > end)) && RULES.options?.includes(args[index - 1] ?? '') !== true;
  // A tool name may contain a =. If every word contains one, the first word is the name.
  const hasName = args.some((arg, index) => isPositional(arg, index) && !PAIR.test(arg));
  const nameAt = hasName ? -1 : args.findIndex(isPositional);
  const isPair = (arg: string, index: number) => index !== nameAt && isPositional(arg, index) && PAIR.test(arg);
  const parsed = parseArguments(
    args.filter((arg, index) => !isPair(arg, index)),
    RULES,
  );
  const [name = '', extra] = parsed.positionals;
  if (extra !== undefined) throw usageError(RULES, `${quoteIfNeeded(extra)} is not an argument: write key=value.`);
  const timeoutMs = parseTimeout(parsed.value('--timeout'), RULES);
  const output = parsed.value('--output');
  if (output !== undefined && parsed.isJson)
    throw usageError(RULES, '--output cannot be used with --json, which contains everything.');
  if (parsed.has('--raw') && parsed.isJson)
    throw usageError(RULES, '--raw cannot be used with --json, which is already exact.');
  const definitions = await readDefinitions(environmentOf(context));
  const { server, tool, others } = findToolName(name, definitions);
  const readText = createReadText(context);
  const pairs = await parsePairs(args.filter(isPair), readText);
  const written = parsed.value('--args');
  const base = written === undefined ? {} : await parseArgumentObject(written, readText);
  const entry = await chooseEntryFrom(definitions, { id: server, action: 'call' });
  return {
    target: { entry, tool, others },
    input: { pairs, base },
    timeoutMs,
    isDirect: parsed.has('--direct'),
    display: {
      isJson: parsed.isJson,
      isVerbose: parsed.has('--verbose'),
      isRaw: parsed.has('--raw'),
      folder: output === undefined ? undefined : resolvePath(output, environmentOf(context)),
    },
  };
}

const PAIR = /^[^-=][^=]*=/;
const MAX_FILE_BYTES = 32 * 1024 * 1024;

function createReadText(context: CommandContext): ReadText {
  let isStdinRead = false;
  return async (file) => {
    if (file !== '-') return readFile(resolvePath(file, environmentOf(context)));
    if (isStdinRead) throw new AppError('USAGE', 'stdin can be read only once.');
    isStdinRead = true;
    return readStdin();
  };
}

function readFile(path: string): string {
  try {
    if (statSync(path).size > MAX_FILE_BYTES) throw new Error('it is larger than 32 MiB');
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new AppError('USAGE', `${quoteIfNeeded(path)} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_FILE_BYTES) throw new AppError('USAGE', 'The input on stdin is larger than 32 MiB.');
  }
  return Buffer.concat(chunks).toString('utf8');
}
