import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './programs.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');

describe('README.md', () => {
  test('has at most 150 lines and names the command that CI runs', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
    expect(readme).toContain('\nnpm ci && npm test\n');
  });

  test('links to every page', () => {
    const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.startsWith('decisions'))
      .map((name) => `docs/${name}`);
    expect(pages.filter((page) => !readme.includes(`](${page})`))).toEqual([]);
  });

  test('compares five rows, with figures that docs/performance.md contains', () => {
    const performance = readFileSync(join(root, 'docs/performance.md'), 'utf8');
    const [, section = ''] = /\n## Compared with others\n(.*?)\n## /s.exec(readme) ?? [];
    const rows = section.split('\n').filter((line) => /^\| [^|-]/.test(line));
    expect(rows).toHaveLength(5);
    const figures = rows.flatMap((row) => row.match(/\d+(?:\.\d+)?(?:x| ms| s)\b/g) ?? []);
    expect(figures.length).toBeGreaterThan(10);
    expect(figures.filter((figure) => !performance.includes(figure))).toEqual([]);
  });
});

describe('docs/overview.svg', () => {
  const picture = readFileSync(join(root, 'docs/overview.svg'), 'utf8');

  test('is readable in light and dark mode, and loads nothing', () => {
    expect(picture).toMatch(/^<svg [^>]*role="img" aria-labelledby="title description">/);
    const [light = '', dark = ''] = picture.split('@media (prefers-color-scheme: dark) {');
    const coloured = (css: string) =>
      [...css.matchAll(/^([.\w, ]+) \{ .*(?:fill|stroke): #/gm)].flatMap(([, names = '']) => names.split(', '));
    expect(coloured(dark).toSorted()).toEqual(coloured(light).toSorted());
    expect(picture).not.toMatch(/href|url\(|@import|<script|<image/);
  });
});
