import { isObject, RawJson } from '../../wire/messages.ts';

/** The first revision in which a result may link to a resource. */
const FIRST_WITH_LINKS = '2025-06-18';

export function supportsResourceLinks(version: string): boolean {
  return version >= FIRST_WITH_LINKS;
}

/**
 * A tool's result without links to resources: older clients that check results refuse the whole of one that has some.
 * What says nothing else is told as text.
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
