import { describe, expect, test } from 'vitest';
import type { Step } from '../codex/steps.ts';
import { verifies } from '../verifies.ts';
import { run, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';

describe('a turn that fails', () => {
  const shared = shareTestbed({}, { env: { MAX_SESSIONS: '20' } });
  const cases: readonly (readonly [name: string, step: Step, error: object])[] = [
    [
      'HTTP 401',
      { error: 401 },
      { kind: 'auth', httpStatus: 401, message: expect.stringContaining('401 Unauthorized') },
    ],
    ['HTTP 403', { error: 403 }, { kind: 'auth', httpStatus: 403 }],
    ['HTTP 404', { error: 404 }, { kind: 'bad_request', httpStatus: 404 }],
    ['HTTP 429', { error: 429 }, { kind: 'rate_limit', httpStatus: 429 }],
    ['HTTP 500', { error: 500 }, { kind: 'overloaded', message: expect.stringContaining('high demand') }],
    ['HTTP 503', { error: 503 }, { kind: 'overloaded', httpStatus: 503 }],
    [
      'a full context window',
      { failed: { code: 'context_length_exceeded', message: 'too much' } },
      { kind: 'context_window', message: expect.stringContaining('ran out of room') },
    ],
    [
      'a used-up quota',
      { failed: { code: 'insufficient_quota', message: 'no more' } },
      { kind: 'usage_limit', message: expect.stringContaining('Quota exceeded') },
    ],
    [
      'a rate limit in the stream',
      { failed: { code: 'rate_limit_exceeded', message: 'slow' } },
      { kind: 'rate_limit' },
    ],
    ['a full model', { failed: { code: 'server_is_overloaded', message: 'busy' } }, { kind: 'overloaded' }],
    [
      'a prompt that is refused',
      { failed: { code: 'invalid_prompt', message: 'not this one' } },
      { kind: 'other', message: 'not this one' },
    ],
    ['a cut stream', { cut: true }, { kind: 'network', message: expect.stringContaining('stream disconnected') }],
  ];

  verifies(
    ['codex:session:turn-failed', 'codex:status:error-reason'],
    'leaves its session in error, with the kind and message from Codex',
    async () => {
      const ends = await Promise.all(cases.map(([, step]) => run(shared.client, [step])));
      const reported = ends.map(({ status, error }, index) => [cases[index]?.[0], status, error]);
      expect(reported).toEqual(
        cases.map(([name, , error]) => [
          name,
          'error',
          expect.objectContaining({ message: expect.stringMatching(/./u), ...error }),
        ]),
      );
    },
  );

  test('keeps earlier output and has no result', async () => {
    const status = await run(shared.client, [{ message: 'I begin.' }, { shell: 'true' }, { error: 400 }]);
    expect(status).toMatchObject({ status: 'error', recentOutput: ['I begin.'], turnCount: 1 });
    expect(Object.keys(status)).not.toContain('result');
  });
});

describe('when Codex retries', () => {
  // The delays between attempts grow. The later ones are long enough to be observed.
  const shared = shareTestbed({
    extra: { model_providers: { scripted: { stream_max_retries: 4, request_max_retries: 0 } } },
  });

  verifies('codex:session:transient-error', 'the turn continues and reports the reason for the delay', async () => {
    const flow = await start(shared.client, [{ cut: true }]);
    const seen: unknown[] = [];
    let status = await flow.status();
    while (status['status'] === 'active') {
      seen.push(status['retrying']);
      status = await flow.status({ waitSeconds: 0.05 });
    }
    expect(seen).toContainEqual(expect.stringMatching(/Reconnecting... \d\/\d: stream disconnected/u));
    expect(status).toMatchObject({
      status: 'error',
      error: { message: expect.stringContaining('stream disconnected') },
    });
    expect(Object.keys(status)).not.toContain('retrying');
  });
});
