/**
 * Returns the steps of a JSON pointer in a URI fragment, such as `#/$defs/a~1b` (RFC 6901, section 6); undefined for any
 * other fragment, and for invalid percent-encoding.
 */
export function parseJsonPointer(fragment: string): readonly string[] | undefined {
  if (fragment === '#') return [];
  if (!fragment.startsWith('#/')) return undefined;
  const pointer = decodePercents(fragment.slice('#/'.length));
  const steps = pointer?.split('/');
  return pointer?.includes('~') ? steps?.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')) : steps;
}

function decodePercents(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
