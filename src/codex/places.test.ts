import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { refusePlaces } from './places.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'places-')));
for (const folder of ['codex/sessions', 'codex-not', 'person/.codex', 'outside', 'inside'])
  mkdirSync(join(root, folder), { recursive: true });
symlinkSync(join(root, 'outside'), join(root, 'inside', 'leads-out'));
afterAll(() => rmSync(root, { recursive: true }));

const OPEN = { maxSandbox: 'danger-full-access', allowsDanger: false, roots: [] } as const;

test.each([
  ['the folder itself', 'codex', 'codex', true],
  ['inside of it', 'codex/sessions', 'codex', true],
  ['one that holds it', '.', 'codex', true],
  ['one in which Codex protects it', 'person', 'person/.codex', false],
  ['beside it', 'codex-not', 'codex', false],
])('whoever could write to the folder of Codex is refused: %s', (_, folder, home, isRefused) => {
  const check = (sandbox: string | undefined, allowsDanger = false) =>
    refusePlaces([join(root, folder)], sandbox, { codexHome: join(root, home), ceilings: { ...OPEN, allowsDanger } });

  if (isRefused) expect(() => check(undefined)).toThrow(expect.objectContaining({ code: 'DENIED' }));
  else expect(check('workspace-write')).toBeUndefined();
  expect([check('read-only'), check('workspace-write', true)]).toEqual([undefined, undefined]);
});

test('a link that stands where a folder was is seen', () => {
  const ceilings = { ...OPEN, roots: [join(root, 'inside')] };
  const check = (...folders: string[]) =>
    refusePlaces(folders, 'read-only', { codexHome: join(root, 'codex'), ceilings });

  expect(check(join(root, 'inside'), join(root, 'inside', 'not-there'))).toBeUndefined();
  expect(() => check(join(root, 'inside'), join(root, 'inside', 'leads-out'))).toThrow(
    expect.objectContaining({ code: 'DENIED', message: expect.stringContaining('leads-out leads outside') }),
  );
});
