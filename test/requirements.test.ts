import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { findFaults, readCitations } from './requirements/citations.ts';
import { type Requirement, requirements } from './requirements.ts';
import { verifies } from './verifies.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

test('clauses and tests agree', () => {
  const citations = testFiles().flatMap((file) => readCitations(relative(root, file), readFileSync(file, 'utf8')));
  expect(findFaults(requirements, citations)).toEqual([]);
});

test('every clause is a sentence, and no two are the same', () => {
  const clauses = requirements.map(({ clause }) => clause);
  expect(clauses.filter((clause) => !/^[A-Z`$-].*\.$/.test(clause))).toEqual([]);
  expect(clauses.filter((clause, index) => clauses.indexOf(clause) !== index)).toEqual([]);
});

describe('verifies', () => {
  // Under a different name, so that these calls are not read as citations.
  const cite = verifies;

  test('throws at once for an unknown id, alone or among others', () => {
    expect(() => cite('no:such:id', 'never runs', () => {})).toThrow('Unknown requirement no:such:id');
    expect(() => cite([known().id, 'no:such:id'], 'never runs', () => {})).toThrow('Unknown requirement no:such:id');
  });

  test('throws at once when nothing is cited', () => {
    expect(() => cite([], 'never runs', () => {})).toThrow('cites no requirement');
  });
});

describe('reading citations', () => {
  test.each([
    ['one id', `verifies('a:b:c', 'x', () => {})`, ['a:b:c']],
    ['one id in double quotes on the next line', `verifies(\n  "a:b:c",\n  'x', () => {})`, ['a:b:c']],
    ['several ids', `verifies(['a:b:c', 'd:e:f'], 'x', () => {})`, ['a:b:c', 'd:e:f']],
    [
      'several ids over several lines, with comments',
      `verifies([\n 'a:b:c', // 'x:y:z'\n /* why */ 'd:e:f',\n], 'x', f)`,
      ['a:b:c', 'd:e:f'],
    ],
    ['an id in a variable', `verifies(id, 'x', () => {})`, undefined],
    ['a computed id', `verifies(\`a:b:\${c}\`, 'x', f)`, undefined],
    ['an array with a variable', `verifies(['a:b:c', id], 'x', f)`, undefined],
    ['an empty array', `verifies([], 'x', f)`, undefined],
  ])('%s', (_name, text, ids) => {
    expect(readCitations('some.test.ts', text)).toEqual([{ file: 'some.test.ts', ids }]);
  });

  test.each([
    ['a comment', `// verifies('a:b:c', 'x', f)\n/* verifies('a:b:c', 'x', f) */`],
    ['a string', `const text = "verifies('a:b:c', 'x', f)";`],
    ['a template literal', `const text = \`verifies('a:b:c', 'x', f)\`;`],
    ['another function', `x.verifies('a:b:c', 'x', f); falsifies('a:b:c'); verifiesNot('a:b:c');`],
    ['an import', `import { verifies } from './verifies.ts';`],
  ])('%s is not a citation', (_name, text) => {
    expect(readCitations('some.test.ts', text)).toEqual([]);
  });

  test('a lone quote in a pattern does not hide the call after it', () => {
    const text = `match(/['"\`]/); verifies('a:b:c', 'x', f); const quote = /\`/; verifies('d:e:f', 'x', f);`;
    expect(readCitations('some.test.ts', text).map(({ ids }) => ids)).toEqual([['a:b:c'], ['d:e:f']]);
  });

  test('a glob or a URL in a string does not hide the call after it', () => {
    const text = `glob('src/**/*.ts'); get('http://x'); verifies('a:b:c', 'x', f); glob('/*'); verifies('d:e:f', 'x', f);`;
    expect(readCitations('some.test.ts', text).map(({ ids }) => ids)).toEqual([['a:b:c'], ['d:e:f']]);
  });
});

describe('finding faults', () => {
  test('a done clause with a test and a planned one without are valid', () => {
    const citations = readCitations('some.test.ts', `verifies('a:b:c', 'x', f)`);
    expect(findFaults([clause('a:b:c', 'done'), clause('d:e:f', 'planned')], citations)).toEqual([]);
  });

  test.each(['a', 'a:b', 'a:b:c:d', 'A:b:c', 'a:b:c_d', 'a::c', 'a:b:-c'])('the id %s is malformed', (id) => {
    expect(findFaults([clause(id, 'planned')], [])).toEqual([expect.stringContaining(`${id}: malformed id`)]);
  });

  test('a repeated id is a fault', () => {
    const faults = findFaults([clause('a:b:c', 'planned'), clause('a:b:c', 'planned')], []);
    expect(faults).toEqual([expect.stringContaining('a:b:c: listed more than once')]);
  });

  test('a done clause without a test is a fault', () => {
    expect(findFaults([clause('a:b:c', 'done')], [])).toEqual([
      expect.stringContaining('a:b:c: marked done, but no test cites it'),
    ]);
  });

  test('a cited clause that is still planned is a fault', () => {
    const citations = readCitations('some.test.ts', `verifies(['a:b:c'], 'x', f)`);
    expect(findFaults([clause('a:b:c', 'planned')], citations)).toEqual([
      'a:b:c: cited by some.test.ts but still planned. Mark it done.',
    ]);
  });

  test('a cited id that does not exist is a fault', () => {
    const citations = readCitations('some.test.ts', `verifies('x:y:z', 'x', f)`);
    expect(findFaults([], citations)).toEqual([expect.stringContaining('x:y:z: cited by some.test.ts but unknown')]);
  });

  test('a call whose ids cannot be read is a fault', () => {
    const citations = readCitations('some.test.ts', `verifies(id, 'x', f)`);
    expect(findFaults([], citations)).toEqual([
      expect.stringContaining('some.test.ts: verifies() without literal ids'),
    ]);
  });
});

function testFiles(): readonly string[] {
  return ['src', 'test'].flatMap((folder) => testFilesIn(join(root, folder)));
}

/** Leaves out folders that other programs install, or that other tests write and remove meanwhile. */
function testFilesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules' && name !== '.tmp')
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return testFilesIn(path);
      return path.endsWith('.test.ts') ? [path] : [];
    });
}

function clause(id: string, state: Requirement['state']): Requirement {
  return { id, seed: '000', clause: 'It works.', state };
}

function known(): Requirement {
  const [first] = requirements;
  if (first === undefined) throw new Error('there are no requirements');
  return first;
}
