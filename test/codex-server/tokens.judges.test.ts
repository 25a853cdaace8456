import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, test } from 'vitest';
import { type JsonObject, objectsOf } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import type { Step } from '../codex/steps.ts';
import { shareTestbed } from './flow-testbed.ts';
import { FREE } from './testbed.ts';

/** The cost of the tools for a model that calls them, in o200k tokens. */
const MAX_LIST_TOKENS = 2500;
const MAX_COST = 1.6;

const shared = shareTestbed();
const encoder = new Tiktoken(o200k);
const tokens = (value: unknown) =>
  encoder.encode(typeof value === 'string' ? value : JSON.stringify(value), 'all').length;

test('the list of the core tools stays within its budget, and every tool has an output schema', async () => {
  const list = await shared.client.request('tools/list');
  expect(tokens(list)).toBeLessThanOrEqual(MAX_LIST_TOKENS);
  expect(objectsOf(list['tools']).every(({ outputSchema }) => outputSchema !== undefined)).toBe(true);
});

const SENTENCES = Array.from(
  { length: 13 },
  (_, index) => `Step ${index}: the parser keeps the line and column of every token, so an error names its place.`,
);
const CODE = `Here it is:\n\n\`\`\`ts\n${Array.from({ length: 14 }, (_, index) => `export function part${index}(text: string): string {\n  return text.slice(${index}, "x".length);\n}`).join('\n\n')}\n\`\`\`\n`;

const ANSWERS: readonly (readonly [string, string])[] = [
  ['prose', SENTENCES.join(' ')],
  ['a list', SENTENCES.map((sentence) => `- **${sentence}**`).join('\n')],
  ['code', CODE],
  ['Russian', 'Разбор хранит строку и столбец каждого знака, и ошибка называет своё место. '.repeat(14)],
];

describe.each(ANSWERS)('a result of %s', (_, answer) => {
  const steps: readonly Step[] = [
    { message: 'I look at the parser first.' },
    { shell: 'echo no such file; exit 3' },
    { patch: `*** Begin Patch\n*** Add File: ${Date.now()}-${answer.length}.ts\n+one\n*** End Patch` },
    { message: answer },
  ];
  const start = (args: JsonObject = {}) =>
    shared.client.result('codex_start', { ...FREE, prompt: script(steps), ...args });
  /** A client shows its model either the content or the structured content of a result. */
  const views = (results: readonly JsonObject[]) => ({
    text: results.flatMap(({ content }) => objectsOf(content).map(({ text }) => tokens(text ?? ''))),
    structured: results.map(({ structuredContent }) => tokens(structuredContent)),
  });
  const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);
  const expectCheap = (results: readonly JsonObject[]) => {
    const { text, structured } = views(results);
    expect(results.flatMap(({ content }) => objectsOf(content)).map(({ type }) => type)).not.toContain('resource_link');
    expect(sum(text)).toBeLessThanOrEqual(MAX_COST * tokens(answer));
    expect(sum(structured)).toBeLessThanOrEqual(MAX_COST * tokens(answer));
  };

  test('appears once when codex_start waits for it', async () => {
    expect(tokens(answer)).toBeGreaterThan(250);
    expect(tokens(answer)).toBeLessThan(420);
    const result = await start({ waitSeconds: 50 });
    expect(result['structuredContent']).toMatchObject({ status: 'done', result: answer });
    expectCheap([result]);
  });

  test('appears once when it is started and then waited for', async () => {
    const started = await start();
    const { sessionId } = Object(started['structuredContent']);
    const waited = await shared.client.result('codex_wait', { sessionIds: [sessionId] });
    expect(waited['structuredContent']).toMatchObject({
      isOver: true,
      sessions: [{ status: 'done', result: answer, summary: expect.stringContaining('exit code 3') }],
    });
    expectCheap([started, waited]);
  });

  test('appears once in the status too', async () => {
    const { sessionId } = Object((await start({ waitSeconds: 50 }))['structuredContent']);
    const status = await shared.client.call('codex_status', { sessionId });
    expect(status['result']).toBe(answer);
    expect(JSON.stringify({ ...status, result: '' })).not.toContain(JSON.stringify(answer.slice(0, 60)).slice(1, -1));
  });
});
