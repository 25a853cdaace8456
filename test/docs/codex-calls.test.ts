import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isObject } from '../../src/wire/messages.ts';
import { readBlocks } from './blocks.ts';
import { root } from './programs.ts';

/** The calls in documents, such as `codex_start { prompt, fullAuto: true }`, name existing tools and arguments. */
const argumentsOf = new Map<string, readonly string[]>();
for (const file of readdirSync(join(root, 'src/codex/tools')).filter((name) => !name.endsWith('.test.ts'))) {
  const exported: Record<string, unknown> = await import(`../../src/codex/tools/${file}`);
  for (const tool of Object.values(exported)) {
    if (!isObject(tool) || typeof tool['name'] !== 'string' || !isObject(tool['definition'])) continue;
    const { input } = tool['definition'];
    const properties = isObject(input) && isObject(input['properties']) ? input['properties'] : {};
    argumentsOf.set(tool['name'], Object.keys(properties));
  }
}

describe.each(['docs/codex.md', 'docs/recipes.md'])('%s', (document) => {
  const text = readBlocks(readFileSync(join(root, document), 'utf8')).filter(({ language }) => language === 'text');
  const calls = text.flatMap(({ code }) => [...code.matchAll(/^(codex_\w+)\s+\{(.*?)\}\s*(?:→|$)/gms)]);

  test('contains calls of tools that exist, with their arguments', () => {
    expect(calls.length).toBeGreaterThan(4);
    const unknown = calls.flatMap(([, name = '', body = '']) => {
      const known = argumentsOf.get(name);
      const keys = keysOf(body);
      return known === undefined ? [name] : keys.filter((key) => !known.includes(key)).map((key) => `${name} ${key}`);
    });
    expect(unknown).toEqual([]);
  });
});

/** Returns the keys of an object as people write it: `prompt: "…", fullAuto`. */
function keysOf(body: string): readonly string[] {
  const plain = body.replaceAll(/"[^"]*"|\[[^\]]*\]/g, '');
  return plain
    .split(',')
    .map((part) => part.split(':')[0]?.trim() ?? '')
    .filter((key) => key !== '' && key !== '…');
}
