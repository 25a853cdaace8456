import { truncateToWidth } from '../../../base/text/display-width.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { alignColumns, MIN_COLUMN_WIDTH } from '../../terminal/columns.ts';
import type { Style, Tone } from '../../terminal/style.ts';
import { type ServerRow, sourceOf, targetOf } from './rows.ts';

/** One server and its authentication. */
export interface ListedServer {
  readonly row: ServerRow;
  readonly auth: string;
  /** The clients that see it; undefined if no client is known. */
  readonly usedBy?: readonly string[] | undefined;
}

/**
 * Formats one line per server, none wider than `width`; on a terminal, the fault of a broken entry follows on the next
 * line. Without a terminal, `width` is undefined and nothing is truncated.
 */
export function listTable(
  servers: readonly ListedServer[],
  width: number | undefined,
  style?: Style,
): readonly string[] {
  const hasUsers = servers.some(({ usedBy }) => usedBy !== undefined);
  const cells = servers.map(({ row, auth, usedBy = [] }) => [
    ...[quoteIfNeeded(row.id), row.settings?.kind ?? '-', sourceOf(row), enabledText(row)],
    ...[targetCell(row, width), auth],
    ...(hasUsers ? [usedBy.length === 0 ? '-' : usedBy.join(', ')] : []),
  ]);
  const paint = (cell: string, index: number, column: number) => {
    const row = servers[index - 1]?.row;
    return row === undefined || column !== ENABLED ? cell : (style?.paint(cell, toneOf(row)) ?? cell);
  };
  const lines = alignColumns([hasUsers ? [...HEAD, 'used by'] : HEAD, ...cells], {
    width,
    ...columnFit(hasUsers),
    paint,
  }).map((line) => line.trimEnd());
  if (width === undefined) return lines;
  return lines.flatMap((line, index) => {
    const row = servers[index - 1]?.row;
    return row?.state === 'broken' ? [line, truncateToWidth(`${INDENT}${faultOf(row)}`, width)] : [line];
  });
}

const HEAD = ['id', 'transport', 'source', 'enabled', 'target', 'auth'];
const ENABLED = HEAD.indexOf('enabled');
const USED_BY = HEAD.length;

function columnFit(hasUsers: boolean) {
  return {
    cut: [
      { column: HEAD.indexOf('target'), keeps: 20 },
      { column: HEAD.indexOf('source'), keeps: MIN_COLUMN_WIDTH },
      ...(hasUsers ? [{ column: USED_BY, keeps: MIN_COLUMN_WIDTH }] : []),
    ],
    drop: [
      ...['transport', 'source'].map((name) => HEAD.indexOf(name)),
      ...(hasUsers ? [USED_BY] : []),
      HEAD.indexOf('auth'),
    ],
    name: HEAD.indexOf('id'),
  };
}

const INDENT = '    ';
const MAX_TARGET = 70;

/** For a broken entry only the fault matters. */
function targetCell(row: ServerRow, width: number | undefined): string {
  if (row.state !== 'broken') return oneLine(targetOf(row), width === undefined ? undefined : MAX_TARGET);
  return width === undefined ? faultOf(row) : '-';
}

function faultOf({ reason = '' }: ServerRow): string {
  return oneLine(escapeInvisible(reason));
}

function toneOf({ state }: ServerRow): Tone {
  return TONES[state];
}

const TONES: Readonly<Record<ServerRow['state'], Tone>> = {
  ...{ on: 'good', off: 'quiet', untrusted: 'warning', broken: 'bad' },
};

function enabledText({ state, reason, settings, switchedOffBy }: ServerRow): string {
  switch (state) {
    case 'on':
      return 'yes';
    case 'off':
      if (switchedOffBy !== undefined) return `no (by ${switchedOffBy.layer})`;
      if (reason === undefined) return 'no';
      return settings === undefined ? 'no (not defined)' : 'no (itself)';
    case 'untrusted':
      return 'no (untrusted)';
    case 'broken':
      return 'broken';
  }
}
