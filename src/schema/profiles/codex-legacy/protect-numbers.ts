import { QUOTE } from '../../../wire/json/json-bytes.ts';
import { stringEnd } from '../../../wire/json/json-text.ts';
import { LOSSY_NUMBER } from '../../json/exact-text.ts';
import { toJson } from '../json.ts';

export interface Protected {
  /** JSON in which every number that parsing would change is a string that begins with the mark. */
  readonly text: string;
  readonly mark: string | undefined;
  /** Turns these strings back into numbers. */
  restore(json: string): string;
}

/** Protects numbers that parsing would change. Nearly always there are none. */
export function protectNumbers(json: string): Protected {
  if (!LOSSY_NUMBER.test(json)) return { text: json, mark: undefined, restore: (text) => text };
  const mark = findMark(toJson(JSON.parse(json)) ?? json);
  const pattern = new RegExp(`"${mark}([^"]*)"`, 'g');
  return { text: markNumbers(json, mark), mark, restore: (text) => text.replace(pattern, '$1') };
}

/** Returns a prefix that occurs nowhere in the JSON. */
function findMark(json: string): string {
  let count = 0;
  while (json.includes(`number${count}:`)) count++;
  return `number${count}:`;
}

function markNumbers(json: string, mark: string): string {
  let marked = '';
  let from = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(json, at) - 1;
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = numberEnd(json, at);
      const number = json.slice(at, end);
      if (String(Number(number)) !== number) {
        marked += `${json.slice(from, at)}"${mark}${number}"`;
        from = end;
      }
      at = end - 1;
    }
  }
  return marked + json.slice(from);
}

function numberEnd(json: string, from: number): number {
  let at = from + 1;
  while (/[\d.eE+-]/.test(json.charAt(at))) at++;
  return at;
}

const MINUS = 45;
const ZERO = 48;
const NINE = 57;
