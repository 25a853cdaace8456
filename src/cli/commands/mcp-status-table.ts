import { oneLine } from '../../base/text.ts';
import { visibleWord } from '../../config/visible-text.ts';
import type { ServerState, SessionSummary } from '../../control/status.ts';
import { callWords } from './mcp-status-time.ts';
import { cutTo, pad, widthOf } from './mcp-status-width.ts';

/** What a row says, of one that runs or of the config alone, which does not know all of it. */
export interface TableRow {
  readonly id: string;
  readonly transport: 'stdio' | 'http' | undefined;
  readonly source: string;
  readonly enabled: boolean;
  readonly state: ServerState | '-';
  readonly tools?: number;
  readonly calls?: number;
  readonly underWay?: number;
  readonly p50Ms?: number;
  readonly note?: string;
  readonly next?: string;
}

/**
 * One line for each server, none wider than `width`: the note takes what the others leave. Where that is too little to
 * be read it stands below its row. Undefined: no terminal, nothing is cut.
 */
export function serverTable(rows: readonly TableRow[], width: number | undefined): readonly string[] {
  const lines = align([HEAD, ...rows.map(cellsOf)], { width, cuttable: [SOURCE, ID] });
  const room = (width ?? Number.POSITIVE_INFINITY) - widthOf(lines[0] ?? '') - GAP.length;
  const hasNotes = rows.some((row) => noteOf(row, NOTE_ROOM) !== '');
  const isBeside = room >= (hasNotes ? NOTE_ROOM : NOTE.length);
  return lines.flatMap((line, index) => {
    const row = rows[index - 1];
    if (row === undefined) return [isBeside ? `${line}${GAP}${NOTE}` : line.trimEnd()];
    if (isBeside) return [`${line}${GAP}${noteOf(row, room)}`.trimEnd()];
    const note = noteOf(row, (width ?? 0) - INDENT.length);
    return note === '' ? [line.trimEnd()] : [line.trimEnd(), `${INDENT}${note}`];
  });
}

/** The conversations of a codex server. */
export function sessionTable(sessions: readonly SessionSummary[], width: number | undefined): readonly string[] {
  const rows = sessions.map(({ id, state, questions, cwd = '-', title = '' }) => [
    visibleWord(id),
    oneLine(state),
    String(questions),
    oneLine(cwd),
    oneLine(title),
  ]);
  const lines = align([['session', 'state', 'questions', 'folder', 'title'], ...rows], { width, cuttable: [4, 3, 0] });
  return lines.map((line) => line.trimEnd());
}

const HEAD = ['id', 'transport', 'source', 'enabled', 'state', 'tools', 'calls', 'p50'];
const NOTE = 'note';
const ID = HEAD.indexOf('id');
const SOURCE = HEAD.indexOf('source');
const GAP = '  ';
const INDENT = '    ';
/** A note with less room than this is not worth reading. */
const NOTE_ROOM = 30;
/** What a column that is cut keeps. */
const MIN_CUT = 6;

function cellsOf(row: TableRow): readonly string[] {
  const { id, transport = '-', source, enabled, state, tools, calls, underWay = 0, p50Ms } = row;
  const under = underWay === 0 ? '' : `+${underWay}`;
  return [
    ...[visibleWord(id), transport, oneLine(source), enabled ? 'yes' : 'no', state],
    ...[tools === undefined ? '-' : String(tools), calls === undefined ? '-' : `${calls}${under}`],
    p50Ms === undefined ? '-' : callWords(p50Ms),
  ];
}

/** Why it is not well, then what to type. What to type is cut last. */
function noteOf({ note = '', next }: TableRow, room: number): string {
  const why = oneLine(note);
  const command = next === undefined || why.includes(next) ? '' : oneLine(next);
  if (command === '' || why === '') return cutTo(`${why}${command}`, room);
  const rest = room - widthOf(`${ARROW}${command}`);
  return rest < MIN_CUT ? cutTo(command, room) : `${cutTo(why, rest)}${ARROW}${command}`;
}

const ARROW = ' → ';

/** All lines are equally wide. Where they would be too wide, the columns that may be cut are, in this order. */
function align(
  rows: readonly (readonly string[])[],
  { width, cuttable }: { readonly width: number | undefined; readonly cuttable: readonly number[] },
): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => widthOf(cells[column] ?? ''))));
  const sum = () => widths.reduce((total, one) => total + one, 0);
  const limit = width ?? Number.POSITIVE_INFINITY;
  const gap = sum() + GAP.length * (widths.length - 1) > limit ? ' ' : GAP;
  for (const column of cuttable) {
    const over = sum() + gap.length * (widths.length - 1) - limit;
    const own = widths[column] ?? 0;
    if (over > 0) widths[column] = Math.max(own - over, Math.min(own, MIN_CUT));
  }
  const toLine = (cells: readonly string[]) =>
    cells.map((cell, column) => pad(cutTo(cell, widths[column] ?? 0), widths[column] ?? 0)).join(gap);
  return rows.map((cells) => cutTo(toLine(cells), limit));
}
