// @ts-check

/** In pixels. A character of a monospaced font is about 0.6 times as wide as high; `textLength` enforces this for every font. */
const FONT = 14;
const LETTER = 8.4;
const LINE = 20;
const MARGIN = 16;

/**
 * Renders lines of text as a self-contained SVG image.
 *
 * @param {readonly string[]} lines @param {{ readonly columns: number, readonly title: string }} about
 */
export function drawLines(lines, { columns, title }) {
  const width = Math.ceil(columns * LETTER + 2 * MARGIN);
  const height = lines.length * LINE + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6" fill="#fbfbfa" stroke="#d5d5d0"/>`,
    `<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT}" fill="#24292f">`,
    ...lines.flatMap((line, row) => (line === '' ? [] : [drawLine(line, row)])),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** @param {string} line @param {number} row */
function drawLine(line, row) {
  const length = Number(([...line].length * LETTER).toFixed(1));
  const baseline = MARGIN + row * LINE + FONT;
  return `<text x="${MARGIN}" y="${baseline}" textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">${escaped(line)}</text>`;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
