import { expect, test } from 'vitest';
import { neutralise } from '../../base/text/safe-text.ts';
import { Outline } from '../json/outline.ts';
import { mayHideText } from './hidden-text.ts';

const nothing = outlineOf('{}');

test('every character that is taken out is noticed, written as it is and as an escape', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    if (neutralise(character, { multiline: true }) === character) continue;
    const raw = JSON.stringify(character);
    const escaped = escapeAll(character);
    const missed = [raw, escaped, escaped.toUpperCase().replaceAll('U', 'u')].filter(
      (json) => !mayHideText(nothing, json),
    );
    expect(missed).toEqual([]);
  }
});

test.each([
  '\\n',
  '\\t',
  '\\"',
  '\\u2014',
  '\\u2019',
  '\\u00e9',
  '\\u003c',
  '\\u65e5',
  '\\ud83d\\ude00',
  'é',
  '日本',
  '😀',
])('ordinary text with %s is not looked into', (text) => {
  expect(mayHideText(nothing, `{"description":"a${text}b"}`)).toBe(false);
});

test.each([
  ['title', '{"title":"a\\nb"}'],
  ['title among annotations', '{"annotations":{"title":"a\\tb"}}'],
  ['name', '{"name":"a\u2028b"}'],
])('a line break in a %s is noticed', (_, json) => {
  expect(mayHideText(outlineOf(json), json)).toBe(true);
});

function outlineOf(json: string): Outline {
  const outline = new Outline(Buffer.from(json));
  outline.read(0);
  return outline;
}

function escapeAll(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0'));
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
}
