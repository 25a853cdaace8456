import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { openTestFront } from './front.ts';
import { toolCall } from './raw-client.ts';

verifies(['http:stop:graceful'], 'a stop lets running calls finish, and ends streams properly', async () => {
  const { raw, waiting, front } = await openTestFront();
  const { headers } = await raw.initialize();
  const stream = await raw.open({ method: 'GET', headers });
  const call = raw.post(toolCall(1, 'wait'), headers);
  await expect.poll(() => waiting.length).toBe(1);
  const closing = front.close();
  waiting[0]?.finish('finished');
  expect((await call).message.result).toEqual({ content: [{ type: 'text', text: 'finished' }] });
  expect((await call).headers['connection']).toBe('close');
  expect(await stream.ended).toBe(true);
  await closing;
  await expect(raw.connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(front.counts).toMatchObject({ sessions: 0, requests: 0, streams: 0 });
});

test('while calls finish, no new session is opened, but running ones can be continued', async () => {
  const { raw, waiting, front } = await openTestFront();
  const { headers } = await raw.initialize({ capabilities: { elicitation: {} } });
  const call = raw.post(toolCall(1, 'wait'), headers);
  await expect.poll(() => waiting.length).toBe(1);
  const socket = await raw.connect();
  front.stopAccepting();
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
  expect(await socket.received).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 1/);
  waiting[0]?.finish('finished');
  expect((await call).status).toBe(200);
});

test('a call that does not finish in time is cancelled, and its client is told', async () => {
  const { raw, waiting, front } = await openTestFront();
  const { headers } = await raw.initialize();
  const call = raw.post(toolCall(1, 'wait'), headers);
  await expect.poll(() => waiting.length).toBe(1);
  await front.close({ drainMs: 50 });
  expect(await call).toMatchObject({ status: 503, message: { error: { code: 1024 } } });
  expect(waiting[0]?.signal.aborted).toBe(true);
});

test('close may be called twice, and also without any client', async () => {
  const { front } = await openTestFront();
  await Promise.all([front.close(), front.close()]);
});
