import { describe, expect, test } from 'vitest';
import { createReadResultTool } from './read-result-tool.ts';
import { createStoredResults } from './stored-results.ts';

const HINT = "Correct the arguments to match the tool's input schema.";

function createTool(maxBytes?: number) {
  const kept = createStoredResults();
  const reference = kept.store({ text: 'x'.repeat(5_242_880), parts: ['aGVsbG8='] });
  return { reference, tool: createReadResultTool(kept, maxBytes === undefined ? {} : { maxBytes }) };
}

function message(text: string, isError: boolean) {
  return { content: [{ type: 'text', text }], text, is_error: isError };
}

describe('an invalid argument is a tool error that names it and the allowed values', () => {
  test.each([
    [undefined, 'the arguments must be an object with a reference'],
    [[], 'the arguments must be an object with a reference'],
    [{}, 'reference must be a string from the shortened result'],
    [{ reference: 7 }, 'reference must be a string from the shortened result'],
    [{ reference: 'r', from: 1 }, 'from is unknown; use reference, offset, length and part'],
    [{ reference: 'r', offset: '0' }, 'offset must be a whole number from 0 on'],
    [{ reference: 'r', offset: -1 }, 'offset must be a whole number from 0 on'],
    [{ reference: 'r', length: 0 }, 'length must be a whole number from 1 to 49152'],
    [{ reference: 'r', length: 49_153 }, 'length must be a whole number from 1 to 49152'],
    [{ reference: 'r', part: 0 }, 'part must be a whole number from 1 on'],
  ])('%j', (args, what) => {
    expect(createTool().tool.run(args)).toEqual(message(`mcp_result_read: ${what}.\n${HINT}`, true));
  });

  test('an unknown reference', () => {
    const { tool } = createTool();
    const text = `No result is stored under "result-9"; the oldest are removed first.\n${HINT}`;
    expect(tool.run({ reference: 'result-9' })).toEqual(message(text, true));
  });

  test('an offset past the end', () => {
    const { tool, reference } = createTool();
    const text = `offset must be a whole number from 0 to 5242880, but is 5242881.\n${HINT}`;
    expect(tool.run({ reference, offset: 5_242_881 })).toEqual(message(text, true));
  });
});

test('a piece reports its range and the next offset', () => {
  const { tool, reference } = createTool();
  expect(tool.run({ reference, offset: null, length: undefined })).toEqual(
    message(`[${reference}, bytes 0–32768 of 5242880; the next offset is 32768]\n${'x'.repeat(32_768)}`, false),
  );
  expect(tool.run({ reference, offset: 5_242_870, length: 49_152 })).toEqual(
    message(`[${reference}, bytes 5242870–5242880 of 5242880; this is the end]\n${'x'.repeat(10)}`, false),
  );
  expect(tool.run({ reference, part: 1 })).toEqual(
    message(`[${reference}, bytes 0–8 of 8; this is the end]\naGVsbG8=`, false),
  );
});

test('reports at its end that a result was too large to be stored completely', () => {
  const kept = createStoredResults({ maxBytes: 4 });
  const reference = kept.store({ text: 'abcdef', parts: [] });
  expect(createReadResultTool(kept).run({ reference })).toEqual(
    message(`[${reference}, bytes 0–4 of 6; no more is kept]\nabcd`, false),
  );
});

test('a lower text limit applies here too', () => {
  const { tool, reference } = createTool(100);
  expect(tool.run({ reference }).text).toBe(
    `[${reference}, bytes 0–100 of 5242880; the next offset is 100]\n${'x'.repeat(100)}`,
  );
  expect(tool.parameters['properties']).toMatchObject({ length: { minimum: 1, maximum: 100, default: 100 } });
});
