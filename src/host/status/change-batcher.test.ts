import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { LIST_KINDS, type ListKind } from '../../upstream/catalog/listing.ts';
import { type ChangeBatcher, createChangeBatcher } from './change-batcher.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const SOON_MS = 20;

describe('list changes', () => {
  test('are not reported after close, including pending ones', () => {
    const reported: string[] = [];
    const changes = createChangeBatcher((kind) => reported.push(kind));
    changes.changed('tools');
    changes.close();
    changes.changed('prompts');
    changes.close();
    vi.advanceTimersByTime(SOON_MS);
    expect([reported, vi.getTimerCount()]).toEqual([[], 0]);
  });

  test('are not reported after the callback calls close', () => {
    const reported: string[] = [];
    const changes: ChangeBatcher = createChangeBatcher((kind) => {
      reported.push(kind);
      changes.close();
    });
    changes.changed('tools');
    changes.changed('prompts');
    vi.advanceTimersByTime(SOON_MS);
    expect(reported).toEqual(['tools']);
  });

  test('are reported once per kind and in order, with resources and templates as one kind', () => {
    const reported: string[] = [];
    const changes = createChangeBatcher((kind) => reported.push(kind));
    for (const kind of ['prompts', 'resourceTemplates', 'tools', 'resources', 'prompts'] as const)
      changes.changed(kind);
    expect(reported).toEqual([]);
    vi.advanceTimersByTime(SOON_MS);
    expect(reported).toEqual(['prompts', 'resources', 'tools']);
  });

  test('during a report are reported next', () => {
    const reported: string[] = [];
    const changes: ChangeBatcher = createChangeBatcher((kind) => {
      if (reported.push(kind) === 1) changes.changed(kind);
    });
    changes.changed('tools');
    vi.advanceTimersByTime(SOON_MS);
    expect(reported).toEqual(['tools', 'tools']);
  });

  test('are never lost, and never reported without a change', () => {
    const step = fc.record({ kind: fc.constantFrom<ListKind>(...LIST_KINDS), waitMs: fc.nat(30) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let now = 0;
        const reported: { readonly kind: string; readonly at: number }[] = [];
        const received: { readonly kind: string; readonly at: number }[] = [];
        const changes = createChangeBatcher((kind) => reported.push({ kind, at: now }));
        const tick = (ms: number) => {
          for (let left = ms; left > 0; left--) {
            now++;
            vi.advanceTimersByTime(1);
          }
        };
        for (const { kind, waitMs } of steps) {
          received.push({ kind: kind === 'resourceTemplates' ? 'resources' : kind, at: now });
          changes.changed(kind);
          tick(waitMs);
        }
        tick(SOON_MS);
        const wasReported = (change: (typeof received)[number]) =>
          reported.some(({ kind, at }) => kind === change.kind && at > change.at && at <= change.at + SOON_MS);
        const isTrue = (news: (typeof reported)[number], index: number) => {
          const since = reported.slice(0, index).findLast(({ kind }) => kind === news.kind)?.at ?? 0;
          return received.some(({ kind, at }) => kind === news.kind && at >= since && at < news.at);
        };
        expect([
          received.filter((change) => !wasReported(change)),
          reported.filter((news, at) => !isTrue(news, at)),
        ]).toEqual([[], []]);
      }),
      propertyRuns(50),
    );
  });
});
