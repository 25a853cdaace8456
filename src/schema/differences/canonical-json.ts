import type { Outline } from '../json/outline.ts';

/**
 * Returns one text for all values that mean the same: keys sorted, no whitespace, one spelling of each string and
 * number. Duplicate keys all count, in their order, because not every parser takes the last one. Numbers keep all their
 * digits, because not every parser rounds. Only for an outline without `limitExceeded`, which bounds the depth.
 */
export function canonicalText(outline: Outline, node: number): string {
  if (outline.isObject(node)) return `{${sortedMembers(outline, node).join(',')}}`;
  if (outline.isList(node)) return `[${elementsOf(outline, node).join(',')}]`;
  const text = outline.text(node);
  if (outline.isString(node)) return text.includes('\\') ? JSON.stringify(outline.value(node)) : text;
  return canonicalNumber(text);
}

function elementsOf(outline: Outline, node: number): readonly string[] {
  return outline.children(node).map((element) => canonicalText(outline, element));
}

function sortedMembers(outline: Outline, node: number): readonly string[] {
  const members = outline.children(node).map((member) => ({ key: outline.key(member), member }));
  // The sort is stable: members with the same name keep their order.
  members.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return members.map(({ key, member }) => `${JSON.stringify(key)}:${canonicalText(outline, member)}`);
}

/** Normalizes a number: `1`, `1.0` and `10e-1` are equal. Returns any other text as it is. */
function canonicalNumber(text: string): string {
  const [, sign = '', whole = '', fraction = '', written = '0'] = NUMBER.exec(text) ?? [];
  if (whole === '') return text;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const exponent = BigInt(written) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${exponent}`;
}

/** Limits the digits of an exponent: a longer one has no practical meaning, and takes time to parse. */
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,20}))?$/;
