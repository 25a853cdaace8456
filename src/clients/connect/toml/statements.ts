/** A part of a TOML text. Blank lines and comments between two statements belong to neither. */
export interface Statement {
  readonly kind: 'header' | 'value';
  /** Of a header: the whole path of its table. Of a value: its key below the table. */
  readonly key: readonly string[];
  /** Start of its first line. */
  readonly start: number;
  /** After its last line break, or the end of the text. Includes a comment at the end of the line. */
  readonly end: number;
}

/** Returns the statements of a text in order. Only for text that a TOML parser accepts: it does not validate again. */
export function readStatements(text: string): readonly Statement[] {
  const found: Statement[] = [];
  let start = text.startsWith('\ufeff') ? 1 : 0;
  while (start < text.length) {
    const first = skip(text, start, BLANKS);
    const char = text.charAt(first);
    const isEmptyLine = char === '' || char === '#' || char === '\n' || char === '\r';
    const end = lineEnd(text, isEmptyLine ? first : statementEnd(text, first));
    if (!isEmptyLine)
      found.push({
        kind: char === '[' ? 'header' : 'value',
        key: readKey(text, skip(text, first, /[[ \t]*/y)),
        start,
        end,
      });
    start = end;
  }
  return found;
}

const BLANKS = /[ \t]*/y;

function skip(text: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at + 1;
}

/** Returns the end of a header or of a value: the first line break outside of strings and brackets. */
function statementEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; ) {
    const char = text.charAt(at);
    if (char === '\n' && depth === 0) return at;
    if (char === '"' || char === "'") {
      at = stringEnd(text, at);
      continue;
    }
    if (char === '#') {
      at = lineEnd(text, at) - 1;
      // A comment in the last line, which has no line break.
      if (text.charAt(at) !== '\n') return text.length;
      continue;
    }
    if (char === '[' || char === '{') depth++;
    else if (char === ']' || char === '}') depth--;
    at++;
  }
  return text.length;
}

function stringEnd(text: string, from: number): number {
  const pattern = text.startsWith('"""', from)
    ? /"""(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{3,5}/y
    : text.startsWith("'''", from)
      ? /'''(?:[^']|'{1,2}(?!'))*'{3,5}/y
      : text.charAt(from) === '"'
        ? /"(?:[^"\\]|\\.)*"/y
        : /'[^']*'/y;
  pattern.lastIndex = from;
  // Text that is valid always matches.
  return pattern.test(text) ? pattern.lastIndex : text.length;
}

/** Reads a dotted key: `mcp_servers."my server".env`. */
function readKey(text: string, from: number): readonly string[] {
  const parts: string[] = [];
  const part = /[ \t]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))[ \t]*(\.?)/y;
  part.lastIndex = from;
  for (let match = part.exec(text); match !== null; match = part.exec(text)) {
    const [, basic, literal, bare = '', dot] = match;
    parts.push(basic === undefined ? (literal ?? bare) : unescapeBasic(basic));
    if (dot !== '.') break;
  }
  return parts;
}

/** TOML has two escapes that JSON lacks, and allows a tab. */
function unescapeBasic(text: string): string {
  const json = text
    .replaceAll('\t', '\\t')
    .replace(/\\U([0-9A-Fa-f]{8})/g, (_, hex: string) =>
      JSON.stringify(String.fromCodePoint(Number.parseInt(hex, 16))).slice(1, -1),
    )
    .replaceAll('\\e', '\\u001b');
  const parsed: unknown = JSON.parse(`"${json}"`);
  return String(parsed);
}
