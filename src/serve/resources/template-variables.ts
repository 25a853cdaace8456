import { matchTemplate, type TemplateMatch } from '../../schema/uri-template.ts';

/** Returns the decoded variables of a URI, or undefined if it does not match the template. */
export function readVariables(uri: string, template: string): Readonly<Record<string, string>> | undefined {
  const matches = matchTemplate(uri, template);
  if (matches === undefined) return undefined;
  const variables = new Map<string, string>();
  try {
    for (const match of matches) if (!readExpression(match, variables)) return undefined;
  } catch {
    // The URI contains an invalid percent-encoding.
    return undefined;
  }
  return Object.fromEntries(variables);
}

/** Adds the variables of one expression. Returns false if the value does not have the form of the expression. */
function readExpression({ expression, value }: TemplateMatch, variables: Map<string, string>): boolean {
  const operator = /^[+#./;?&]/.exec(expression)?.[0] ?? '';
  const names = expression
    .slice(operator.length)
    .split(',')
    .map((name) => name.replace(/\*$|:\d+$/, ''));
  const hasPrefix = operator !== '' && operator !== '+';
  if (hasPrefix && value === '') return true;
  if (hasPrefix && !value.startsWith(operator)) return false;
  // A plain variable contains these characters only in encoded form.
  if (operator === '' && /[?#]/.test(value)) return false;
  const text = hasPrefix ? value.slice(1) : value;
  return ';?&'.includes(operator || ' ')
    ? readPairs(text.split(operator === ';' ? ';' : '&'), names, variables)
    : readList(text, { names, separator: './'.includes(operator || ' ') ? operator : ',' }, variables);
}

function readPairs(pairs: readonly string[], names: readonly string[], variables: Map<string, string>): boolean {
  for (const pair of pairs) {
    const [name = '', ...value] = pair.split('=');
    if (!names.includes(name)) return false;
    variables.set(name, decodeURIComponent(value.join('=')));
  }
  return true;
}

/** A single variable gets the whole text, and the last of several gets the rest. */
function readList(
  text: string,
  { names, separator }: { readonly names: readonly string[]; readonly separator: string },
  variables: Map<string, string>,
): boolean {
  const values = text.split(separator);
  for (const [index, name] of names.entries()) {
    const own = index === names.length - 1 ? values.slice(index) : values.slice(index, index + 1);
    if (own.length > 0) variables.set(name, own.map(decodeURIComponent).join(separator));
  }
  return true;
}
