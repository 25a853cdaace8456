import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { EngineEvent } from '../../src/codex/engine.ts';
import type { EngineTests } from './engine.ts';

/** Events of successful turns. */
export function testTurns({ openTestbed, shell, patch, lacks }: EngineTests): void {
  test('a turn is reported from its start to its only end, in our own types', async () => {
    await using testbed = await openTestbed();
    const change = '*** Begin Patch\n*** Add File: hello.txt\n+Hello\n*** End Patch';
    const turn = await testbed.start(
      [
        { reasoning: 'I think.' },
        shell('echo one'),
        shell('exit 3'),
        patch(change),
        { usage: { input_tokens: 100, cached_input_tokens: 40, output_tokens: 7, reasoning_output_tokens: 3 } },
        { message: 'Done.' },
      ],
      { sandbox: 'danger-full-access', approvalPolicy: 'never' },
    );
    const { sessionId, turnId } = turn;
    const file = join(testbed.home.workDir, 'hello.txt');

    expect(await testbed.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'Done.' });
    const events = testbed.eventsOf(sessionId).filter(({ kind }) => kind !== 'warning');
    expect(events.slice(0, 2)).toEqual([
      {
        kind: 'opened',
        session: expect.objectContaining({ sessionId, cwd: testbed.home.workDir, sandbox: 'danger-full-access' }),
      },
      { kind: 'turn-started', turnId },
    ]);
    expect(events.filter(({ kind }) => kind === 'turn-ended')).toEqual([events.at(-1)]);
    expect(itemsOf(events)).toEqual([
      { type: 'reasoning', status: 'completed', summary: 'I think.' },
      { type: 'command_execution', status: 'completed', summary: expect.stringContaining('echo one') },
      { type: 'command_execution', status: 'failed', summary: expect.stringContaining('exit 3'), exitCode: 3 },
      {
        type: 'file_change',
        status: 'completed',
        summary: file,
        files: [expect.objectContaining({ path: file, kind: 'add' })],
      },
      { type: 'agent_message', status: 'completed', summary: 'Done.', text: 'Done.' },
    ]);
    const reasoningOutputTokens = lacks.includes('reasoning tokens') ? 0 : 3;
    // Three model responses came before, with 10 and 5 tokens each.
    const used = { inputTokens: 130, cachedInputTokens: 40, outputTokens: 22, reasoningOutputTokens };
    expect(events.findLast(({ kind }) => kind === 'usage')).toMatchObject({ kind: 'usage', total: used, turn: used });
    expect(await readFile(file, 'utf8')).toBe('Hello\n');
  });

  test('a turn is reported before the request that starts it resolves', async () => {
    await using testbed = await openTestbed();
    const { engine } = testbed;
    const turn = await testbed.start([{ message: 'Done.' }]);
    expect(testbed.eventsOf(turn.sessionId)).toContainEqual({ kind: 'turn-started', turnId: turn.turnId });
    await testbed.endOf(turn);
    const request = { sessionId: turn.sessionId, settings: {}, turn: {}, input: { text: 'hi', images: [] } };
    const { turnId } = await engine.say(request);

    expect(testbed.eventsOf(turn.sessionId)).toContainEqual({ kind: 'turn-started', turnId });
  });

  test('an MCP tool is reported with the names of its server and tool', async () => {
    await using testbed = await openTestbed({ mcpServers: { echo: { command: process.execPath, args: [ECHO] } } });
    const turn = await testbed.run([
      { mcp: { server: 'echo', tool: 'echo', arguments: { text: 'hi' } } },
      { message: 'Done.' },
    ]);

    expect(itemsOf(testbed.eventsOf(turn.sessionId))).toEqual([
      { type: 'mcp_tool_call', status: 'completed', summary: 'echo/echo' },
      { type: 'agent_message', status: 'completed', summary: 'Done.', text: 'Done.' },
    ]);
  });

  test.runIf(!lacks.includes('plan'))('a plan is reported with its steps', async () => {
    await using testbed = await openTestbed();
    const plan = [
      { step: 'Look.', status: 'completed' },
      { step: 'Leap.', status: 'pending' },
    ];
    const turn = await testbed.run([{ tool: { name: 'update_plan', arguments: { plan } } }, { message: 'Done.' }]);

    const items = testbed.eventsOf(turn.sessionId).flatMap((event) => (event.kind === 'item' ? [event.item] : []));
    expect(items.find(({ type }) => type === 'todo_list')).toMatchObject({ plan, summary: '1 of 2 done; now: Leap.' });
  });

  test('the next message starts a turn of the same conversation, and its usage is added', async () => {
    await using testbed = await openTestbed();
    const first = await testbed.run([
      { usage: { input_tokens: 10, output_tokens: 2 } },
      { message: 'The word is teal.' },
    ]);
    const second = await testbed.say(first.sessionId, [
      { usage: { input_tokens: 5, output_tokens: 1 } },
      { message: 'I know.' },
    ]);

    expect(await testbed.endOf(second)).toEqual({ status: 'completed', lastMessage: 'I know.' });
    expect(second.sessionId).toBe(first.sessionId);
    expect(second.turnId).not.toBe(first.turnId);
    expect(JSON.stringify(testbed.model.requests.at(-1)?.input)).toContain('The word is teal.');
    expect(testbed.eventsOf(first.sessionId).findLast(({ kind }) => kind === 'usage')).toMatchObject({
      total: { inputTokens: 15, cachedInputTokens: 0, outputTokens: 3, reasoningOutputTokens: 0 },
      turn: { inputTokens: 5, cachedInputTokens: 0, outputTokens: 1, reasoningOutputTokens: 0 },
    });
  });

  test('two sessions at once do not mix', async () => {
    await using testbed = await openTestbed();
    const folders = await Promise.all([testbed.folder('left'), testbed.folder('right')]);
    const speak = (name: string) => [shell(`sleep 0.2; echo ${name}`), { message: `I am ${name}.` }];
    const turns = await Promise.all(
      folders.map((cwd) =>
        testbed.start(speak(cwd.endsWith('left') ? 'left' : 'right'), { cwd, sandbox: 'danger-full-access' }),
      ),
    );
    const [left, right] = turns.map(({ sessionId }) => sessionId);

    expect(await Promise.all(turns.map(testbed.endOf))).toEqual([
      { status: 'completed', lastMessage: 'I am left.' },
      { status: 'completed', lastMessage: 'I am right.' },
    ]);
    expect(left).not.toBe(right);
    expect(JSON.stringify(testbed.eventsOf(left ?? ''))).not.toContain('right');
    expect(JSON.stringify(testbed.eventsOf(right ?? ''))).not.toContain('left');
    expect(new Set(testbed.reported.map(({ sessionId }) => sessionId))).toEqual(new Set([left, right]));
  });

  test.runIf(!lacks.includes('steer'))('steering text reaches the model within the running turn', async () => {
    await using testbed = await openTestbed();
    const turn = await testbed.start([shell('sleep 1'), { message: 'Done.' }], { sandbox: 'danger-full-access' });
    await testbed.until(() => testbed.reported.find(({ event }) => event.kind === 'item'));
    await testbed.engine.steer(turn, { text: 'The color is teal.', images: [] });

    expect(await testbed.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'Done.' });
    expect(JSON.stringify(testbed.model.requests.at(-1)?.input)).toContain('The color is teal.');
  });
}

const ECHO = fileURLToPath(new URL('../codex/echo-server.mjs', import.meta.url));

/** Returns the completed items without their ids, which are specific to the engine. */
function itemsOf(events: readonly EngineEvent[]) {
  return events
    .flatMap((event) => (event.kind === 'item' ? [event.item] : []))
    .filter(({ status }) => status === 'completed' || status === 'failed')
    .map(({ id: _, ...item }) => item);
}
