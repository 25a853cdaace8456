import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { TestReport, TestStep } from '../../../upstream/entry/test-server.ts';
import { createStyle, type Style } from '../../terminal/style.ts';

const MAX_LINE = 300;
const MAX_NOTES = 10;
const MAX_STDERR_LINES = 8;

type Subject = Pick<ServerEntry, 'id' | 'origin'>;

/** Formats each step on its own line, with its duration; details follow below. `isVerbose` includes stack traces. */
export function reportText(
  { id, origin }: Subject,
  { steps, failed, stderrTail, strayOutput }: TestReport,
  { isVerbose = false, style = PLAIN }: { readonly isVerbose?: boolean; readonly style?: Style } = {},
): string {
  const shownStderr = isVerbose ? stderrTail.filter((line) => line.trim() !== '') : relevantStderr(stderrTail);
  const lines = [
    `${quoteIfNeeded(id)}, ${origin.target ?? formatLocation(origin.file, origin.line)}`,
    ...steps.flatMap((step) => stepLines(step, style)),
    ...(failed === undefined
      ? []
      : [`  ${style.symbol('bad')} ${failed.step.padEnd(11)}${''.padStart(9)}  ${formatLine(failed.error.message)}`]),
    ...(failed === undefined ? [] : shownStderr.map((line) => `      its stderr: ${formatLine(line)}`)),
    ...(strayOutput === undefined || failed?.error.message.includes(strayOutput)
      ? []
      : [`  ${style.paint('!', 'warning')} ${formatLine(strayOutput)}`]),
  ];
  return lines.join('\n');
}

/** Returns the last lines of stderr without stack traces. */
export function relevantStderr(tail: readonly string[]): readonly string[] {
  return withoutStackTrace(tail.filter((line) => line.trim() !== '')).slice(-MAX_STDERR_LINES);
}

/** Symbols without colours. */
const PLAIN = createStyle({ isTerminal: false, env: {} });

function stepLines({ name, ms, result, notes }: TestStep, style: Style): readonly string[] {
  const more = notes.length > MAX_NOTES ? [`      … and ${notes.length - MAX_NOTES} more`] : [];
  return [
    `  ${style.symbol('good')} ${name.padEnd(11)}${`${ms} ms`.padStart(9)}  ${formatLine(result)}`,
    ...notes.slice(0, MAX_NOTES).map((note) => `      ${formatLine(note)}`),
    ...more,
  ];
}

/** Omits stack traces, which matter only to the author of the server. Keeps everything if nothing else remains. */
function withoutStackTrace(lines: readonly string[]): readonly string[] {
  const spoken = lines.filter((line, index) => !isStackLine(line) && !NODE_SOURCE.test(lines[index - 1] ?? ''));
  return spoken.length === 0 ? lines : spoken;
}

function isStackLine(line: string): boolean {
  return TRACE.test(line) || FRAME.test(line);
}

/** Node prints a line of its own source below this location. */
const NODE_SOURCE = /^node:internal/;
/** A location inside Node, the marker below a source line, and Node's final version line. */
const TRACE = /^node:internal|^\s*\^+\s*$|^Node\.js v\d/;
/**
 * A frame ends with a location: `at run (/x.js:3:1)`, `at a.B.run(B.java:3)`, `at Array.map (<anonymous>)`. Prose may
 * begin the same way.
 */
const FRAME = /^\s+at (?:.*:\d+:\d+\)?|\S+\(\S+:\d+\)|.*<anonymous>\)?|async Promise\.\w+ \(index \d+\))\s*$/;

function formatLine(text: string): string {
  return escapeInvisible(oneLine(text, MAX_LINE));
}

export function reportDocument(
  { id, origin }: Subject,
  { steps, failed, unusable, stderrTail, strayOutput }: TestReport,
): object {
  return {
    id,
    file: origin.file,
    line: origin.line,
    ok: failed === undefined && unusable.length === 0,
    steps,
    ...(failed === undefined
      ? {}
      : { failed: { step: failed.step, code: failed.error.code, message: failed.error.message } }),
    ...(unusable.length === 0 ? {} : { unusable }),
    lastWords: stderrTail,
    ...(strayOutput === undefined ? {} : { strayOutput }),
  };
}
