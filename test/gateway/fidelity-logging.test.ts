import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type TestClient } from './harness.ts';
import { lines, receivedParams } from './scripted-lines.ts';

const { openGateway, openSingle } = gatewayHarness();

test('a log message gets its server name before the logger and is otherwise unchanged', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect();
  await client.toolNames();
  const from = client.lines.length;
  const log = (params: string) => `{"jsonrpc":"2.0","method":"notifications/message","params":${params}}`;
  await client.call(
    'one__say',
    lines(
      log('{"level":"info","logger":"db\\u002fpool","data":{"n":9007199254740993,"n":1.0}}'),
      log('{"level":"error", "data":"no logger"}'),
      log('{"data":1e400,"level":"weird","logger":7,"_meta":{"x":[]}}'),
      log('{}'),
    ),
  );
  expect(client.lines.slice(from, -1)).toEqual([
    log('{"level":"info","logger":"one/db/pool","data":{"n":9007199254740993,"n":1.0}}'),
    log('{"logger":"one","level":"error", "data":"no logger"}'),
    log('{"data":1e400,"level":"weird","logger":"one","_meta":{"x":[]}}'),
    log('{"logger":"one"}'),
  ]);
});

test('the log level of the client reaches exactly the servers that can log', async () => {
  const { connect } = openGateway({ one: fixture('offers-everything'), two: fixture('says-anything') });
  const client = await connect();
  await client.toolNames();
  expect(await client.request('logging/setLevel', { level: 'warning' })).toMatchObject({ result: {} });
  expect(await receivedParams(client, 'one__', 'logging/setLevel')).toEqual([{ level: 'warning' }]);
  expect(await receivedParams(client, 'two__', 'logging/setLevel')).toEqual([]);
});

test('an invalid log level is rejected', async () => {
  const { connect } = openGateway({ one: fixture('offers-everything') });
  const client = await connect();
  await client.toolNames();
  for (const params of [{ level: 'loud' }, {}, { level: 3 }]) {
    expect((await client.request('logging/setLevel', params)).error).toEqual({
      code: -32602,
      message: 'params.level must be one of debug, info, notice, warning, error, critical, alert, emergency.',
    });
  }
  expect(await receivedParams(client, 'one__', 'logging/setLevel')).toEqual([]);
});

test('log messages below the requested level are dropped', async () => {
  const { connect } = openGateway({ one: fixture('offers-everything') });
  const client = await connect();
  await client.request('logging/setLevel', { level: 'warning' });
  for (const level of ['debug', 'notice', 'warning', 'emergency', 'unheard-of']) {
    await client.call('one__log', { level, data: 1 });
  }
  expect(levels(client)).toEqual(['warning', 'emergency', 'unheard-of']);
});

test('a restarted server gets the log level before any call', async () => {
  const { connect } = openGateway({ one: fixture('offers-everything') });
  const client = await connect();
  await client.toolNames();
  await client.request('logging/setLevel', { level: 'info' });
  await client.request('logging/setLevel', { level: 'error' });
  await client.call('one__die');
  const received = await client.call('one__heard');
  const methods = JSON.parse(received.result.content[0].text).map((line: string) => JSON.parse(line));
  expect(methods.slice(0, 3)).toMatchObject([
    { method: 'initialize' },
    { method: 'notifications/initialized' },
    { method: 'logging/setLevel', params: { level: 'error' } },
  ]);
});

test('a log level set before a server is ready is sent when it is', async () => {
  const { connect } = openGateway({ one: fixture('offers-everything') });
  const client = await connect();
  await client.request('logging/setLevel', { level: 'alert' });
  expect(await receivedParams(client, 'one__', 'logging/setLevel')).toEqual([{ level: 'alert' }]);
});

test('with a single command, logs are forwarded unchanged, and a restarted server gets the level', async () => {
  const client = await openSingle(fixture('offers-everything')).connect();
  await client.request('logging/setLevel', { level: 'error' });
  await client.call('log', { level: 'error', logger: 'db', data: 1 });
  expect(client.notifications('notifications/message').map(({ params }) => params)).toEqual([
    { level: 'error', logger: 'db', data: 1 },
  ]);
  await client.call('die');
  expect(await receivedParams(client, '', 'logging/setLevel')).toEqual([{ level: 'error' }]);
});

function levels(client: TestClient): unknown[] {
  return client.notifications('notifications/message').map(({ params }) => params?.['level']);
}
