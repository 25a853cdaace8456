import { displayWidth, padToWidth, truncateToWidth } from '../../base/text/display-width.ts';

/** How a table shrinks when it is too wide. Columns are numbers, from 0. */
export interface ColumnFit {
  /** Width of the terminal; undefined without a terminal, so that nothing is truncated. */
  readonly width: number | undefined;
  /** Columns to truncate, in this order, and the width that each keeps. */
  readonly cut: readonly { readonly column: number; readonly keeps: number }[];
  /** Columns to drop, in this order, when truncation is not enough. */
  readonly drop: readonly number[];
  /** The column that identifies the row, truncated last of all. */
  readonly name: number;
  /** Adds colours to a padded cell. Rows and columns are numbers, from 0; row 0 is the head. */
  readonly paint?: ((cell: string, row: number, column: number) => string) | undefined;
}

/** Between two columns. */
export const GAP = '  ';
/** Minimum width of a truncated text, so that it stays recognizable. */
export const MIN_COLUMN_WIDTH = 6;

/** Formats one line per row, all equally wide, and none wider than the terminal. */
export function alignColumns(rows: readonly (readonly string[])[], fit: ColumnFit): readonly string[] {
  const limit = fit.width ?? Number.POSITIVE_INFINITY;
  const wanted = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((cells) => displayWidth(cells[column] ?? ''))),
  );
  const columns = visibleColumns(wanted, fit, limit);
  const widths = shrinkWidths(wanted, columns, { fitting: fit, limit });
  const fitsWithGap = lineWidth(widths, columns, GAP) <= limit;
  const toCell = (cells: readonly string[], column: number) =>
    padToWidth(truncateToWidth(cells[column] ?? '', widths[column] ?? 0), widths[column] ?? 0);
  const gap = fitsWithGap ? GAP : NARROW_GAP;
  const { paint = (cell: string) => cell } = fit;
  return rows.map((cells, row) => {
    const line = columns.map((column) => toCell(cells, column)).join(gap);
    // If the line is still too wide: dropping trailing blanks needs no truncation mark.
    if (displayWidth(line) > limit) return truncateToWidth(line.trimEnd(), limit);
    return columns.map((column) => paint(toCell(cells, column), row, column)).join(gap);
  });
}

const NARROW_GAP = ' ';

/** Drops as few columns as possible: assumes the minimum width for columns that can be truncated. */
function visibleColumns(wanted: readonly number[], { cut, drop }: ColumnFit, limit: number): readonly number[] {
  const minWidths = wanted.map((width, column) =>
    Math.min(width, cut.find((one) => one.column === column)?.keeps ?? width),
  );
  let kept = [...wanted.keys()];
  for (const column of drop) {
    if (lineWidth(minWidths, kept, NARROW_GAP) <= limit) break;
    kept = kept.filter((one) => one !== column);
  }
  return kept;
}

function shrinkWidths(
  wanted: readonly number[],
  columns: readonly number[],
  { fitting: { cut, name }, limit }: { readonly fitting: ColumnFit; readonly limit: number },
): readonly number[] {
  const widths = [...wanted];
  for (const { column, keeps } of [...cut, { column: name, keeps: MIN_COLUMN_WIDTH }]) {
    const own = widths[column] ?? 0;
    const over = lineWidth(widths, columns, NARROW_GAP) - limit;
    if (over > 0 && columns.includes(column)) widths[column] = Math.max(own - over, Math.min(own, keeps));
  }
  return widths;
}

function lineWidth(widths: readonly number[], columns: readonly number[], gap: string): number {
  const text = columns.reduce((total, column) => total + (widths[column] ?? 0), 0);
  return text + gap.length * Math.max(columns.length - 1, 0);
}
