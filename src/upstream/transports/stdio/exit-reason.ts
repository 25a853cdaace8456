import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../../base/errors.ts';
import { describeExit } from '../../../base/process/describe-exit.ts';
import { findErrorLine } from '../../../base/process/error-line.ts';
import type { SpawnedProcess } from '../../../base/process/spawn.ts';
import type { Redact } from '../../../base/redaction/redact.ts';

/** Parameters with which a program was started. */
export interface ProcessStart {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The gateway's own environment, from which `env` was built. */
  readonly ownEnv: Readonly<Record<string, string | undefined>>;
  readonly redact: Redact;
}

/** Wait for the process exit after stdout was closed. The process may keep running. */
const EXIT_WITHIN_MS = 500;

/** Returns why the process ended, with the most relevant stderr line. Must be fast: pending calls fail after this. */
export async function toExitError(running: SpawnedProcess, start: ProcessStart): Promise<AppError> {
  const exit = await Promise.race([running.exited, delay(EXIT_WITHIN_MS, undefined, { ref: false })]);
  const how = exit === undefined ? 'closed its stdin or stdout' : describeExit(exit);
  const stderr = running.stderrTail();
  const stderrLines = stderr.map(start.redact);
  const lastLine = findErrorLine(stderrLines);
  const isSilent = stderrLines.every((line) => line.trim() === '');
  const why = lastLine === undefined ? (isSilent ? ' without output on stderr' : '') : `: ${lastLine}`;
  const unset = findUnsetVariable(start, stderr);
  const hint = startHint(start, stderr) ?? (unset === undefined ? undefined : `Set \`${unset}\` in its \`env\``);
  const message = hint === undefined ? `it ${how}${why}` : `it ${how}${why}${sentenceEnd(why)} ${hint}`;
  return new AppError('PROCESS_EXITED', message, {
    data: { ...exit, lastLine, ...(unset === undefined ? {} : { unsetVariable: unset }) },
  });
}

function sentenceEnd(text: string): string {
  return /[.!?]$/.test(text) ? '' : '.';
}

const MAX_NAMES = 3;

/**
 * Returns a hint about a likely config mistake, derived from the stderr of a program that exited; undefined if there is
 * none.
 */
function startHint({ args, env, ownEnv }: ProcessStart, stderr: readonly string[]): string | undefined {
  const output = stderr.join('\n');
  const withheld = [...new Set(output.match(VARIABLE) ?? [])].filter((name) => ownEnv[name] && env[name] === undefined);
  if (withheld.length > 0) {
    const names = withheld.slice(0, MAX_NAMES).map((name) => `\`${name}\``);
    const [are, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them'];
    return `${names.join(', ')} ${are} set here but not passed on: add ${them} to \`env_vars\``;
  }
  const tilde = args.find((arg) => arg.startsWith('~/') && output.includes(arg));
  return tilde === undefined ? undefined : `\`~\` is not expanded in args: write the full path`;
}

/** Returns the variable that the program says it misses, if it really has no value. */
function findUnsetVariable({ env }: ProcessStart, stderr: readonly string[]): string | undefined {
  const lines = stderr.filter((line) => SAYS_MISSING.test(line));
  const names = lines.flatMap((line) => line.match(VARIABLE) ?? []);
  return names.find((name) => name.includes('_') && !env[name]);
}

const SAYS_MISSING =
  /\b(?:not set|unset|not defined|undefined|missing|required?s?|not provided|not found|not configured|must be|must set|please set|is empty|needs?)\b/i;

/** Environment variable names in the usual style. */
const VARIABLE = /(?<![A-Za-z0-9_$])[A-Z][A-Z0-9_]{2,}(?![A-Za-z0-9_])/g;
