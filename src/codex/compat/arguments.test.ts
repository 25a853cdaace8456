import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseConfigValue } from '../settings/toml.ts';
import { threadIdOf, toStartArguments } from './arguments.ts';

test('maps the given arguments to their names in codex_start', () => {
  expect(toStartArguments({ prompt: 'p' }, '/ws')).toEqual({
    prompt: 'p',
    workingDirectory: '/ws',
    skipGitRepoCheck: true,
  });
  const given = {
    prompt: 'p',
    'approval-policy': 'never',
    'base-instructions': 'b',
    'compact-prompt': 'c',
    config: { text: '5', number: 5, list: ['a'] },
    cwd: 'below',
    'developer-instructions': 'd',
    images: ['i'],
    model: 'm',
    profile: 'f',
    sandbox: 'read-only',
  } as const;
  expect(toStartArguments(given, '/ws/below')).toEqual({
    prompt: 'p',
    workingDirectory: '/ws/below',
    skipGitRepoCheck: true,
    approvalPolicy: 'never',
    baseInstructions: 'b',
    compactPrompt: 'c',
    config: { text: '"5"', number: 5, list: ['a'] },
    developerInstructions: 'd',
    images: ['i'],
    model: 'm',
    profile: 'f',
    sandbox: 'read-only',
  });
});

test('keeps any text in the config as text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      const { config } = toStartArguments({ prompt: 'p', config: { key: text } }, '/ws');
      expect(await parseConfigValue(String(config?.['key']))).toBe(text);
    }),
  );
});

test('prefers threadId to conversationId', () => {
  expect(threadIdOf({ prompt: 'p', threadId: 'new', conversationId: 'old' })).toBe('new');
  expect(threadIdOf({ prompt: 'p', conversationId: 'old' })).toBe('old');
  expect(threadIdOf({ prompt: 'p' })).toBeUndefined();
});
