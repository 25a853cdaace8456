import { expect, test } from 'vitest';
import { createRedactor } from './redact.ts';
import { redactJson } from './redact-json.ts';

test('redacted JSON is still JSON, with its numbers unchanged', () => {
  const { redactTokens } = createRedactor(['zq7Xk29f']);
  expect(redactJson('{"a":"x zq7Xk29f","n":1.0,"m":9007199254740993}', redactTokens)).toBe(
    '{"a":"x ***","n":1.0,"m":9007199254740993}',
  );
});

test('a secret longer than the comparison limit redacts only its own string', () => {
  const long = 'k1'.repeat(1_500);
  expect(redactJson(`{"a":"${long}","b":1}`, createRedactor([long]).redactTokens)).toBe('{"a":"***","b":1}');
});
