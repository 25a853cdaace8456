import { neutralize, oneLine } from '../../base/text/safe-text.ts';
import { isObject } from '../../wire/messages.ts';
import type { FileChange, Item, PlanStep } from '../item-types.ts';
import { relativeName } from './unified-diff.ts';

/** One-line summaries and other parts of items, the same for every engine. */

const MAX_SUMMARY = 200;

export function summarize(text: string): string {
  return oneLine(text, MAX_SUMMARY);
}

export function summarizeFiles(files: readonly FileChange[]): string {
  return summarize(files.map(({ path }) => path).join(', '));
}

export function summarizeTool(server: string, tool: string): string {
  return summarize(server === '' ? tool : `${server}/${tool}`);
}

export function summarizePlan(plan: readonly PlanStep[]): string {
  const done = plan.filter(({ status }) => status === 'completed').length;
  const now = plan.find(({ status }) => status === 'in_progress') ?? plan.find(({ status }) => status === 'pending');
  return summarize(`${done} of ${plan.length} done${now === undefined ? '' : `; now: ${now.step}`}`);
}

const MAX_WORK = 120;

/** Summarizes the changed files and the failed commands of a turn in one line. Returns undefined if there are none. */
export function summarizeWork(
  items: readonly Item[],
  files: readonly Pick<FileChange, 'path'>[],
  folder: string,
): string | undefined {
  const failed = items.filter(isFailedCommand);
  const last = failed.at(-1);
  const parts = [
    last === undefined ? undefined : `${count(failed.length, 'command')} failed, the last with ${exitOf(last)}`,
    files.length === 0
      ? undefined
      : `${count(files.length, 'file')} changed: ${files.map(({ path }) => relativeName(folder, path)).join(', ')}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : oneLine(parts.join('; '), MAX_WORK);
}

export function isFailedCommand({ type, status }: Item): boolean {
  return type === 'command_execution' && status === 'failed';
}

function exitOf({ exitCode }: Item): string {
  return exitCode === undefined ? 'no exit code' : `exit code ${exitCode}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

const MAX_TAIL = 2_000;

/** Returns the exit code and the end of the output of a failed command, and nothing for any other. */
export function describeCommandFailure({
  exitCode,
  status,
  output,
}: {
  readonly exitCode: unknown;
  readonly status: unknown;
  readonly output: string;
}): Pick<Item, 'exitCode' | 'outputTail' | 'omittedOutput'> {
  const code = typeof exitCode === 'number' && exitCode !== 0 ? { exitCode } : {};
  const hasFailed = status === 'failed' || 'exitCode' in code;
  return { ...code, ...(hasFailed && output !== '' ? toOutputTail(output) : {}) };
}

/** Returns the end of a command's output, without terminal control sequences. */
function toOutputTail(output: string): Pick<Item, 'outputTail' | 'omittedOutput'> {
  const outputTail = neutralize(output.slice(-MAX_TAIL), { multiline: true }).trim();
  return output.length > MAX_TAIL ? { outputTail, omittedOutput: output.length - MAX_TAIL } : { outputTail };
}

/** Reads the kind of a change, as a name or as an object with a `type`. */
export function toFileKind(kind: unknown): FileChange['kind'] {
  const type = isObject(kind) ? kind['type'] : kind;
  return type === 'add' || type === 'delete' ? type : 'update';
}
