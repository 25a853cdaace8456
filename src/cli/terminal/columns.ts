import { displayWidth, padToWidth, truncate } from './width.ts';

/** How a table gives way where it is too wide. Columns are numbers, from 0. */
export interface ColumnFit {
  /** Of the terminal; undefined: there is none, and nothing is cut. */
  readonly width: number | undefined;
  /** These are cut, the first first, and each keeps so much. */
  readonly cut: readonly { readonly column: number; readonly keeps: number }[];
  /** These go as a whole, the first first, where cutting is not enough. */
  readonly drop: readonly number[];
  /** This one says whose row it is, and is cut when nothing else is left to give. */
  readonly name: number;
}

/** Between two columns. */
export const GAP = '  ';
/** What a text that is cut keeps, so that one can guess at the rest. */
export const MIN_COLUMN_WIDTH = 6;

/** One line for each row, all equally wide, and none wider than the terminal. */
export function alignColumns(rows: readonly (readonly string[])[], fit: ColumnFit): readonly string[] {
  const limit = fit.width ?? Number.POSITIVE_INFINITY;
  const wanted = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((cells) => displayWidth(cells[column] ?? ''))),
  );
  const columns = visibleColumns(wanted, fit, limit);
  const widths = shrinkWidths(wanted, columns, { fitting: fit, limit });
  const isRoomy = lineWidth(widths, columns, GAP) <= limit;
  const toLine = (cells: readonly string[]) =>
    columns
      .map((column) => padToWidth(truncate(cells[column] ?? '', widths[column] ?? 0), widths[column] ?? 0))
      .join(isRoomy ? GAP : NARROW_GAP);
  return rows.map((cells) => {
    const line = toLine(cells);
    // Where even that was not enough: blanks are no loss that should be marked.
    return displayWidth(line) <= limit ? line : truncate(line.trimEnd(), limit);
  });
}

const NARROW_GAP = ' ';

/** As few go as possible: what can be cut is thought of as cut. */
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
