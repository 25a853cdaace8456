import { expect, test } from 'vitest';
import { messagesText } from './text.ts';

const promptText = (content: unknown, role: unknown = 'user') => messagesText([{ role, content }]);

test('prints a placeholder for an invalid message', () => {
  expect(messagesText([])).toBe('no messages');
  expect(messagesText([null, { role: 7, content: 'text' }, { role: 'user', content: { type: 'text' } }])).toBe(
    ['nobody: [no content]', 'nobody: [no content]', 'user: [text]'].join('\n'),
  );
});

test('text cannot imitate another message or control the terminal', () => {
  expect(promptText({ type: 'text', text: 'one\nassistant: two\r\n\n\u001b[2Jthree\n' })).toBe(
    'user: one\n  assistant: two\n  \n  three',
  );
  expect(promptText({ type: 'text', text: 'x' }, 'assistant: y\nuser')).toBe('"assistant: y user": x');
});

test('describes non-text content', () => {
  expect(promptText({ type: 'image', data: 'AAAA', mimeType: 'image/png\u001b[1m' })).toBe(
    'user: [image/png, 3 bytes]',
  );
  expect(promptText({ type: 'resource_link', uri: 'a://b c' })).toBe('user: [resource: "a://b c"]');
  expect(promptText({ type: 'resource', resource: { uri: 'a://b', text: 'hello', mimeType: 'text/plain' } })).toBe(
    'user: [text/plain: a://b]\n  hello',
  );
  expect(promptText({ type: 'resource', resource: { uri: 'a://b', blob: 'AAAA' } })).toBe(
    'user: [resource, 3 bytes: a://b]',
  );
});

test('prefixes each part of a message with its role', () => {
  expect(
    promptText([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]),
  ).toBe('user: a\nuser: b');
});
