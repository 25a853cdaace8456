import { AppError } from '../../../base/errors.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import {
  addOption,
  loginCommand,
  serverCommand,
  testCommand,
  unsetVariableCommand,
} from '../../../config/next-command.ts';
import type { TestedServer } from './run-tests.ts';

/** Why a server did not pass its test; undefined if it did. */
export function testFailure({ subject, report: { failed, unusable } }: TestedServer): AppError | undefined {
  const { id } = subject;
  if (failed !== undefined) {
    const { code, message, data } = failed.error;
    const next = unsetVariableCommand(subject, data);
    const isNamed = message.startsWith(`${quoteIfNeeded(id)} needs `);
    const text = next === undefined || message.includes(next) ? message : `${message}. Run: ${next}`;
    return new AppError(code, isNamed ? text : `${quoteIfNeeded(id)}: ${text}`, {
      data: { server: id, step: failed.step },
    });
  }
  const [first] = unusable;
  if (first === undefined) return undefined;
  const what = `${unusable.length} tool${unusable.length === 1 ? '' : 's'} of ${quoteIfNeeded(id)} cannot be offered`;
  const message = `${what}: ${quoteIfNeeded(first.name)}: ${first.reason}`;
  return new AppError('TOOL_INVALID', message, { data: { server: id } });
}

/** Formats one line for each server that did not pass, with the command that helps, and a line with the totals. */
export function failureSummary(tested: readonly TestedServer[]): string {
  return [...tested.flatMap(failureLine), totalsText(tested)].join('\n');
}

function failureLine(tested: TestedServer): readonly string[] {
  const error = testFailure(tested);
  if (error === undefined) return [];
  const { subject } = tested;
  if (error.code === 'SIGN_IN_NEEDED')
    return [`${quoteIfNeeded(subject.id)} needs a sign-in. Run: ${loginCommand(subject, error.message)}`];
  const text = escapeInvisible(oneLine(error.message, MAX_REASON));
  // The message about an invalid entry names the file and line to correct.
  if (text.includes(' Run: ') || tested.report.failed?.step === 'config') return [text];
  return [`${text}${/[.!?…]$/.test(text) ? '' : '.'} Run: ${nextCommand(tested)}`];
}

const MAX_REASON = 300;

/** `doctor` explains failures further, but reads only the regular files. */
function nextCommand({ subject }: TestedServer): string {
  const { id, origin } = subject;
  if (origin.layer === 'explicit') return addOption(testCommand(subject), ' --verbose');
  return serverCommand('doctor', id);
}

/** Formats `9 of 12 servers work, 1 needs a sign-in, 2 failed.` */
export function totalsText(tested: readonly TestedServer[]): string {
  const failures = tested.flatMap((one) => testFailure(one) ?? []);
  const unsigned = failures.filter(({ code }) => code === 'SIGN_IN_NEEDED').length;
  const failed = failures.length - unsigned;
  return `${[
    `${tested.length - failures.length} of ${tested.length} servers work`,
    ...(unsigned === 0 ? [] : [`${unsigned} ${unsigned === 1 ? 'needs' : 'need'} a sign-in`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ].join(', ')}.`;
}
