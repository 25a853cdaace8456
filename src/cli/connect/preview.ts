import { AppError } from '../../base/errors.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import type { DocumentFormat } from '../../clients/connect/format/document-format.ts';
import { createConfigMask } from '../../clients/connect/mask-config.ts';
import { changesFile } from '../../clients/connect/plan-connect.ts';
import type { FilePlan } from '../../clients/connect/plan-disconnect.ts';
import { unifiedDiff } from '../../clients/connect/unified-diff.ts';
import type { CommandContext } from '../command-context.ts';
import { canPrompt, confirm } from '../terminal/confirm.ts';
import { type LineTones, paintLines } from '../terminal/paint-lines.ts';
import { createStyle } from '../terminal/style.ts';

/** Returns the change of a file as a unified diff with secrets masked. */
function previewText(plan: FilePlan, format: DocumentFormat): string {
  return diffLines(plan, format).join('\n');
}

function diffLines({ target, file, current, next }: FilePlan, format: DocumentFormat): readonly string[] {
  const [before, after] = [current, next].map((content) => content?.toString('utf8') ?? '');
  const contents = [before, after].map((text = '') => contentOf(text, { file, format }));
  const mask = createConfigMask(...contents);
  const name = escapeInvisible(file);
  return [
    `${target.client.title}:`,
    `--- ${current === undefined ? '(no file)' : name}`,
    `+++ ${next === undefined ? '(no file)' : name}`,
    ...unifiedDiff(before ?? '', after ?? '').map((line) => safeLine(`${line.slice(0, 1)}${mask(line.slice(1))}`)),
  ];
}

/** Keeps tabs, which many files are indented with. */
function safeLine(line: string): string {
  return line.split('\t').map(escapeInvisible).join('\t');
}

function contentOf(
  text: string,
  { file, format }: { readonly file: string; readonly format: DocumentFormat },
): unknown {
  return text.trim() === '' ? {} : format.parse(text, file);
}

interface Consent {
  /** For the user to type, without `--yes`. */
  readonly command: string;
  readonly isGiven: boolean;
  readonly plans: readonly FilePlan[];
}

/**
 * Returns when the user agrees to the shown changes. Throws USAGE without a terminal, and DENIED when the user
 * declines.
 */
export async function requireConsent({ command, isGiven, plans }: Consent): Promise<void> {
  const count = plans.filter(changesFile).length;
  if (isGiven || count === 0) return;
  if (!canPrompt())
    throw new AppError('USAGE', `Nothing was changed. To make these changes without a terminal, run: ${command} --yes`);
  const subject = count === 1 ? 'this change' : `these changes to ${count} files`;
  if (await confirm(`\nMake ${subject}? [y/N] `, 'Nothing was changed.')) return;
  throw new AppError('DENIED', 'Nothing was changed.');
}

export function showPlans(
  plans: readonly { readonly plan: FilePlan; readonly format: DocumentFormat }[],
  { output, env }: Pick<CommandContext, 'output' | 'env'>,
): void {
  const changed = plans.filter(({ plan }) => changesFile(plan));
  if (changed.length === 0) return;
  const style = createStyle({ isTerminal: output.screen !== undefined, env });
  const text = changed.map(({ plan, format }) => previewText(plan, format)).join('\n\n');
  output.answer(paintLines(text, DIFF_TONES, style));
}

const DIFF_TONES: LineTones = [
  [/^(?:---|\+\+\+|@@) .*/, 'quiet'],
  [/^\+.*/, 'good'],
  [/^-.*/, 'bad'],
  [/^\S.*:$/, 'heading'],
];
