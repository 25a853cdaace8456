/**
 * Whether a URI could have come from a template (RFC 6570). Never backtracks: the time is bounded by the length of the
 * two, whatever a server wrote into its template.
 */
export function matchesTemplate(uri: string, template: string): boolean {
  const parts = split(template);
  if (parts === undefined) return false;
  let at = 0;
  for (const [index, { literal, variable }] of parts.entries()) {
    if (!uri.startsWith(literal, at)) return false;
    at += literal.length;
    if (variable === undefined) continue;
    const next = parts[index + 1] ?? NOTHING;
    const end = endOfValue(uri, at + (isOptional(variable) ? 0 : 1), next);
    if (end < at || !isAllowedValue(uri.slice(at, end), variable)) return false;
    at = end;
  }
  return at === uri.length;
}

/** A value reaches to the literal that follows: to the last one that ends the URI, else to the next. */
function endOfValue(uri: string, from: number, { literal, variable }: Part): number {
  const isLast = variable === undefined;
  if (literal !== '') {
    return isLast && uri.endsWith(literal) ? uri.length - literal.length : uri.indexOf(literal, from);
  }
  // An expression such as `{/rest}` brings its own beginning.
  const start = isLast || !isOptional(variable) ? -1 : uri.indexOf(variable.charAt(0), from);
  return start === -1 ? uri.length : start;
}

interface Part {
  readonly literal: string;
  /** The expression that follows the literal, without its braces. */
  readonly variable: string | undefined;
}

const NOTHING: Part = { literal: '', variable: undefined };

function split(template: string): Part[] | undefined {
  const parts: Part[] = [];
  let at = 0;
  for (let open = template.indexOf('{'); open !== -1; open = template.indexOf('{', at)) {
    const close = template.indexOf('}', open);
    if (close === -1) return undefined;
    parts.push({ literal: template.slice(at, open), variable: template.slice(open + 1, close) });
    at = close + 1;
  }
  parts.push({ literal: template.slice(at), variable: undefined });
  return parts;
}

/** A plain variable stands for one segment; the operators for more, or for nothing at all. */
function isAllowedValue(value: string, variable: string): boolean {
  if (/^[+#]/.test(variable) || variable.endsWith('*')) return value !== '' || isOptional(variable);
  if (/^[/?&.;]/.test(variable)) return true;
  return value !== '' && !value.includes('/');
}

function isOptional(variable: string): boolean {
  return /^[/?&.;#]/.test(variable);
}
