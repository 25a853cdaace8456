import { expect, test } from 'vitest';
import type { ElicitResult } from '../../serve/client-requests/elicitation.ts';
import { toCommandApproval } from '../engines/app-server/approvals/action-approvals.ts';
import { NO_EVENTS } from './events/event-router.ts';
import { type CompatPrompterOptions, createCompatPrompter } from './prompter.ts';

const REQUEST = toCommandApproval({ threadId: 't', turnId: 'u', itemId: 'i', command: 'ls' });

test('a client without elicitation refuses, or leaves the request to another tool', async () => {
  const alone = open({ hasRespondTool: false });
  expect(await alone.prompt()).toEqual({ kind: 'refused' });
  expect(alone.warnings).toEqual([
    'Codex requested an approval, which was refused because the client does not support elicitation.',
  ]);
  const together = open({ hasRespondTool: true });
  expect([await together.prompt(), together.warnings]).toEqual([{ kind: 'unsupported' }, []]);
});

test('prompts a client of the modern era through the call', async () => {
  const forms: unknown[] = [];
  const { prompt, warnings, approved } = open({
    hasRespondTool: false,
    async elicit({ message }) {
      forms.push(message);
      return { action: 'accept', content: { decision: 'approve' } };
    },
  });

  expect(await prompt()).toEqual({ kind: 'answers', answers: ['approve'] });
  expect([forms, warnings, approved]).toEqual([[expect.stringContaining('ls')], [], ['i']]);
});

test.each([
  ['a closed dialog', async () => ({ action: 'cancel' }) as const],
  ['an error', () => Promise.reject(new Error('gone'))],
])('refuses after %s in the call if no other tool can respond', async (_, elicit) => {
  expect(await open({ hasRespondTool: false, elicit }).prompt()).toEqual({ kind: 'refused' });
});

function open({
  hasRespondTool,
  elicit,
}: {
  readonly hasRespondTool: boolean;
  readonly elicit?: (form: { readonly message: string }) => Promise<ElicitResult>;
}) {
  const warnings: string[] = [];
  const approved: unknown[] = [];
  const { signal } = new AbortController();
  const client = {
    info: {},
    canBeAsked: false,
    reach: 'always' as const,
    notify: () => {},
    ask: () => expect.unreachable(),
    left: signal,
  };
  const options: CompatPrompterOptions = {
    threadId: 't',
    requestId: 1,
    events: { ...NO_EVENTS, approved: (itemId) => void approved.push(itemId) },
    hasRespondTool,
    // The tests pass nothing else to a prompter.
    elicitInCall: elicit as CompatPrompterOptions['elicitInCall'],
    warn: (text) => void warnings.push(text),
  };
  const prompter = createCompatPrompter(client, options);
  return { prompt: () => prompter.prompt(REQUEST, { timeoutMs: 1000, signal }), warnings, approved };
}
