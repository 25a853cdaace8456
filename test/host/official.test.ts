import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { officialServer } from '../interop/programs.ts';
import { call, configOf, hostHarness } from './host-harness.ts';

const { openHost, newFolder } = hostHarness();

test('an agent uses the official servers side by side', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'note.txt'), 'remember the milk');
  const config = configOf({
    everything: officialServer('everything', 'stdio'),
    files: officialServer('filesystem', folder),
  });
  const host = await openHost({ config });
  expect(await call(host, 'everything', 'echo', { message: 'hi' })).toMatchObject({
    is_error: false,
    text: 'Echo: hi',
  });
  expect(await call(host, 'everything', 'get-sum', { a: 2, b: 3 })).toMatchObject({
    text: expect.stringMatching(/2 and 3 is 5/),
  });
  const { content } = await call(host, 'everything', 'get-tiny-image');
  expect(content.map(({ type }) => type)).toContain('image');
  const read = { path: join(folder, 'note.txt') };
  expect(await call(host, 'files', 'read_text_file', read)).toMatchObject({ text: 'remember the milk' });
  expect(await call(host, 'files', 'read_text_file', { path: '/etc/passwd' })).toMatchObject({
    is_error: true,
    text: expect.stringMatching(/denied/i),
  });
  expect((await host.resources.list({ server: 'everything' })).length).toBeGreaterThan(0);
  const prompts = await host.prompts.list({ server: 'everything' });
  expect(prompts.map(({ name }) => name)).toContain('simple-prompt');
  expect(await host.prompts.get('everything', 'simple-prompt')).toMatchObject({ messages: [{ role: 'user' }] });
  expect(host.list()).toMatchObject([{ state: 'ready' }, { state: 'ready' }]);
});
