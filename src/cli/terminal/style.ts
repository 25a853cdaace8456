/** Colours and symbols of one output stream. Without colours, `paint` returns the text unchanged. */
export interface Style {
  readonly hasColour: boolean;
  paint(text: string, tone: Tone): string;
  /** Returns ✓, ⚠ or ✗ in its colour, or an ASCII character if the locale is not UTF-8. */
  symbol(tone: SymbolTone): string;
  /** Returns the same without a colour, for text whose width counts. */
  bareSymbol(tone: SymbolTone): string;
}

type SymbolTone = 'good' | 'warning' | 'bad';
export type Tone = SymbolTone | 'quiet' | 'heading';

type Env = Readonly<Record<string, string | undefined>>;

export function createStyle({ isTerminal, env }: { readonly isTerminal: boolean; readonly env: Env }): Style {
  const hasColour = wantsColour(env, isTerminal);
  const symbols = isUtf8(env) ? UNICODE : ASCII;
  const paint = (text: string, tone: Tone) => {
    const [on, off] = CODES[tone];
    return hasColour && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  };
  return { hasColour, paint, symbol: (tone) => paint(symbols[tone], tone), bareSymbol: (tone) => symbols[tone] };
}

const UNICODE: Readonly<Record<SymbolTone, string>> = { good: '✓', warning: '⚠', bad: '✗' };
const ASCII: Readonly<Record<SymbolTone, string>> = { good: '+', warning: '!', bad: 'x' };

/** The 16 basic colours, which every terminal shows in its own theme. */
const CODES: Readonly<Record<Tone, readonly [on: number, off: number]>> = {
  good: [32, 39],
  warning: [33, 39],
  bad: [31, 39],
  quiet: [2, 22],
  heading: [1, 22],
};

/** `FORCE_COLOR` wins over `NO_COLOR`, as in Node.js. A pipe and a dumb terminal get no colours. */
function wantsColour({ FORCE_COLOR, NO_COLOR, TERM }: Env, isTerminal: boolean): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  return isTerminal && TERM !== 'dumb';
}

/** The first variable that is set decides. If none is set, most terminals still show UTF-8. */
function isUtf8({ LC_ALL, LC_CTYPE, LANG }: Env): boolean {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== '');
  return locale === undefined || /utf-?8/i.test(locale);
}
