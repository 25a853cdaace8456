import { expect, test } from 'vitest';
import { runCodexExec } from '../codex/exec.ts';
import { type JsonObject, objectsOf } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { run, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';
import { eventually } from './testbed.ts';

const shared = shareTestbed();
const read = async (uri: string): Promise<JsonObject> => {
  const { contents } = await shared.client.request('resources/read', { uri });
  return objectsOf(contents)[0] ?? {};
};
const patch = '*** Begin Patch\n*** Add File: shown.txt\n+shown\n*** End Patch';

test('sessions are resources, with templates for their parts', async () => {
  const { sessionId } = await run(shared.client, [{ message: 'hello' }]);
  const { resources } = await shared.client.request('resources/list');
  expect(objectsOf(resources)[0]).toEqual({
    uri: 'codex://sessions',
    name: 'sessions',
    description: 'The sessions of this server',
    mimeType: 'application/json',
  });
  expect(resources).toContainEqual({
    uri: `codex://sessions/${sessionId}`,
    name: sessionId,
    description: `done, in ${shared.testbed.home.workDir}`,
    mimeType: 'application/json',
  });
  const { resourceTemplates } = await shared.client.request('resources/templates/list');
  expect(objectsOf(resourceTemplates).map(({ uriTemplate }) => uriTemplate)).toEqual([
    'codex://sessions/{id}',
    'codex://sessions/{id}/result{?page}',
    'codex://sessions/{id}/transcript{?page}',
    'codex://sessions/{id}/diff{?page}',
  ]);
});

test('all five resources can be read', async () => {
  const flow = await start(shared.client, [{ patch }, { shell: 'echo hi' }, { message: 'the end' }]);
  const status = await flow.settled();
  const uri = `codex://sessions/${flow.id}`;
  const { workDir } = shared.testbed.home;

  const all = await read('codex://sessions');
  expect(all).toMatchObject({ uri: 'codex://sessions', mimeType: 'application/json' });
  expect(objectsOf(JSON.parse(String(all['text']))['sessions'])).toContainEqual({
    sessionId: flow.id,
    status: 'done',
    workingDirectory: workDir,
    turnCount: 1,
  });

  const session = await read(uri);
  expect(session).toMatchObject({ uri, mimeType: 'application/json' });
  expect(JSON.parse(String(session['text']))).toEqual(status);

  expect(await read(`${uri}/result`)).toEqual({ uri: `${uri}/result`, mimeType: 'text/markdown', text: 'the end' });

  const transcript = await read(`${uri}/transcript`);
  expect(transcript).toMatchObject({ mimeType: 'text/markdown' });
  expect(String(transcript['text'])).toMatch(
    /^## Turn \S+ \(completed\)\n\n\*\*User\*\*\n\n.*- file_change: .*shown\.txt.*- command_execution: .*echo hi.*\*\*Codex\*\*\n\nthe end$/su,
  );

  const diff = await read(`${uri}/diff`);
  expect(diff).toMatchObject({ mimeType: 'text/x-diff' });
  expect(String(diff['text'])).toContain('+shown');
  expect(String(diff['text'])).toContain('shown.txt');
});

test('content longer than a page links to the next page', async () => {
  const long = `begin ${'x'.repeat(700_000)} end`;
  const { sessionId } = await run(shared.client, [{ message: long }]);
  for (const part of ['result', 'transcript']) {
    const texts: string[] = [];
    let uri: unknown = `codex://sessions/${sessionId}/${part}`;
    while (uri !== undefined && texts.length < 9) {
      const { contents } = await shared.client.request('resources/read', { uri });
      const [page, next] = objectsOf(contents);
      texts.push(String(page?.['text']));
      expect(next?.['text'] ?? '').toContain(next?.['uri'] ?? '');
      uri = next?.['uri'];
    }
    // The prompt is part of the transcript.
    expect(texts).toHaveLength(part === 'result' ? 2 : 3);
    // A transcript is read from its end.
    expect((part === 'result' ? texts : texts.toReversed()).join('')).toContain(long);
  }
});

test('the parts of a session that was never resumed here can be read too', async () => {
  const { home } = shared.testbed;
  const prompt = script([{ patch: patch.replace('shown.txt', 'stored.txt') }, { message: 'stored' }]);
  const ran = await runCodexExec({ home, prompt, args: ['-s', 'workspace-write'], timeoutMs: 50_000 });
  const uri = `codex://sessions/${String(ran.events[0]?.['thread_id'])}`;
  expect(String((await read(`${uri}/transcript`))['text'])).toContain('**Codex**\n\nstored');
  expect(String((await read(`${uri}/diff`))['text'])).toContain('stored.txt');
  expect(JSON.parse(String((await read(uri))['text']))).toMatchObject({ status: 'done', result: 'stored' });
});

test('an unknown resource is not found', async () => {
  const nobody = 'codex://sessions/01a10000-0000-7000-8000-000000000000';
  const wrong = [
    nobody,
    `${nobody}/transcript`,
    `${nobody}/diff`,
    `${nobody}/other`,
    'codex://other',
    'codex://sessions/%',
  ];
  for (const uri of [...wrong, 'codex://sessions/..%2F..%2Fetc', 'file:///etc/passwd']) {
    const { error } = await shared.client.begin('resources/read', { uri }).answer;
    expect(error).toMatchObject({ code: -32002, message: expect.stringContaining(uri) });
  }
});

test('a subscriber is notified of changes to a session until it unsubscribes', async () => {
  const { client } = shared;
  const flow = await start(client, [{ message: 'one' }]);
  await flow.settled();
  const uri = `codex://sessions/${flow.id}`;
  const updates = () =>
    client.notifications
      .filter(({ method }) => method === 'notifications/resources/updated')
      .map(({ params }) => params['uri']);
  const before = updates().length;
  for (const followed of [uri, `${uri}/result`, `${uri}/transcript`, `${uri}/diff`])
    await client.request('resources/subscribe', { uri: followed });
  await flow.say([{ message: 'two' }], { waitSeconds: 50 });
  await eventually(() => updates().slice(before).includes(`${uri}/diff`));
  expect(new Set(updates().slice(before))).toEqual(new Set([uri, `${uri}/result`, `${uri}/transcript`, `${uri}/diff`]));
  for (const followed of [uri, `${uri}/result`, `${uri}/transcript`, `${uri}/diff`])
    await client.request('resources/unsubscribe', { uri: followed });
  const received = updates().length;
  await flow.say([{ message: 'three' }], { waitSeconds: 50 });
  expect(updates()).toHaveLength(received);
});

test('a new session changes the list of resources, and the list of sessions', async () => {
  const { client } = shared;
  const count = (method: string) => client.notifications.filter((each) => each.method === method).length;
  await client.request('resources/subscribe', { uri: 'codex://sessions' });
  const listed = count('notifications/resources/list_changed');
  const updated = count('notifications/resources/updated');
  await run(client, [{ message: 'new' }]);
  await eventually(() => count('notifications/resources/list_changed') > listed);
  await eventually(() => count('notifications/resources/updated') >= updated + 2);
  await client.request('resources/unsubscribe', { uri: 'codex://sessions' });
});
