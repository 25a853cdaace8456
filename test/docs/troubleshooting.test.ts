import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './programs.ts';

/** Readers search for the message that they see, so the page must quote the current messages. */
const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8');
const headings = [...page.matchAll(/^### (.*)$/gm)].map(([, text = '']) => text);
const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
  .join('\n');

/** Messages of clients and of Codex. */
const FOREIGN = [
  'MCP error -32000: Connection closed',
  'MCP tool call requires approval, but approval policy is never',
  'unknown variant "integer"',
  'Error: stdin is not a terminal',
  'connection closed: initialize response',
  'spawn npx ENOENT',
];
/** Values that the source fills in. */
const VALUES = /…|\$\{\w+\}|GITHUB_TOKEN|github|npx|initialize|it ended with|switchboard$|\(ECONNREFUSED\)|\d+(?!\.)/;

describe('docs/troubleshooting.md', () => {
  const quoted = headings.flatMap((heading) => [...heading.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text));
  test.each(quoted.filter((text) => !FOREIGN.includes(text)))('quotes a message that exists: %s', (text) => {
    const parts = text.split(VALUES).map((part) => part.trim());
    expect(parts.filter((part) => part.length > 2 && !source.includes(part))).toEqual([]);
  });

  test('names a cause and a fix for every symptom', () => {
    const sections = page.split(/^### .*$/m).slice(1);
    expect(sections.filter((text) => !/^\n\n- \*\*Cause:\*\* .+\n- \*\*Fix:\*\* .+\n/.test(text))).toEqual([]);
    expect(new Set(headings).size).toBe(headings.length);
  });
});
