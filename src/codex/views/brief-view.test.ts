import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { toBriefView } from './brief-view.ts';

const VIEW = {
  sessionId: '01a10000-0000-7000-8000-000000000000',
  status: 'awaiting_approval',
  recentOutput: ['first', 'x'.repeat(3_000)],
  pendingQuestion: {
    id: 'approval_1',
    type: 'command_approval',
    questions: [{ question: 'q'.repeat(6_000), options: ['approve', 'deny', 'approve_session', 'approve_rule'] }],
  },
  itemEvents: Array.from({ length: 10 }, (_, index) => ({
    itemType: 'reasoning',
    status: 'completed',
    summary: `${index}`,
  })),
  filesChanged: Array.from({ length: 10 }, (_, index) => ({ path: `/${index}`, kind: 'add' })),
  cursor: 'ab-1',
};

test('returns a view that fits unchanged', () => {
  expect(toBriefView(VIEW, 80_000)).toBe(VIEW);
});

test('truncates only as much as needed, and says so', () => {
  expect(toBriefView(VIEW, 8_000)).toEqual({
    ...VIEW,
    recentOutput: ['first', `${'x'.repeat(2_000)}… [1000 more characters]`],
    pendingQuestion: {
      ...VIEW.pendingQuestion,
      questions: [
        {
          question: `${'q'.repeat(2_000)}… [4000 more characters]`,
          options: VIEW.pendingQuestion.questions[0]?.options,
        },
      ],
    },
    truncated: true,
  });
});

test('keeps the newest list entries, the first files, and all options of a question', () => {
  expect(toBriefView(VIEW, 1_500)).toEqual({
    ...VIEW,
    recentOutput: ['first', `${'x'.repeat(300)}… [2700 more characters]`],
    pendingQuestion: {
      ...VIEW.pendingQuestion,
      questions: [
        { question: `${'q'.repeat(300)}… [5700 more characters]`, options: VIEW.pendingQuestion.questions[0]?.options },
      ],
    },
    itemEvents: VIEW.itemEvents.slice(-3),
    filesChanged: VIEW.filesChanged.slice(0, 3),
    truncated: true,
  });
});

test('falls back to the session id and status', () => {
  expect(toBriefView(VIEW, 300)).toEqual({
    sessionId: VIEW.sessionId,
    status: VIEW.status,
    truncated: true,
  });
});

test('never exceeds its limit', () => {
  const text = fc.record({ one: fc.constantFrom('a', '字', '"', '\u0001'), times: fc.nat(5_000) });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), fc.integer({ min: 300, max: 80_000 }), (texts, maxChars) => {
      const written = texts.map(({ one, times }) => one.repeat(times));
      const view = { ...VIEW, recentOutput: written, warnings: written, result: written.join('') };

      expect(JSON.stringify(toBriefView(view, maxChars)).length).toBeLessThanOrEqual(maxChars);
    }),
    propertyRuns(60),
  );
});
