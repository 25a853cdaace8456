import { expect, test } from 'vitest';
import { toUserInputRequest } from './user-input.ts';

const COLOUR = {
  id: 'colour',
  header: 'Colour',
  question: 'Which colour?',
  isOther: false,
  isSecret: false,
  options: [
    { label: 'Red', description: 'warm' },
    { label: 'Blue', description: '' },
  ],
};
const KEY = { id: 'key', header: 'The key', isOther: true, isSecret: true, options: null };

test.each([
  ['too few', ['Red'], /2 are wanted, 1 came/],
  ['none of the options', ['Green', 'x'], /^"Green" is no answer to this question\. Options: Red, Blue\.$/],
  ['an option with more', ['Red: dark', 'x'], /^"Red: dark" is no answer/],
])('is not possible: %s', (_, answers, message) => {
  const question = toUserInputRequest({ questions: [COLOUR, KEY] });
  expect(() => question.decide(answers)).toThrow(
    expect.objectContaining({ code: 'BAD_ARGUMENTS', message: expect.stringMatching(message) }),
  );
});

test('questions to the user are parts, and free answers are taken as they are', () => {
  const question = toUserInputRequest({ turnId: 't', itemId: 'i', questions: [COLOUR, KEY, 'nonsense'] });

  expect(question).toMatchObject({
    type: 'user_input',
    turnId: 't',
    itemId: 'i',
    questions: [
      { question: 'Codex asks:\n> Which colour?\n> - Red: warm', options: ['Red', 'Blue'] },
      { question: 'Codex asks:\n> The key', options: [], isOpen: true, isSecret: true },
    ],
    refusal: { answers: {} },
    cancellation: { answers: {} },
  });
  expect(question.decide([' Red ', ' a: b '])).toEqual({
    response: { answers: { colour: { answers: ['Red'] }, key: { answers: [' a: b '] } } },
    note: undefined,
    summary: 'answered',
  });
  expect(toUserInputRequest({ questions: 'none' }).questions).toEqual([]);
});
