import { expect, test } from 'vitest';
import { createServer } from '../../src/kit/index.ts';
import { openRawClient } from './raw-client.ts';

const link = { type: 'resource_link', uri: 'notes://1', name: 'note' };
const text = { type: 'text', text: 'See "resource_link".' };

async function call(protocolVersion: string | undefined, tool: string): Promise<unknown> {
  const server = createServer({ name: 'test', version: '1.0.0' })
    .tool('text', { description: '' }, () => ({ content: [text] }))
    .tool('both', { description: '' }, () => ({ content: [link, text, link], _meta: { kept: 1 } }))
    .tool('later', { description: '' }, async () => ({ content: [text, link], isError: true }))
    .tool('links', { description: '' }, () => ({ content: [link] }));
  const client = openRawClient(server);
  if (protocolVersion !== undefined) await client.request('initialize', { protocolVersion });
  const { result } = await client.request('tools/call', { name: tool });
  await client.close();
  return result;
}

test.each(['2024-11-05', '2025-03-26'])(
  'a %s client gets no resource links, which it does not support',
  async (version) => {
    expect(await call(version, 'both')).toEqual({ content: [text], _meta: { kept: 1 } });
    expect(await call(version, 'later')).toEqual({ content: [text], isError: true });
    expect(await call(version, 'links')).toEqual({ content: [{ type: 'text', text: 'note: notes://1' }] });
    expect(await call(version, 'text')).toEqual({ content: [text] });
  },
);

test.each(['2025-06-18', '2025-11-25', '1999-01-01', undefined])('a %s client gets resource links', async (version) => {
  expect(await call(version, 'both')).toEqual({ content: [link, text, link], _meta: { kept: 1 } });
  expect(await call(version, 'later')).toEqual({ content: [text, link], isError: true });
});
