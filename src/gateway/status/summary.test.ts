import { expect, test } from 'vitest';
import { type SummarizedServer, summaryLine } from './summary.ts';

test('lists the ready servers in the original wording', () => {
  const servers = ['brave_search', 'fetch', 'gcal'].map((id): SummarizedServer => ({ id, state: 'ready' }));
  expect(summaryLine(servers)).toBe('Started 3 child server(s): brave_search, fetch, gcal');
  expect(summaryLine([])).toBe('Started 0 child server(s)');
});

test('then lists starting and failed servers, and those that need a sign-in or trust, but no disabled ones', () => {
  const servers: SummarizedServer[] = [
    { id: 'well', state: 'ready' },
    { id: 'slow', state: 'connecting' },
    { id: 'slower', state: 'connecting', reason: 'still starting after 5 s' },
    { id: 'tried', state: 'connecting', reason: 'not waited for, because its last start failed: no key' },
    { id: 'bad', state: 'error', reason: 'it ended:\n\u001b[31mno key\u001b[0m' },
    { id: 'worse', state: 'error' },
    { id: 'long', state: 'error', reason: 'x'.repeat(500) },
    { id: 'locked', state: 'auth_required', reason: 'sign in' },
    { id: 'off', state: 'disabled', reason: 'disabled' },
    { id: 'strange', state: 'disabled', reason: 'untrusted', next: 'switchboard trust' },
  ];
  expect(summaryLine(servers)).toBe(
    `Started 1 child server(s): well; starting: slow, slower; failed: tried (not waited for, because its last start failed: no key), bad (it ended: no key), worse (unknown), long (${'x'.repeat(159)}…); ` +
      'sign-in needed: locked; untrusted: strange (run: switchboard trust)',
  );
});
