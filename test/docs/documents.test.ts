import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CommandSpec } from '../../src/cli/completion/command-spec.ts';
import { commandTree } from '../../src/cli/completion/command-tree.ts';
import { trackProcesses } from '../processes.ts';
import { readBlocks } from './blocks.ts';
import { named, root, runIn } from './programs.ts';

/** Commands in the documents exist and accept the options that the documents show. */
const processes = trackProcesses();
const documents = ['README.md', ...readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))].map(
  (name) => (name === 'README.md' ? name : `docs/${name}`),
);

describe.each(documents)('%s', (document) => {
  const page = readFileSync(join(root, document), 'utf8');
  const blocks = readBlocks(page);
  const commands = blocks.filter(({ language }) => language === 'sh' || language === 'bash');
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

/** Returns the unknown command or options in a line that calls switchboard. */
function unknownWords(line: string): readonly string[] {
  const [, rest] = /(?:^|[|(]\s*)(?:npx )?switchboard ((?:[^#|)'"]|'[^']*'|"[^"]*")*)/.exec(line) ?? [];
  if (rest === undefined) return [];
  const [own = ''] = rest.split(/(?:^| )-- /);
  const words = own.trim().split(/\s+/);
  let place: CommandSpec = commandTree;
  const options: string[] = ['--help', '--verbose', '--'];
  for (const word of words) {
    const next: CommandSpec | undefined = place.subcommands?.[word];
    if (place.subcommands !== undefined && next === undefined && !word.startsWith('-')) return [`${line}: ${word}`];
    if (next === undefined) break;
    place = next;
    options.push(...(place.options ?? []).map((option) => option.replace(/[ …].*$/, '')));
  }
  return words.filter((word) => word.startsWith('--') && !options.includes(word.replace(/=.*$/, '')));
}
