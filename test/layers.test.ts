import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

/** The folders that each folder of src may import. Imports go downward only. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  base: [],
  wire: ['base'],
  config: ['base', 'wire'],
  schema: ['base', 'wire'],
  net: ['base', 'wire', 'config', 'schema'],
  auth: ['base', 'wire', 'config', 'schema', 'net'],
  serve: ['base', 'wire', 'config', 'schema', 'net', 'auth'],
  control: ['base', 'wire', 'config', 'schema', 'net', 'auth', 'upstream'],
  upstream: ['base', 'wire', 'config', 'schema', 'net', 'auth'],
  gateway: ['base', 'wire', 'config', 'schema', 'net', 'auth', 'serve', 'control', 'upstream'],
  codex: ['base', 'wire', 'config', 'schema', 'net', 'auth', 'serve', 'control', 'upstream'],
  host: ['base', 'wire', 'config', 'schema', 'net', 'auth', 'serve', 'control', 'upstream'],
  kit: ['base', 'wire', 'config', 'schema', 'net', 'auth', 'serve', 'control', 'upstream'],
  clients: ['base', 'wire', 'config', 'schema', 'net', 'auth', 'serve', 'control', 'upstream'],
  cli: [
    'base',
    'wire',
    'config',
    'schema',
    'net',
    'auth',
    'serve',
    'control',
    'upstream',
    'gateway',
    'codex',
    'host',
    'kit',
    'clients',
  ],
};

const src = join(import.meta.dirname, '..', 'src');

describe('imports go only downward', () => {
  test('in every file of src', () => {
    expect(sourceFiles().flatMap((file) => violations(file, readFileSync(join(src, file), 'utf8')))).toEqual([]);
  });

  test.each([
    ['upward', 'base/x.ts', "import { a } from '../wire/peer.ts';"],
    ['sideways', 'gateway/x.ts', "export type { A } from '../codex/y.ts';"],
    ['through a dynamic import', 'wire/x.ts', "const a = await import('../serve/y.ts');"],
    ['of a type', 'base/process/x.ts', "import type { A } from '../../wire/peer.ts';"],
    ['from an unknown folder', 'helpers/x.ts', "import { a } from '../base/errors.ts';"],
  ])('an import %s is detected', (_, file, text) => {
    expect(violations(file, text)).toHaveLength(1);
  });
});

test('no folder has a meaningless name', () => {
  const names = readdirSync(src, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(names.map(({ name }) => name).filter((name) => /^(utils?|helpers?|common|lib)$/.test(name))).toEqual([]);
});

test('an index file exists only at a public entry', () => {
  expect(sourceFiles().filter((file) => file.endsWith('/index.ts'))).toEqual(['host/index.ts', 'kit/index.ts']);
});

function sourceFiles(): string[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'));
}

function violations(file: string, text: string): string[] {
  const from = topFolder(file);
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, specifier]) => specifier ?? '');
  return specifiers
    .map((specifier) => topFolder(relative('.', join(dirname(file), specifier))))
    .filter((to) => to !== from && !(allowed[from] ?? []).includes(to))
    .map((to) => `${file}: ${from} must not import ${to}`);
}

function topFolder(path: string): string {
  return path.split('/')[0] ?? '';
}
