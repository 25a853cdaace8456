import { expect, test } from 'vitest';
import { TRANSLATED_METHODS } from '../../src/codex/compat/events/translate.ts';
import { openBindings } from '../codex-server/wire-shapes.ts';

test.for(['current', 'previous'] as const)('the %s Codex knows every translated notification', async (release) => {
  await using bindings = await openBindings(release);
  const known = [...TRANSLATED_METHODS, 'thread/started', 'mcpServer/startupStatus/updated'];
  const list = (methods: readonly string[]) => {
    const text = `export const methods: readonly ServerNotification['method'][] = ${JSON.stringify(methods)};`;
    return bindings.check([{ uses: ['ServerNotification'], text }]);
  };
  expect(await list(known)).toEqual([]);
  expect(await list(['item/agentMessage/piece'])).toHaveLength(1);
});
