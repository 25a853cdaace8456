import { expect, test } from 'vitest';
import { toolOutputs } from '../codex/model-request.ts';
import { verifies } from '../verifies.ts';
import { requestsOf, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';

const shared = shareTestbed({ extra: { features: { default_mode_request_user_input: true } } });

const COLOR = {
  id: 'color',
  header: 'Color',
  question: 'Which color?',
  options: [
    { label: 'Red', description: 'Like a tomato' },
    { label: 'Blue', description: 'Like the sea' },
  ],
};
const SIZE = {
  id: 'size',
  header: 'Size',
  question: 'Which size?',
  options: [
    { label: 'Small', description: 'Fits' },
    { label: 'Large', description: 'Does not' },
  ],
};

const ask = (...questions: readonly object[]) =>
  start(shared.client, [{ tool: { name: 'request_user_input', arguments: { questions } } }, { message: 'thank you' }]);

/** The answer that the model receives. */
function received(sessionId: string): unknown {
  const last = requestsOf(shared.testbed.model, sessionId).at(-1);
  return last === undefined ? undefined : JSON.parse(toolOutputs(last).at(-1) ?? '');
}

verifies(
  'codex:respond:one-per-question',
  'asks questions to the user together, with one answer per question',
  async () => {
    const flow = await ask(COLOR, SIZE);
    expect(await flow.settled()).toMatchObject({ status: 'awaiting_approval' });
    const asked = await flow.question();
    expect(asked).toEqual({
      id: asked.id,
      askedAt: expect.stringMatching(/Z$/u),
      type: 'user_input',
      questions: [
        {
          question: 'Codex asks:\n> Which color?\n> - Red: Like a tomato\n> - Blue: Like the sea',
          options: ['Red', 'Blue'],
        },
        { question: 'Codex asks:\n> Which size?\n> - Small: Fits\n> - Large: Does not', options: ['Small', 'Large'] },
      ],
    });
    expect(await flow.refusal(asked.id, 'Red')).toContain(
      'answers must contain one answer per question: 2 are expected, 1 given.',
    );
    expect(await flow.refusal(asked.id, 'Red', 'Small', 'Blue')).toContain('2 are expected, 3 given.');
    expect(await flow.question()).toEqual(asked);
    expect(await flow.respond(asked.id, 'Blue', ' Small ')).toEqual({ sessionId: flow.id, status: 'active' });
    expect(await flow.settled()).toMatchObject({ status: 'done', result: 'thank you' });
    expect(received(flow.id)).toEqual({ answers: { color: { answers: ['Blue'] }, size: { answers: ['Small'] } } });
  },
);

test('a free-text answer is passed on unchanged, including colons', async () => {
  const flow = await ask(COLOR);
  const { pendingQuestion } = await flow.settled();
  expect(pendingQuestion).toMatchObject({ questions: [{ isOpen: true }] });
  await flow.respond((await flow.question()).id, 'Red: but darker, as in rgb: 90 0 0');
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  expect(received(flow.id)).toEqual({ answers: { color: { answers: ['Red: but darker, as in rgb: 90 0 0'] } } });
});

test('an interrupt ends a turn that waits for user input', async () => {
  const flow = await ask(COLOR);
  const { id } = await flow.question();
  expect(await flow.interrupt()).toEqual({ sessionId: flow.id, status: 'interrupted' });
  expect(await flow.refusal(id, 'Red')).toContain('is no longer pending');
  expect(requestsOf(shared.testbed.model, flow.id)).toHaveLength(1);
});
