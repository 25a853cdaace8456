import { isObject, RawJson } from '../../wire/messages.ts';

/** The first protocol version with resource links in results. */
const FIRST_WITH_LINKS = '2025-06-18';

export function supportsResourceLinks(version: string): boolean {
  return version >= FIRST_WITH_LINKS;
}

/**
 * Removes resource links from a tool result, because older clients that validate results reject a result with links as
 * a whole. If the result contains nothing else, the links become text.
 */
export function withoutResourceLinks(result: RawJson): RawJson {
  if (!result.json.includes('"resource_link"')) return result;
  const whole: unknown = JSON.parse(result.json);
  if (!isObject(whole) || !Array.isArray(whole['content'])) return result;
  const blocks = whole['content'].filter(isObject);
  const others = blocks.filter(({ type }) => type !== 'resource_link');
  const content = others.length > 0 ? others : blocks.map(toText);
  return new RawJson(JSON.stringify({ ...whole, content }));
}

function toText({ name, uri }: Readonly<Record<string, unknown>>) {
  return { type: 'text', text: `${name}: ${uri}` };
}
