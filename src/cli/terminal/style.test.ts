import { expect, test } from 'vitest';
import { createStyle } from './style.ts';

const red = (text: string) => `\u001b[31m${text}\u001b[39m`;

test.each([
  ['a terminal', true, {}, true],
  ['a pipe', false, {}, false],
  ['a dumb terminal', true, { TERM: 'dumb' }, false],
  ['NO_COLOR', true, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR', true, { NO_COLOR: '' }, true],
  ['FORCE_COLOR in a pipe', false, { FORCE_COLOR: '1' }, true],
  ['FORCE_COLOR with NO_COLOR', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ['FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
])('%s has colours only if a person sees them or asked for them', (_, isTerminal, env, hasColour) => {
  const style = createStyle({ isTerminal, env });
  expect(style.hasColour).toBe(hasColour);
  expect(style.paint('broken', 'bad')).toBe(hasColour ? red('broken') : 'broken');
});

test.each([
  [{}, ['✓', '⚠', '✗']],
  [{ LANG: 'C.UTF-8' }, ['✓', '⚠', '✗']],
  [{ LANG: 'C' }, ['+', '!', 'x']],
  [{ LANG: 'de_DE.UTF-8', LC_ALL: 'POSIX' }, ['+', '!', 'x']],
  [{ LANG: 'C', LC_CTYPE: 'en_US.utf8' }, ['✓', '⚠', '✗']],
])('the locale %j decides between symbols and ASCII', (env, symbols) => {
  const style = createStyle({ isTerminal: false, env });
  expect([style.symbol('good'), style.symbol('warning'), style.symbol('bad')]).toEqual(symbols);
});
