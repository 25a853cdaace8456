import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { isAllowedVariable } from '../../src/config/resolve/inherited-variables.ts';
import { readBlocks } from '../docs/blocks.ts';
import { useFolders } from './folder.ts';

const newFolder = useFolders();
const page = readFileSync(new URL('../../docs/config.md', import.meta.url), 'utf8');
const blocks = readBlocks(page);

describe('docs/config.md', () => {
  test('labels every code block with a language', () => {
    expect(blocks.filter(({ language }) => !['json', 'sh', 'text'].includes(language))).toEqual([]);
  });

  const examples = blocks
    .filter(({ language }) => language === 'json')
    .map((block) => [block.line, block.code] as const);
  test.each(examples)('the example in line %i loads without problems', async (_, code) => {
    const folder = newFolder();
    const file = folder.write('example.json', code);
    const { servers, problems } = await loadConfig({ ...folder.testEnvironment(), explicitFiles: [file] });
    const broken = servers.filter(({ verdict }) => verdict.kind === 'error');
    expect({ problems, broken }).toEqual({ problems: [], broken: [] });
    expect(servers).not.toEqual([]);
  });

  test('names variables that are really passed on', () => {
    const [sentence = ''] = /^1\. what programs need.*$/m.exec(page) ?? [];
    const named = [...sentence.matchAll(/`([A-Z_*]+)`/g)].map(([, name = '']) => name.replace('*', 'X'));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !isAllowedVariable(name, 'linux'))).toEqual([]);
  });
});
