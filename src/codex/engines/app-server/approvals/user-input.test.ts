import { expect, test } from 'vitest';
import { toUserInputRequest } from './user-input.ts';

const COLOR = {
  id: 'color',
  header: 'Color',
  question: 'Which color?',
  isOther: false,
  isSecret: false,
  options: [
    { label: 'Red', description: 'warm' },
    { label: 'Blue', description: '' },
  ],
};
const KEY = { id: 'key', header: 'The key', isOther: true, isSecret: true, options: null };

test.each([
  ['too few answers', ['Red'], /2 are expected, 1 given/],
  ['an unknown option', ['Green', 'x'], /^"Green" is not a valid answer to this question\. Options: Red, Blue\.$/],
  ['an option with extra text', ['Red: dark', 'x'], /^"Red: dark" is not a valid answer/],
])('rejects answers: %s', (_, answers, message) => {
  const question = toUserInputRequest({ questions: [COLOR, KEY] });
  expect(() => question.decide(answers)).toThrow(
    expect.objectContaining({ code: 'BAD_ARGUMENTS', message: expect.stringMatching(message) }),
  );
});

test('asks each user question separately, and accepts free-text answers unchanged', () => {
  const question = toUserInputRequest({ turnId: 't', itemId: 'i', questions: [COLOR, KEY, 'nonsense'] });

  expect(question).toMatchObject({
    type: 'user_input',
    turnId: 't',
    itemId: 'i',
    questions: [
      { question: 'Codex asks:\n> Which color?\n> - Red: warm', options: ['Red', 'Blue'] },
      { question: 'Codex asks:\n> The key', options: [], isOpen: true, isSecret: true },
    ],
    refusal: { answers: {} },
    cancellation: { answers: {} },
  });
  expect(question.decide([' Red ', ' a: b '])).toEqual({
    response: { answers: { color: { answers: ['Red'] }, key: { answers: [' a: b '] } } },
    note: undefined,
    isApproval: true,
    summary: 'answered',
  });
  expect(toUserInputRequest({ questions: 'none' }).questions).toEqual([]);
});
