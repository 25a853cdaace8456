import type { Outline } from '../json/outline.ts';

/**
 * One text for everything that means the same: keys sorted, no blanks, one way to write a string and a number.
 * Keys that stand twice both count, in their order, because not every reader takes the last; and numbers are compared
 * as they are written, because not every reader rounds. Only for an outline without excess: that bounds the depth.
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
  // The sort is stable: members of one name keep their order.
  members.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return members.map(({ key, member }) => `${JSON.stringify(key)}:${canonicalText(outline, member)}`);
}

/** `1`, `1.0` and `10e-1` are one number. What is no number is given back. */
function canonicalNumber(text: string): string {
  const [, sign = '', whole = '', fraction = '', written = '0'] = NUMBER.exec(text) ?? [];
  if (whole === '') return text;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const exponent = BigInt(written) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${exponent}`;
}

/** An exponent of more digits nobody can mean, and a big one costs time to read. */
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,20}))?$/;
