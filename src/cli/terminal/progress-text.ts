import { clipToWidth } from '../../base/text/display-width.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import type { Progress } from '../../upstream/connection/own-request.ts';

/** Formats `[#####---------------] 1/4 message`, truncated to the width. */
export function progressText(
  { progress, total, message }: Readonly<Partial<Record<keyof Progress, unknown>>>,
  width: number,
): string {
  const done = typeof progress === 'number' && Number.isFinite(progress) ? progress : undefined;
  const all = typeof total === 'number' && Number.isFinite(total) && total > 0 ? total : undefined;
  const words = typeof message === 'string' ? oneLine(message, width) : '';
  const count = done === undefined ? '' : `${shortNumber(done)}${all === undefined ? '' : `/${shortNumber(all)}`}`;
  const bar = done === undefined || all === undefined ? '' : barText(done / all);
  return clipToWidth([bar, count, words].filter((part) => part !== '').join(' '), width);
}

const BAR_WIDTH = 20;

function barText(share: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
}

function shortNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toFixed(2)));
}
