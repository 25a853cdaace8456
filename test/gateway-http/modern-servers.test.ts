import { expect, onTestFinished, test } from 'vitest';
import { createServer, serveHttp } from '../../src/kit/index.ts';
import { at } from '../http/harness.ts';
import { verifies } from '../verifies.ts';
import { gatewayHttpHarness } from './harness.ts';
import { RawClient } from './raw-client.ts';

const { openGateway } = gatewayHttpHarness();

const FORM = { type: 'object', properties: { name: { type: 'string' } } };
const accepted = (name: string) => ({ action: 'accept', content: { name } });

/** Starts a server of the kit and a gateway in front of it, and returns a modern client. */
async function open(): Promise<RawClient> {
  const server = createServer({ name: 'modern', version: '1' })
    .tool('meet', { description: 'Asks for two names.' }, async (_, { elicit }) => {
      const answers = await Promise.all(
        ['host', 'guest "1"'].map((key) => elicit({ message: `Name of the ${key}?`, schema: FORM }, { key })),
      );
      return answers.map((answer) => (answer.action === 'accept' ? answer.content['name'] : answer.action)).join();
    })
    .resource('test://one', { name: 'one' }, () => 'one');
  const { url, close } = await serveHttp(server, { port: 0 });
  onTestFinished(close);
  const gateway = await openGateway({ one: at(url) });
  const client = new RawClient(gateway.url, 'modern');
  client.capabilities = { elicitation: {} };
  await client.request('tools/list');
  return client;
}

verifies('gateway:modern:input-keys', 'required input keeps the keys that a modern server chose', async () => {
  const client = await open();
  const { result } = await client.call('one__meet');
  expect(result.inputRequests).toEqual({
    host: { method: 'elicitation/create', params: expect.objectContaining({ message: 'Name of the host?' }) },
    'guest "1"': {
      method: 'elicitation/create',
      params: expect.objectContaining({ message: 'Name of the guest "1"?' }),
    },
  });
  const inputResponses = { host: accepted('Ada'), 'guest "1"': accepted('Bob') };
  const answered = await client.request('tools/call', {
    ...{ name: 'one__meet', arguments: {} },
    ...{ requestState: result.requestState, inputResponses },
  });
  expect(answered.result.content[0].text).toBe('Ada,Bob');
});

test('answers that come with the first request reach a modern server', async () => {
  const client = await open();
  const meet = (inputResponses: unknown) =>
    client.request('tools/call', { name: 'one__meet', arguments: {}, inputResponses });
  const both = { host: accepted('Ada'), 'guest "1"': accepted('Bob'), stranger: accepted('Eve') };
  expect((await meet(both)).result.content[0].text).toBe('Ada,Bob');
  const { result } = await meet({ stranger: accepted('Eve') });
  expect(Object.keys(result.inputRequests)).toEqual(['host', 'guest "1"']);
});

test('the error for an unknown resource contains its URI', async () => {
  const client = await open();
  const { error } = await client.request('resources/read', { uri: 'test://none' });
  expect(error).toMatchObject({ code: -32602, data: { uri: 'test://none', serverName: 'one' } });
});
