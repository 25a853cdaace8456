import { describe, expect, test } from 'vitest';
import { textOf } from '../codex/model-request.ts';
import { script } from '../codex/script.ts';
import { follow, lastPart, requestsOf, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';
import { FREE } from './testbed.ts';

/** The first half of an emoji, as at the end of text that was cut in the middle of one. */
const HALF = '\ud83d';
const SCHEMA = { type: 'object', properties: {}, additionalProperties: false, description: `half ${HALF}` };

describe.each(['app-server', 'exec'] as const)('a lone surrogate, with engine %s', (engine) => {
  const shared = shareTestbed({}, { args: ['--engine', engine, '--tools', 'full'] });

  test('reaches the model as the replacement character, and the turn completes', async () => {
    const { client, testbed } = shared;
    const prompt = `${script([{ message: 'read' }])} ${HALF}`;
    const texts = { name: HALF, baseInstructions: HALF, developerInstructions: HALF, outputSchema: SCHEMA };
    const config = { 'tui.notifications': `["${HALF}"]` };
    const started = await client.call('codex_start', { ...FREE, ...texts, config, prompt, waitSeconds: 50 });
    expect(started).toMatchObject({ status: 'done', result: 'read' });
    const { sessionId = '' } = started;
    const input = requestsOf(testbed.model, String(sessionId))[0]?.input ?? [];
    expect(input.map((item) => textOf(item['content']))).toContain(prompt.replace(HALF, '\ufffd'));

    const message = `${script([{ message: 'again' }])} ${HALF}`;
    expect(await client.call('codex_say', { sessionId, message, outputSchema: SCHEMA, waitSeconds: 50 })).toMatchObject(
      {
        status: 'done',
        result: 'again',
      },
    );
  });

  test('in an id or a filter gets a well-formed response', async () => {
    const { client } = shared;
    for (const name of ['codex_status', 'codex_say', 'codex_fork', 'codex_read', 'codex_diff']) {
      const more = name === 'codex_say' ? { message: 'x' } : {};
      const refused = await client.failure(name, { sessionId: HALF, ...more });
      expect(refused).toContain('\ufffd');
      expect(refused).not.toMatch(/\p{Cs}/u);
    }
    expect(await client.failure('codex_list', { [HALF]: 1 })).toContain('\ufffd: not known');
    expect(await client.call('codex_list', { search: HALF, workingDirectory: `/${HALF}` })).toMatchObject({
      sessions: [],
    });
  });
});

describe('a lone surrogate in an answer', () => {
  const shared = shareTestbed();

  test('reaches Codex as the replacement character', async () => {
    const { client, testbed } = shared;
    const steps = [{ shell: 'touch half.txt' }, { message: 'refused' }] as const;
    const flow = await start(client, steps, { approvalPolicy: 'untrusted' });
    const { id } = await flow.question();
    await flow.respond(id, `deny: not ${HALF}`);
    expect(await follow(client, flow.id).settled()).toMatchObject({ status: 'done', result: 'refused' });
    const requests = requestsOf(testbed.model, flow.id);
    const last = requests.at(-1);
    expect(last === undefined ? [] : lastPart(last)).toContainEqual(['user', 'Denied: not \ufffd']);
  });
});
