import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { assertAnswerCount, createChoice, invalidAnswer, joinLines } from './choice.ts';

const CHOICE = createChoice({
  type: 'command_approval',
  params: { turnId: 't', itemId: 7 },
  lines: ['What?', undefined, '', 'Why.'],
  details: { a: 1 },
  answers: [
    ['approve', 'yes'],
    ['deny', 'no'],
  ],
  refusal: 'no',
  cancellation: 'stop',
});

test.each([
  ['no answer', [], 'answers must contain one answer per question: 1 is expected, 0 given.'],
  ['two answers', ['approve', 'approve'], 'answers must contain one answer per question: 1 is expected, 2 given.'],
  ['an unknown option', ['yes'], '"yes" is not a valid answer to this question. Options: approve, deny.'],
  [
    'an option within a sentence',
    ['I approve'],
    '"I approve" is not a valid answer to this question. Options: approve, deny.',
  ],
  ['nothing before the colon', [': approve'], '"" is not a valid answer to this question. Options: approve, deny.'],
  [
    'an inherited property name',
    ['constructor'],
    '"constructor" is not a valid answer to this question. Options: approve, deny.',
  ],
])('rejects answers: %s', (_, answers, message) => {
  expect(() => CHOICE.decide(answers)).toThrow(expect.objectContaining({ code: 'BAD_ARGUMENTS', message }));
});

test('has one question with its options and details', () => {
  expect(CHOICE).toMatchObject({
    type: 'command_approval',
    turnId: 't',
    itemId: undefined,
    questions: [{ question: 'What?\nWhy.', options: ['approve', 'deny'] }],
    details: { a: 1 },
    refusal: 'no',
    cancellation: 'stop',
  });
});

verifies('codex:respond:first-colon', 'splits an answer at its first colon and trims both parts', () => {
  expect(CHOICE.decide(['deny: too: risky '])).toEqual({
    response: 'no',
    note: 'too: risky',
    isApproval: false,
    summary: 'deny',
  });
  expect(CHOICE.decide([' approve '])).toEqual({
    response: 'yes',
    note: undefined,
    isApproval: true,
    summary: 'approve',
  });
  const blank = fc.stringMatching(/^[ \t\n]{0,3}$/);
  fc.assert(
    fc.property(fc.constantFrom('approve', 'deny'), blank, fc.string({ unit: 'binary' }), (option, space, note) => {
      expect(CHOICE.decide([`${space}${option}${space}:${space}${note}`])).toEqual({
        response: option === 'approve' ? 'yes' : 'no',
        note: note.trim() === '' ? undefined : note.trim(),
        isApproval: option === 'approve',
        summary: option,
      });
    }),
  );
});

test('only the option itself approves', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(text.split(':')[0]?.trim() !== 'approve' && text.split(':')[0]?.trim() !== 'deny');
      expect(() => CHOICE.decide([text])).toThrow(expect.objectContaining({ code: 'BAD_ARGUMENTS' }));
    }),
  );
});

test('strips hidden characters from displayed text, and truncates an invalid answer', () => {
  expect(joinLines(['rm \u001b[8m-rf\u202e /', 'a\tb'])).toBe('rm -rf /\na\tb');
  expect(invalidAnswer('x'.repeat(100), ['a'], ', or b').message).toBe(
    `"${'x'.repeat(80)}…" is not a valid answer to this question. Options: a, or b.`,
  );
  expect(() => assertAnswerCount(['a'], 2)).toThrow('2 are expected, 1 given.');
});

test.each(['Approve', 'APPROVE', ' approve '])('%j selects the option approve', (answer) => {
  expect(CHOICE.decide([answer])).toEqual(CHOICE.decide(['approve']));
});
