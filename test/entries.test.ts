import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { VERSION } from '../src/base/version.ts';
import { verifies } from './verifies.ts';

/**
 * What users can import, and what each entry costs. Uses the built files, because those are published.
 * A new name or a new module at startup needs an explicit decision, made here.
 */
const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const entries = {
  './kit': {
    names: [
      'AppError',
      'Response',
      'StdioTransport',
      'createServer',
      'serve',
      'serveClient',
      'serveHttp',
      'serveStdio',
    ],
    loads: [] as string[],
    loadsLater: ['@cfworker/json-schema', 'node:https'],
  },
  './host': {
    names: ['AppError', 'createHost'],
    loads: [] as string[],
    loadsLater: ['cross-spawn', 'node:http', 'node:https', 'oauth4webapi', 'smol-toml'],
  },
  './kit/testing': { names: ['createTestClient'], loads: [] as string[], loadsLater: ['@cfworker/json-schema'] },
};

test('the package has exactly these entries', () => {
  expect(Object.keys(manifest.exports)).toEqual([...Object.keys(entries), './package.json']);
});

verifies(
  ['kit:package:exports', 'kit:package:light'],
  'each entry exports its names and loads nothing else at startup',
  async () => {
    for (const [entry, expected] of Object.entries(entries)) {
      const file = join(root, manifest.exports[entry].default);
      expect(Object.keys(await import(file)).sort()).toEqual(expected.names);
      expect(await imports(file)).toEqual({ loads: expected.loads, loadsLater: expected.loadsLater });
    }
  },
);

test('each library entry is one file at startup', () => {
  for (const entry of Object.keys(entries)) {
    const text = readFileSync(join(root, manifest.exports[entry].default), 'utf8');
    expect(text.match(/^import [^;]*from "\.[^"]*";$/gm) ?? []).toEqual([]);
  }
});

test('a command starts without the ESM loader, as one file', () => {
  const start = readFileSync(join(root, manifest.bin.switchboard), 'utf8');
  expect(start).toMatch(/^#!\/usr\/bin\/env node\n"use strict";/);
  // It imports only what a part asks it to import.
  expect(start.match(/(?<![.\w])import\([^)]*\)/g)).toEqual([expect.stringMatching(/^import\(\w\)$/)]);
  expect([...start.matchAll(/\brequire\("([^"]*)"\)/g)].map(([, id]) => id)).toEqual(['./startup/save-code.js']);
});

test.each([
  ['command-line.js', './gateway/command.js'],
  ['gateway/command.js', './gateway.js'],
  ['gateway/gateway.js', '../upstream/transports/http/http-servers.js'],
  ['mcp/command.js', './call/command.js'],
  ['mcp/call/command.js', '../../commands.js'],
])('dist/cli/%s is one file, requires no package at startup, and loads %s on demand', (file, later) => {
  const text = readFileSync(join(root, 'dist/cli', file), 'utf8').replaceAll('\n', '');
  const required = [...text.matchAll(/(Promise\.resolve\(|\?\?=)?\brequire\("([^"]*)"\)/g)];
  const atOnce = required.filter(([, isLater, name]) => isLater === undefined && !name?.startsWith('node:'));
  expect(atOnce.map(([, , name]) => name)).toEqual([]);
  expect(required.map(([, , name]) => name)).toContain(later);
  expect(text).not.toMatch(/\bimport\(|\bImport\("\.[^"]*\.js"\)/);
});

test('the version in the code matches the package', () => {
  expect(VERSION).toBe(manifest.version);
});

/** Returns the external modules that a built file imports at once, and those that it may load later. */
async function imports(file: string): Promise<{ loads: string[]; loadsLater: string[] }> {
  const { metafile } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    splitting: true,
    outdir: root,
  });
  const main = Object.values(metafile.outputs).find(
    (output) => output.entryPoint !== undefined && file.endsWith(output.entryPoint),
  );
  const isOutside = ({ external }: { external?: boolean }) => external === true;
  const all = Object.values(metafile.outputs).flatMap((output) =>
    output.imports.filter(isOutside).map(({ path }) => path),
  );
  const atOnce = staticClosure(metafile.outputs, main?.imports ?? []);
  return { loads: [...atOnce].sort(), loadsLater: [...new Set(all)].filter((path) => !atOnce.has(path)).sort() };
}

type Import = { readonly path: string; readonly kind: string; readonly external?: boolean };

function staticClosure(
  outputs: Readonly<Record<string, { readonly imports: readonly Import[] }>>,
  from: readonly Import[],
): Set<string> {
  const found = new Set<string>();
  for (const { path, kind, external } of from) {
    if (kind === 'dynamic-import') continue;
    if (external === true) found.add(path);
    else for (const inner of staticClosure(outputs, outputs[path]?.imports ?? [])) found.add(inner);
  }
  return found;
}
