import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import type { CommandSpec } from '../../src/cli/completion/command-spec.ts';
import { commandTree } from '../../src/cli/completion/command-tree.ts';
import { trackProcesses } from '../processes.ts';
import { readBlocks } from './blocks.ts';
import { named, root, runIn } from './programs.ts';

/** Commands in the documents exist and accept the options that the documents show. */
const processes = trackProcesses();
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
];

describe.each(documents)('%s', (document) => {
  const page = readFileSync(join(root, document), 'utf8');
  const blocks = readBlocks(page);
  const commands = blocks.filter(({ language }) => language === 'sh' || language === 'bash');
  const toml = blocks.filter(({ language }) => language === 'toml');
  const documentsInJson = blocks.filter(({ language }) => language === 'json');

  test('links only to existing files and headings', () => {
    const links = [...page.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    const broken = links.filter(([, path = '', heading]) => {
      const file = path === '' ? join(root, document) : join(root, dirname(document), path);
      if (!existsSync(file)) return true;
      return heading !== undefined && !headingsOf(readFileSync(file, 'utf8')).includes(heading);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  test('names only existing commands and options in its text', () => {
    const spans = [...withoutBlocks(page).matchAll(/`((?:npx )?switchboard[ @][^`]+)`/g)].map(([, code = '']) => code);
    expect(spans.flatMap(unknownWords)).toEqual([]);
  });

  describe.runIf(commands.length > 0)('commands in it', () => {
    test.each(named(commands))('%s is a valid command', async (_, { language, code }) => {
      const { status, err } = await runIn({ cwd: root, command: language, args: ['-nc', code], env: processes.env() });
      expect(status, err).toBe(0);
      expect(code.split('\n').flatMap(unknownWords)).toEqual([]);
    });
  });

  describe.runIf(documentsInJson.length > 0)('JSON in it', () => {
    test.each(named(documentsInJson))('%s parses', (_, { code }) => {
      // Our own files may contain comments.
      const plain = code.replaceAll(/(^|\s)\/\/.*$/gm, '');
      expect(JSON.parse(plain)).toBeTypeOf('object');
    });
  });

  describe.runIf(toml.length > 0)('TOML in it', () => {
    test.each(named(toml))('%s parses', (_, { code }) => {
      expect(parse(code)).toBeTypeOf('object');
    });
  });
});

test('programs are only in documents whose programs are checked or run', () => {
  const checked = ['README.md', 'docs/kit.md', 'docs/host.md'];
  const others = documents.filter((name) => !checked.includes(name));
  const known = ['sh', 'bash', 'json', 'toml', 'text'];
  const unchecked = others.flatMap((name) => readBlocks(readFileSync(join(root, name), 'utf8')));
  expect(unchecked.filter(({ language }) => !known.includes(language))).toEqual([]);
});

/** Converts a heading to its anchor like GitHub does. */
function headingsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutBlocks(markdown: string): string {
  return markdown.replaceAll(/^(`{3,}|~{3,}).*?^\1/gms, '');
}

/** Returns the unknown command or options in a line that calls switchboard. A placeholder ends the check. */
function unknownWords(line: string): readonly string[] {
  const call = /(?:^|[|(]\s*)(?:npx )?switchboard(?:@\w+)? ((?:[^#|)'"]|'[^']*'|"[^"]*")*)/;
  const [, all] = call.exec(line) ?? [];
  if (all === undefined) return [];
  const [rest = ''] = all.split(/[<[…]/);
  const [own = ''] = rest.split(/(?:^| )-- /);
  const words = own
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '' && word !== 'help');
  let place: CommandSpec = commandTree;
  const options: string[] = ['--help', '--verbose', '--version', '--'];
  for (const word of words) {
    const next: CommandSpec | undefined = place.subcommands?.[word];
    if (place.subcommands !== undefined && next === undefined && !word.startsWith('-')) return [`${line}: ${word}`];
    if (next === undefined) break;
    place = next;
    options.push(...(place.options ?? []).map((option) => option.replace(/[ …].*$/, '')));
  }
  return words.filter((word) => word.startsWith('--') && !options.includes(word.replace(/=.*$/, '')));
}
