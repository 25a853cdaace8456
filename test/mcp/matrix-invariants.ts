import { errorTable } from '../../src/base/error-table.ts';
import { isObject } from '../../src/wire/messages.ts';
import { STEERING } from './listing-testbed.ts';
import type { MatrixCommand } from './matrix-commands.ts';
import type { OutputMode } from './matrix-modes.ts';

export interface Ran {
  /** Null if the command was killed. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** Returns a description of each common rule that the command violated. */
export function findViolations(ran: Ran, way: OutputMode, command: MatrixCommand): readonly string[] {
  const general = [...timeViolations(ran), ...(STACK.test(ran.stdout + ran.stderr) ? ['a stack is shown'] : [])];
  switch (way) {
    case 'piped':
      return [...general, ...pipedViolations(ran, command)];
    case 'json':
      return [...general, ...jsonViolations(ran, command)];
    case 'terminal':
      return [...general, ...terminalViolations(ran, command)];
  }
}

/** Time limit of every command, on a busy machine. */
const MAX_MS = 50_000;
const STACK = /^ {4}at .+:\d+:\d+\)?$/m;

function timeViolations({ status, ms }: Ran): readonly string[] {
  if (status === null) return [`it was killed after ${Math.round(ms)} ms`];
  return ms > MAX_MS ? [`it took ${Math.round(ms)} ms`] : [];
}

/** Results go to stdout, messages to stderr. A failure has a reason, and no result except a report. */
function pipedViolations({ status, stdout, stderr }: Ran, command: MatrixCommand): readonly string[] {
  return [
    ...steering('stdout', stdout),
    ...steering('stderr', stderr),
    ...unended('stdout', stdout),
    ...unended('stderr', stderr),
    ...(status === 0 && stdout === '' && command.isForShell !== true ? ['it answers nothing'] : []),
    ...(status === 0 && hasUnexpectedStderr(stderr)
      ? [`unexpected stderr: ${JSON.stringify(stderr.slice(0, 200))}`]
      : []),
    ...(status !== 0 && stderr === '' ? ['it fails without a reason'] : []),
    ...(status !== 0 && stdout !== '' && command.reports !== true
      ? [`it fails and answers ${stdout.slice(0, 200)}`]
      : []),
  ];
}

function hasUnexpectedStderr(stderr: string): boolean {
  return stderr.split('\n').some((line) => line !== '' && !ALLOWED_STDERR.test(line));
}

/** Allowed stderr lines: server logs, our notes about a server, and the source and gaps of a result. */
const ALLOWED_STDERR = new RegExp(
  [
    String.raw`^\[mcp `,
    '^Note: ',
    '^Waiting for ',
    '^Switchboard is not running here; ',
    String.raw`^\w+: \d+ tools? (?:is|are) quarantined because `,
    String.raw`^\S+\.json:\d+: \S`,
  ].join('|'),
);

/** stdout and stderr contain one document each, and the error code matches the exit status. */
function jsonViolations({ status, stdout, stderr }: Ran, command: MatrixCommand): readonly string[] {
  const answers = command.isStream === true ? stdout.split(/(?<=\n)/) : [stdout];
  const documents = stdout === '' ? [] : answers.map(documentOf);
  const error = memberOf(stderr === '' ? undefined : documentOf(stderr), 'error');
  const code = memberOf(error, 'code');
  return [
    ...steering('stdout', stdout),
    ...steering('stderr', stderr),
    ...(status === 0 && documents.length === 0 ? ['it answers nothing'] : []),
    ...(documents.every((document) => memberOf(document, 'v') === 1) ? [] : ['stdout is not one document']),
    ...(stderr !== '' && code === undefined ? [`stderr is not one document: ${stderr.slice(0, 200)}`] : []),
    ...(status !== 0 && stderr === '' ? ['it fails without a reason'] : []),
    ...(status === 0 && code !== undefined ? ['it succeeds and fails'] : []),
    ...(code !== undefined && exitOf(code) !== status ? [`its code is ${code}`] : []),
    ...(status !== 0 && stdout !== '' && !isReport(documents, command) ? ['it fails and answers'] : []),
  ];
}

/** The document of a list names the servers that failed. */
function isReport(documents: readonly unknown[], command: MatrixCommand): boolean {
  return command.reports === true || documents.every((document) => Array.isArray(memberOf(document, 'failures')));
}

/** Server text never controls the terminal. Our own output uses only known sequences. */
function terminalViolations({ status, stdout }: Ran, command: MatrixCommand): readonly string[] {
  const shown = stdout.replaceAll('\r\n', '\n').replaceAll(OWN_COLOURS, '$1$2');
  const plain = command.paints === undefined ? shown : shown.replaceAll(OWN_PAINTING[command.paints], '');
  const isSilent = stdout === '' && command.isForShell !== true;
  return [...steering('screen', plain), ...(isSilent ? [`it shows nothing, with status ${status}`] : [])];
}

/** Colours of our own always end where they began, and contain no other sequence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
const OWN_COLOURS = /\u001b\[3[123]m([^\u001b]*)\u001b\[39m|\u001b\[[12]m([^\u001b]*)\u001b\[22m/g;

/** The control sequences that the redrawn screen and the progress line use. */
const OWN_PAINTING = {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
  screen: /\u001b\[(?:\?1049[hl]|\?25[hl]|\?7[hl]|[HJK])/g,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
  line: /\r\u001b\[K/g,
};

function steering(where: string, text: string): readonly string[] {
  const found = STEERING.exec(text.replaceAll('\r\n', '\n'));
  if (found === null) return [];
  const around = text.slice(Math.max(0, found.index - 30), found.index + 30);
  return [`${where} contains control sequences: ${JSON.stringify(around)}`];
}

function unended(where: string, text: string): readonly string[] {
  return text === '' || text.endsWith('\n') ? [] : [`${where} does not end with a newline`];
}

/** Undefined unless the text is one line of JSON. */
function documentOf(text: string): unknown {
  if (!/^[^\n]+\n$/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the caller reports it.
    return undefined;
  }
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function exitOf(code: unknown): number | undefined {
  return Object.entries(errorTable()).find(([name]) => name === code)?.[1].exit;
}
