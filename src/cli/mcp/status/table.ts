import { displayWidth, truncateToWidth } from '../../../base/text/display-width.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import type { ServerState, SessionSummary } from '../../../control/status/running-status.ts';
import { alignColumns, GAP, MIN_COLUMN_WIDTH } from '../../terminal/columns.ts';
import type { Style, Tone } from '../../terminal/style.ts';
import { formatCallTime } from '../../terminal/time.ts';

/** One row, from a running instance or from the config, which does not have all fields. */
export interface TableRow {
  readonly id: string;
  readonly transport: 'stdio' | 'http' | undefined;
  readonly source: string;
  readonly enabled: boolean;
  readonly state: ServerState | '-';
  readonly tools?: number;
  readonly hiddenTools?: number | undefined;
  readonly calls?: number;
  readonly underWay?: number | undefined;
  readonly p50Ms?: number | undefined;
  readonly note?: string | undefined;
  readonly next?: string | undefined;
}

/**
 * Formats one line per server, none wider than `width`: the note takes the remaining space. If that is too narrow, the
 * note follows below the row. Without a terminal, `width` is undefined and nothing is truncated.
 */
export function serverTable(rows: readonly TableRow[], width: number | undefined, style?: Style): readonly string[] {
  const cells = rows.map((row) => cellsOf(row, style));
  return table({ rows, cells, head: HEAD, width, style });
}

/** Formats the same table without columns in which no row has a value, for a person who has only a config. */
export function briefTable(rows: readonly TableRow[], width: number | undefined, style?: Style): readonly string[] {
  const cells = rows.map((row) => cellsOf(row, style));
  const hasValue = (_: string, column: number) => cells.some((row) => row[column] !== NO_VALUE);
  const head = HEAD.filter(hasValue);
  return table({ rows, cells: cells.map((row) => row.filter(hasValue)), head, width, style });
}

interface TableParts {
  readonly rows: readonly TableRow[];
  readonly cells: readonly (readonly string[])[];
  readonly head: readonly string[];
  readonly width: number | undefined;
  readonly style: Style | undefined;
}

function table({ rows, cells, head, width, style }: TableParts): readonly string[] {
  const state = head.indexOf(STATE);
  const paint = (cell: string, index: number, column: number) => {
    const row = rows[index - 1];
    return row === undefined || column !== state ? cell : (style?.paint(cell, TONES[row.state]) ?? cell);
  };
  const lines = alignColumns([head, ...cells], { width, ...columnFit(head), paint });
  const room = (width ?? Number.POSITIVE_INFINITY) - displayWidth(lines[0] ?? '') - GAP.length;
  const hasNotes = rows.some((row) => noteOf(row, MIN_NOTE_WIDTH) !== '');
  const fitsBesideRow = room >= (hasNotes ? MIN_NOTE_WIDTH : NOTE.length);
  const isHeaded = fitsBesideRow && (hasNotes || head === HEAD);
  return lines.flatMap((line, index) => {
    const row = rows[index - 1];
    if (row === undefined) return [isHeaded ? `${line}${GAP}${NOTE}` : line.trimEnd()];
    if (fitsBesideRow) return [`${line}${GAP}${noteOf(row, room)}`.trimEnd()];
    return [line.trimEnd(), ...notesBelow(row, (width ?? 0) - INDENT.length).map((note) => `${INDENT}${note}`)];
  });
}

/** Formats the sessions of a codex server. */
export function sessionTable(sessions: readonly SessionSummary[], width: number | undefined): readonly string[] {
  const rows = sessions.map(({ id, state, questions, cwd = '-', title = '' }) => [
    quoteIfNeeded(id),
    oneLine(state),
    String(questions),
    oneLine(cwd),
    oneLine(title),
  ]);
  const cut = [TITLE, FOLDER].map((column) => ({ column, keeps: MIN_COLUMN_WIDTH }));
  const lines = alignColumns([SESSION_HEAD, ...rows], { width, cut, drop: [], name: 0 });
  return lines.map((line) => line.trimEnd());
}

const HEAD = ['id', 'transport', 'source', 'enabled', 'state', 'tools', 'calls', 'p50'];
const NOTE = 'note';
const STATE = 'state';
const NO_VALUE = '-';
const TONES: Readonly<Record<TableRow['state'], Tone>> = {
  ...{ ready: 'good', degraded: 'warning', auth_required: 'warning', connecting: 'warning', error: 'bad' },
  ...{ disabled: 'quiet', '-': 'quiet' },
};
/** Drops `enabled` first, because the state shows it too; keeps id, state and tools to the last. */
function columnFit(head: readonly string[]) {
  return {
    cut: [{ column: head.indexOf('source'), keeps: MIN_COLUMN_WIDTH }],
    drop: ['enabled', 'transport', 'source', 'p50', 'calls'].map((name) => head.indexOf(name)),
    name: head.indexOf('id'),
  };
}

const SESSION_HEAD = ['session', 'state', 'questions', 'folder', 'title'];
const FOLDER = SESSION_HEAD.indexOf('folder');
const TITLE = SESSION_HEAD.indexOf('title');
const INDENT = '    ';
/** A narrower note is not worth reading. */
const MIN_NOTE_WIDTH = 30;

function cellsOf(row: TableRow, style: Style | undefined): readonly string[] {
  const { id, transport = '-', source, enabled, state, tools, hiddenTools = 0, calls, underWay = 0, p50Ms } = row;
  const hidden = hiddenTools === 0 ? '' : ` (${hiddenTools} hidden)`;
  const pending = underWay === 0 ? '' : `+${underWay}`;
  return [
    ...[quoteIfNeeded(id), transport, oneLine(source), enabled ? 'yes' : 'no', stateText(state, style)],
    ...[tools === undefined ? '-' : `${tools}${hidden}`, calls === undefined ? '-' : `${calls}${pending}`],
    p50Ms === undefined ? '-' : formatCallTime(p50Ms),
  ];
}

/** The colour is added later: it has no width. */
function stateText(state: TableRow['state'], style: Style | undefined): string {
  const tone = TONES[state];
  if (style === undefined || !style.hasColour || tone === 'quiet' || tone === 'heading') return state;
  return `${style.bareSymbol(tone)} ${state}`;
}

/** Formats the problem, then the command to type. Truncates the command last. */
function noteOf(row: TableRow, room: number): string {
  const { why, command } = noteParts(row);
  if (command === '' || why === '') return truncateToWidth(`${why}${command}`, room);
  const rest = room - displayWidth(`${ARROW}${command}`);
  return rest < MIN_COLUMN_WIDTH ? truncateToWidth(command, room) : `${truncateToWidth(why, rest)}${ARROW}${command}`;
}

/** Formats the same below a row. The command gets a line of its own if both do not fit on one. */
function notesBelow(row: TableRow, room: number): readonly string[] {
  const { why, command } = noteParts(row);
  const isLong = why !== '' && command !== '' && displayWidth(`${why}${ARROW}${command}`) > room;
  const lines = isLong && room >= MIN_NOTE_WIDTH ? [why, `${ARROW.trimStart()}${command}`] : [noteOf(row, room)];
  return lines.filter((line) => line !== '').map((line) => truncateToWidth(line, room));
}

function noteParts({ note = '', next = '' }: TableRow): { readonly why: string; readonly command: string } {
  const why = oneLine(note);
  return { why, command: why.includes(next) ? '' : oneLine(next) };
}

const ARROW = ' → ';
