import { readFileSync, statSync } from 'node:fs';
import { AppError, messageOf } from '../../../base/errors.ts';
import { programName } from '../../../base/program-name.ts';
import { isJson } from '../../../base/text/is-json.ts';
import { quoteForShell } from '../../../base/text/shell-quote.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { resolvePath } from '../../../config/files/folders.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { type ArgumentRules, type Arguments, parseArguments, usageError } from '../../arguments/parse-arguments.ts';
import { parseTimeout } from '../../arguments/values.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { chooseEntryFrom } from '../config/choose-entry.ts';
import { readDefinitions } from '../config/definitions.ts';
import { findToolName, type ToolName } from '../servers/tool-name.ts';
import { typedServer } from '../target/typed-server.ts';
import { type ArgumentPair, parseArgumentObject, parsePairs, type ReadText } from './argument-pairs.ts';
import { type CallWords, splitCallWords } from './call-words.ts';

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
  /** Prints only the payload: the text, or the structured content as JSON. */
  readonly isPlain: boolean;
  /** Folder for saved media. */
  readonly folder: string | undefined;
}

const RULES: ArgumentRules = {
  command: 'switchboard mcp call',
  positionals: ['<server>.<tool>', '[key=value…]'],
  requiredPositionals: 1,
  options: ['--args', '--timeout', '--output'],
  flags: ['--direct', '--raw', '--plain'],
};

/** Parses the arguments. Finds every fault that can be found before a server starts. */
export async function parseCallArguments(args: readonly string[], context: CommandContext): Promise<CallRequest> {
  const words = splitCallWords(args, RULES);
  rejectObject(words);
  const parsed = parseArguments(words.others, RULES);
  const [name = '', extra] = parsed.positionals;
  if (extra !== undefined) throw extraWordError(name, extra);
  const timeoutMs = parseTimeout(parsed.value('--timeout'), RULES);
  const output = parsed.value('--output');
  rejectConflicts(parsed);
  const readText = createReadText(context);
  const typed = typedServer(words.url, words.command, RULES);
  const definitions = typed === undefined ? await readDefinitions(environmentOf(context)) : undefined;
  const named = definitions && findToolName(name, definitions);
  const pairs = await parsePairs(words.pairs, readText);
  const written = parsed.value('--args');
  const base = written === undefined ? {} : await parseArgumentObject(written, readText);
  const target =
    definitions === undefined || named === undefined
      ? typedTarget(name, typed)
      : {
          entry: await chooseEntryFrom(definitions, { id: named.server, action: 'call' }),
          tool: named.tool,
          others: named.others,
        };
  return {
    target,
    input: { pairs, base },
    timeoutMs,
    isDirect: parsed.has('--direct') || typed !== undefined,
    display: {
      isJson: parsed.isJson,
      isVerbose: parsed.has('--verbose'),
      isRaw: parsed.has('--raw'),
      isPlain: parsed.has('--plain'),
      folder: output === undefined ? undefined : resolvePath(output, environmentOf(context)),
    },
  };
}

function extraWordError(name: string, extra: string): AppError {
  const whole = name.includes('.')
    ? ''
    : ` To call a tool of ${quoteIfNeeded(name)}, write ${quoteIfNeeded(`${name}.${extra}`)}.`;
  return usageError(RULES, `${quoteIfNeeded(extra)} is not an argument: write key=value.${whole}`);
}

/** People who know other programs pass the arguments as a JSON object. */
function rejectObject({ pairs, others }: CallWords): void {
  const object = [...pairs, ...others].find((word) => /^\s*\{.*\}\s*$/s.test(word) && isJson(word));
  const at = others.indexOf('--args');
  if (object === undefined || (at !== -1 && others[at + 1] === object)) return;
  const name = others.find((word) => word !== object && !word.startsWith('-')) ?? '<server>.<tool>';
  const written = object.length > MAX_SHOWN_OBJECT ? "'{…}'" : quoteForShell(object);
  const command = `${programName()} mcp call ${quoteForShell(name)} --args ${written}`;
  throw new AppError('USAGE', `A JSON object follows --args. Run: ${command}`);
}

const MAX_SHOWN_OBJECT = 500;

function rejectConflicts(parsed: Arguments): void {
  const reasons = {
    '--output': 'which contains everything',
    '--raw': 'which is already exact',
    '--plain': 'which contains the whole result',
  };
  for (const [option, reason] of Object.entries(reasons))
    if (parsed.isJson && parsed.has(option))
      throw usageError(RULES, `${option} cannot be used with --json, ${reason}.`);
}

/** The name may have the form that lists show: `server.tool`. */
function typedTarget(name: string, entry: ServerEntry | undefined): CallTarget {
  if (entry === undefined) throw usageError(RULES, 'The server is missing.');
  const prefix = `${entry.id}.`;
  return { entry, tool: name.startsWith(prefix) ? name.slice(prefix.length) : name, others: [] };
}

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
