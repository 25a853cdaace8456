/** Returns whether a URI matches a template (RFC 6570). */
export function matchesTemplate(uri: string, template: string): boolean {
  return matchTemplate(uri, template) !== undefined;
}

/** An expression of a template, without its braces, and the part of the URI that it matches. */
export interface TemplateMatch {
  readonly expression: string;
  readonly value: string;
}

/**
 * Returns the values of all expressions, or undefined if the URI does not match. Never backtracks: the lengths of the
 * URI and the template bound the running time, whatever template a server sends.
 */
export function matchTemplate(uri: string, template: string): readonly TemplateMatch[] | undefined {
  const parts = split(template);
  if (parts === undefined) return undefined;
  const matches: TemplateMatch[] = [];
  let at = 0;
  for (const [index, { literal, variable }] of parts.entries()) {
    if (!uri.startsWith(literal, at)) return undefined;
    at += literal.length;
    if (variable === undefined) continue;
    const next = parts[index + 1] ?? NOTHING;
    const end = endOfValue(uri, at + (isOptional(variable) ? 0 : 1), next);
    const value = uri.slice(at, end);
    if (end < at || !isAllowedValue(value, variable)) return undefined;
    matches.push({ expression: variable, value });
    at = end;
  }
  return at === uri.length ? matches : undefined;
}

/**
 * Returns the end of a value: the start of the following literal, which is the last occurrence if it ends the URI,
 * otherwise the next occurrence.
 */
function endOfValue(uri: string, from: number, { literal, variable }: Part): number {
  const isLast = variable === undefined;
  if (literal !== '') {
    return isLast && uri.endsWith(literal) ? uri.length - literal.length : uri.indexOf(literal, from);
  }
  // An expression such as `{/rest}` starts with its own delimiter.
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

/**
 * Returns whether a variable can have this value. A plain variable matches one segment. Operators match several
 * segments or the empty string.
 */
function isAllowedValue(value: string, variable: string): boolean {
  if (/^[+#]/.test(variable) || variable.endsWith('*')) return value !== '' || isOptional(variable);
  if (/^[/?&.;]/.test(variable)) return true;
  return value !== '' && !value.includes('/');
}

function isOptional(variable: string): boolean {
  return /^[/?&.;#]/.test(variable);
}
