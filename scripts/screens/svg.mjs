// @ts-check

/** In pixels. A character of a monospaced font is about 0.6 times as wide as high; `textLength` enforces this for every font. */
const FONT = 14;
const LETTER = 8.4;
const LINE = 20;
const MARGIN = 16;
const INK = '#24292f';

/** How the colours and weights of a terminal look on a light background, by their number. */
const TONES = new Map([
  ['1', 'font-weight="bold"'],
  ['2', 'fill="#6e7781"'],
  ['31', 'fill="#b42318"'],
  ['32', 'fill="#1a7f37"'],
  ['33', 'fill="#9a6700"'],
]);

/**
 * Renders lines of text as a self-contained SVG image.
 *
 * @param {readonly (readonly import('./terminal-emulator.mjs').Run[])[]} lines
 * @param {{ readonly columns: number, readonly title: string }} about
 */
export function drawLines(lines, { columns, title }) {
  const width = Math.ceil(columns * LETTER + 2 * MARGIN);
  const height = lines.length * LINE + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6" fill="#fbfbfa" stroke="#d5d5d0"/>`,
    `<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT}" fill="${INK}">`,
    ...lines.flatMap(drawLine),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Each run of a tone has its own position, so that a wide symbol does not move the rest of its line. @param {readonly import('./terminal-emulator.mjs').Run[]} runs @param {number} row */
function drawLine(runs, row) {
  const baseline = MARGIN + row * LINE + FONT;
  let column = 0;
  return runs.map(({ text, tone }) => {
    const [left, length] = [MARGIN + column * LETTER, [...text].length * LETTER].map((size) => Number(size.toFixed(1)));
    column += [...text].length;
    const look = tone === '' ? '' : ` ${toneOf(tone)}`;
    return `<text x="${left}" y="${baseline}" textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"${look}>${escaped(text)}</text>`;
  });
}

/** @param {string} tone */
function toneOf(tone) {
  const look = TONES.get(tone);
  if (look === undefined) throw new Error(`Unsupported colour: ${tone}`);
  return look;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
