// @ts-check

/**
 * Neighbouring characters of the same tone, which is the number of a colour or weight in a control sequence.
 *
 * @typedef {{ text: string, tone: string }} Run
 */

/**
 * Returns the lines on a terminal after a program has written this text, including the scrollback.
 * Supports the sequences that our commands and Node's readline write. Throws for any other.
 *
 * @param {string} text @param {{ readonly columns: number }} size @returns {readonly string[]}
 */
export function readScreen(text, size) {
  return readRuns(text, size).map(textOf);
}

/** Returns the same lines with their colours. @param {string} text @param {{ readonly columns: number }} size */
export function readRuns(text, { columns }) {
  let screen = blankScreen();
  /** @type {typeof screen[]} */
  const others = [];
  for (const [piece, , mark = '', numbers = '', final = ''] of text.matchAll(PIECES)) {
    if (final !== '') screen = steer(screen, { mark, number: numbers, final, others });
    else if (piece === '\r') screen.column = 0;
    else if (piece === '\n') screen.row++;
    else if (piece === '\b') screen.column = Math.max(0, screen.column - 1);
    else if (piece < ' ') throw new Error(`Unsupported control character: ${JSON.stringify(piece)}`);
    else put(screen, piece, columns);
  }
  const lines = Array.from({ length: screen.lines.length }, (_, row) => runsOf(screen.lines[row] ?? []));
  while (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

/** @param {readonly Run[]} runs */
export function textOf(runs) {
  return runs.map(({ text }) => text).join('');
}

const ESCAPE = '\u001b';
/** A control sequence, or one character. */
const PIECES = new RegExp(`(${ESCAPE}\\[([?]?)([\\d;]*)([A-Za-z]))|.`, 'gsu');

function blankScreen() {
  return { row: 0, column: 0, wraps: true, tone: '', lines: /** @type {Run[][]} */ ([]) };
}

/** @typedef {ReturnType<typeof blankScreen>} Screen */

/** @param {Screen} screen @param {string} character @param {number} columns */
function put(screen, character, columns) {
  if (screen.column === columns && screen.wraps) {
    screen.row++;
    screen.column = 0;
  }
  lineOf(screen)[Math.min(screen.column, columns - 1)] = { text: character, tone: screen.tone };
  screen.column = Math.min(screen.column + 1, columns);
}

/** @param {Screen} screen @returns {Run[]} */
function lineOf({ lines, row }) {
  const line = lines[row] ?? [];
  lines[row] = line;
  return line;
}

/**
 * @param {Screen} screen
 * @param {{ mark: string, number: string, final: string, others: Screen[] }} sequence
 * @returns {Screen} the screen that is visible from now on
 */
function steer(screen, { mark, number, final, others }) {
  const count = Number(number || 1);
  switch (`${mark}${final}`) {
    case 'A':
      screen.row = Math.max(0, screen.row - count);
      return screen;
    case 'C':
      screen.column += count;
      return screen;
    case 'D':
      screen.column = Math.max(0, screen.column - count);
      return screen;
    case 'G':
      screen.column = count - 1;
      return screen;
    case 'H':
      Object.assign(screen, { row: 0, column: 0 });
      return screen;
    case 'J':
      lineOf(screen).length = Math.min(screen.column, lineOf(screen).length);
      screen.lines.length = screen.row + 1;
      return screen;
    case 'K':
      lineOf(screen).length = Math.min(screen.column, lineOf(screen).length);
      return screen;
    case 'm':
      screen.tone = /^(0?|22|39)$/.test(number) ? '' : number;
      return screen;
    case '?h':
    case '?l':
      return switchMode(screen, { mode: number, isOn: final === 'h', others });
  }
  throw new Error(`Unsupported control sequence: ESC [ ${mark}${number}${final}`);
}

/** @param {Screen} screen @param {{ mode: string, isOn: boolean, others: Screen[] }} change @returns {Screen} */
function switchMode(screen, { mode, isOn, others }) {
  if (mode === '25') return screen; // the cursor, which is not drawn
  if (mode === '7') screen.wraps = isOn;
  if (mode === '7') return screen;
  if (mode !== '1049') throw new Error(`Unsupported terminal mode: ${mode}`);
  if (!isOn) return others.pop() ?? screen;
  others.push(screen);
  return blankScreen();
}

/** Joins neighbouring cells of the same tone. Positions that were never written are spaces. @param {Run[]} line */
function runsOf(line) {
  /** @type {Run[]} */
  const runs = [];
  for (const { text, tone } of Array.from(line, (cell) => cell ?? { text: ' ', tone: '' })) {
    const last = runs.at(-1);
    if (last !== undefined && (last.tone === tone || text === ' ')) last.text += text;
    else runs.push({ text, tone });
  }
  const last = runs.at(-1);
  if (last !== undefined) last.text = last.text.trimEnd();
  return last?.text === '' ? runs.slice(0, -1) : runs;
}
