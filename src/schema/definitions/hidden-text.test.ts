import { describe, expect, test } from 'vitest';
import { neutralize } from '../../base/text/safe-text.ts';
import { Outline } from '../json/outline.ts';
import { readDefinition } from './definition.ts';
import { mayHideText } from './hidden-text.ts';

const SCHEMA = '"inputSchema":{"type":"object"}';

describe('hidden characters', () => {
  test('are removed from titles and descriptions at any depth, without changing any other byte', () => {
    const write = (hidden: string, escaped: string) =>
      `{"name":"a" , "title":"T${hidden}","description":"D${escaped}\\r\\n\\tx","annotations":{"title":"A${hidden}"},` +
      `"inputSchema":{"type":"object","description":"S${escaped}","properties":{"description":{"title":"P${hidden}"},` +
      `"default":{"description":"${hidden}Q","default":{"description":"\u200bdata"},"enum":["\\u200b"]}},` +
      `"$defs":{"x":{"anyOf":[{"const":{"title":"\\u202e"}},{"description":"${escaped}é日😀"}]}}},` +
      `"outputSchema":{"type":"object","Description":"${hidden}"},"vendor":{"title":"\u200b"},"big":9007199254740993}`;
    expect(readDefinition('tools', Buffer.from(write('\u202e\u200b', '\\u001B[31m\\udb40\\udc41')))).toMatchObject({
      json: write('', ''),
      repairs: ['hidden characters were removed from title, description, annotations, inputSchema, outputSchema'],
    });
  });

  test('are reported but kept in the name sent to the server', () => {
    const json = `{"name":"zero\u200bwidth",${SCHEMA}}`;
    expect(readDefinition('tools', Buffer.from(json))).toMatchObject({
      key: 'zero\u200bwidth',
      json,
      repairs: ['hidden characters are removed from the displayed name'],
    });
  });

  test('include line breaks in a title, but not in a description', () => {
    const json = `{"name":"a","title":"two\\nlines","description":"two\\nlines",${SCHEMA}}`;
    expect(readDefinition('tools', Buffer.from(json))).toMatchObject({
      json: `{"name":"a","title":"two lines","description":"two\\nlines",${SCHEMA}}`,
      repairs: ['hidden characters were removed from title'],
    });
  });

  test('are removed from prompt arguments and resource names', () => {
    const prompt = '{"name":"a","arguments":[{"name":"x\u200b","description":"d\u200b"}]}';
    expect(readDefinition('prompts', Buffer.from(prompt))).toMatchObject({
      json: '{"name":"a","arguments":[{"name":"x\u200b","description":"d"}]}',
    });
    expect(readDefinition('resources', Buffer.from('{"uri":"a:\u200b","name":"n\u200b"}'))).toMatchObject({
      key: 'a:\u200b',
      json: '{"uri":"a:\u200b","name":"n"}',
      repairs: ['hidden characters were removed from name'],
    });
  });
});

const nothing = outlineOf('{}');

test('detects every removed character, both literal and escaped', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    if (neutralize(character, { multiline: true }) === character) continue;
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
])('does not inspect ordinary text with %s', (text) => {
  expect(mayHideText(nothing, `{"description":"a${text}b"}`)).toBe(false);
});

test.each([
  ['title', '{"title":"a\\nb"}'],
  ['title in annotations', '{"annotations":{"title":"a\\tb"}}'],
  ['name', '{"name":"a\u2028b"}'],
])('detects a line break in a %s', (_, json) => {
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
