import { describe, expect, test } from 'vitest';
import { displayWidth } from '../../../base/text/display-width.ts';
import { type DescribedTool, firstSentence } from './describe-tool.ts';
import { listWidth, toolLine } from './tool-line.ts';

const text = { type: 'string' };
const issue: DescribedTool = {
  server: 'github',
  tool: 'create_issue',
  title: 'Create issue',
  description: 'Create an issue. It is sent at once.',
  badges: ['destructive', 'open-world'],
  inputSchema: {
    type: 'object',
    properties: { title: text, body: text, labels: { type: 'array', items: text } },
    required: ['title'],
  },
  outputSchema: undefined,
  hidden: undefined,
};

describe('a tool line', () => {
  test('shows the arguments, the annotations and the first sentence', () => {
    expect(toolLine(issue, undefined)).toBe(
      'github.create_issue(title: string, body?: string, labels?: string[]) [destructive, open-world]  Create an issue.',
    );
  });

  test.each([200, 120, 100, 80, 60, 40])('fits a terminal of %i columns', (width) => {
    const long = { ...issue, description: `It ${'really '.repeat(60)}does.` };
    for (const tool of [issue, long, { ...long, tool: 'n'.repeat(300) }, { ...long, tool: 'e\u0301🙂'.repeat(50) }])
      expect(displayWidth(toolLine(tool, width))).toBeLessThanOrEqual(width);
  });

  test('prefers arguments to the sentence', () => {
    const narrow = { ...issue, badges: [] };
    expect([90, 75].map((width) => toolLine(narrow, width))).toEqual([
      'github.create_issue(title: string, body?: string, labels?: string[])  Create an issue.',
      'github.create_issue(title: string, body?: string, labels?: string[])',
    ]);
  });

  test('in 80 columns keeps types and annotations as long as possible', () => {
    const choice = { enum: ['error', 'success', 'debug'] };
    const annotated = {
      ...issue,
      ...{ server: 'everything', tool: 'get-annotated-message', badges: ['read-only'] },
      inputSchema: { type: 'object', properties: { type: choice, image: { type: 'boolean' } }, required: ['type'] },
    };
    expect([120, 80, 60].map((width) => toolLine(annotated, width))).toEqual([
      'everything.get-annotated-message(type: "error" | "success" | "debug", image?: boolean) [read-only]  Create an issue.',
      'everything.get-annotated-message(type: "error" | …, image?: boolean) [read-only]',
      'everything.get-annotated-message(type, image?) [read-only]',
    ]);
  });

  test('truncates a long description at 200 characters without a terminal', () => {
    const [, reported = ''] = toolLine({ ...issue, description: 'x'.repeat(500) }, undefined).split('  ');
    expect(reported).toBe(`${'x'.repeat(199)}…`);
  });

  test('escapes a hostile name and strips control sequences', () => {
    const hostile = {
      ...issue,
      tool: 'a\n\u001b[31m\u202eb',
      description: '\u001b[2Jgone\rover \u202ewritten',
      badges: [],
    };
    expect(toolLine({ ...hostile, inputSchema: {} }, undefined)).toBe(
      '"github.a\\n\\u001b[31m\\u202eb"()  gone over written',
    );
  });

  test('shows the title if there is no description, and nothing without both', () => {
    const plain = { ...issue, description: undefined, inputSchema: {}, badges: [] };
    expect(toolLine(plain, undefined)).toBe('github.create_issue()  Create issue');
    expect(toolLine({ ...plain, title: undefined }, undefined)).toBe('github.create_issue()');
  });
});

test.each([
  ['Reads a file. Then more.', 'Reads a file.'],
  ['Reads e.g. a file, v1.2 of it', 'Reads e.g. a file, v1.2 of it'],
  ['Reads a file\nthat is broken\n\nArguments: none', 'Reads a file that is broken'],
  ['ファイルを読む。次に閉じる。', 'ファイルを読む。'],
  ['  \n Really? Yes.', 'Really?'],
  ['', ''],
])('the first sentence of %j is %j', (description, sentence) => {
  expect(firstSentence(description)).toBe(sentence);
});

test('the width is undefined without a terminal, and never too small to use', () => {
  const screen = (columns: number) => ({ size: () => ({ columns, rows: 24 }), write() {}, onResize: () => () => {} });
  expect(listWidth({})).toBeUndefined();
  expect([120, 80, 3].map((columns) => listWidth({ screen: screen(columns) }))).toEqual([120, 80, 40]);
});
