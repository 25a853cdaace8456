import { programName } from '../../base/program-name.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import type { Style } from '../terminal/style.ts';
import { wrapHanging } from '../terminal/wrap.ts';
import { type Finding, type FindingState, type Section, worstFirst, worstState } from './finding.ts';

export interface TextFormat {
  readonly style: Style;
  /** Undefined without a terminal, so that nothing is wrapped. */
  readonly width: number | undefined;
}

/** Formats a section: a heading with its worst state, then the findings, worst first, each with its fix. */
export function sectionText({ name, summary, findings }: Section, format: TextFormat): string {
  const { style } = format;
  const hasOnlyNotes = findings.length > 0 && findings.every(({ state }) => state === 'note');
  const mark = hasOnlyNotes ? style.paint(NOTE, 'quiet') : style.symbol(TONES[worstState(findings)]);
  const heading = `${mark} ${style.paint(name.padEnd(NAME_WIDTH), 'heading')} ${line(summary)}`;
  const shown = findings.filter((finding) => isShown(name, finding));
  const lines = worstFirst(shown).flatMap((finding) => findingLines(finding, format));
  // A blank line sets a section with findings apart from the next one.
  return [heading, ...lines, ...(lines.length === 0 ? [] : [''])].join('\n');
}

/** Formats the last line: what is wrong in total, and what to do about it. */
export function summaryText(sections: readonly Section[], style: Style): string {
  const findings = sections.flatMap((section) => section.findings);
  const count = (state: FindingState) => findings.filter((finding) => finding.state === state).length;
  const [failures, warnings] = [count('failure'), count('warning')];
  const fixable = findings.filter(({ repair }) => repair !== undefined).length;
  const fixed = findings.filter(({ isFixed }) => isFixed === true).length;
  const parts = [
    ...(failures === 0 ? [] : [style.paint(plural(failures, 'failure'), 'bad')]),
    ...(warnings === 0 ? [] : [style.paint(plural(warnings, 'warning'), 'warning')]),
    ...(fixed === 0 ? [] : [style.paint(`${fixed} fixed`, 'good')]),
  ];
  const head =
    failures + warnings === 0 ? `Everything works${fixed === 0 ? '' : ` (${fixed} fixed)`}.` : `${parts.join(', ')}.`;
  return fixable === 0
    ? head
    : `${head} To fix ${subjectOf(fixable, failures + warnings)}: ${programName()} doctor --fix`;
}

function subjectOf(fixable: number, all: number): string {
  if (fixable < all) return `${fixable} of them`;
  return all === 1 ? 'it' : 'all of them';
}

const NAME_WIDTH = 10;
const NOTE = '·';
const TONES = { ok: 'good', warning: 'warning', failure: 'bad' } as const;

/** The heading already says that everything in a section is fine. Servers and clients are listed one by one, and fixes are shown. */
function isShown(name: Section['name'], { state, isFixed }: Finding): boolean {
  return state !== 'ok' || isFixed === true || name === 'Servers' || name === 'Clients';
}

/** Formats a finding with its details and its fix below it. */
export function findingLines(finding: Finding, format: TextFormat): readonly string[] {
  const { style } = format;
  const { title, state, detail = [], fix, advice } = finding;
  const mark = state === 'note' ? style.paint(NOTE, 'quiet') : style.symbol(TONES[state]);
  const below = [...detail.slice(0, MAX_DETAILS), ...moreText(detail)];
  return [
    ...hanging(`  ${mark} `, line(title), format),
    ...below.flatMap((text) => hanging(INDENT, line(text), format)).map((text) => style.paint(text, 'quiet')),
    ...(advice === undefined ? [] : hanging(INDENT, line(advice), format)),
    // Never wrapped or shortened: half a command is useless.
    ...(fix === undefined ? [] : [`${INDENT}${style.paint('Run:', 'heading')} ${escapeInvisible(fix)}`]),
  ];
}

function moreText(detail: readonly string[]): readonly string[] {
  return detail.length > MAX_DETAILS ? [`… and ${detail.length - MAX_DETAILS} more`] : [];
}

const MAX_DETAILS = 5;
const MAX_LINE = 400;
const INDENT = '    ';

function hanging(prefix: string, text: string, { width }: TextFormat): readonly string[] {
  const [first = '', ...rest] = wrapHanging(text, { width, indent: INDENT });
  return [`${prefix}${first}`, ...rest];
}

function line(text: string): string {
  return escapeInvisible(oneLine(text, MAX_LINE));
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
