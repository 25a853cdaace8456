import { countCallItems, toCallItems } from './call-items.ts';
import type { JsonObject } from './json.ts';
import { type ModelRequest, textOf } from './model-request.ts';
import { readScript } from './script.ts';
import { BadScript, type Call, isCall, type Step } from './steps.ts';

/** The reply to one HTTP request: first the steps in order, then the calls. */
export type Reply = {
  readonly steps: readonly Exclude<Step, Call | { calls: unknown }>[];
  readonly calls: readonly JsonObject[];
};

type Stage = { readonly steps: Reply['steps']; readonly calls: readonly Call[] };

/**
 * Derives the position in the script from the conversation alone, so that many threads, forks and resumed sessions can
 * share one endpoint: the last user message with a script gives the steps, the calls after it give the position.
 */
export function nextReply(request: ModelRequest): Reply {
  const { steps, later } = findScript(request);
  const stages = toStages(steps);
  let stage = 0;
  let from = 0;
  for (const { calls } of stages) {
    const end = endOfCalls(later, { from, count: countCallItems(calls, request) });
    if (end === undefined) break;
    from = end;
    stage += 1;
  }
  const current = stages[stage];
  const since = later.slice(from);
  const isAnswered = current?.calls.length === 0 && since.some((item) => item['role'] === 'assistant');
  if (current === undefined || isAnswered) throw new BadScript('the script has no step left for this request');
  const searched = since.some((item) => item['type'] === 'tool_search_call');
  const calls = toCallItems(current.calls, { request, searched });
  return { steps: searched ? [] : current.steps, calls };
}

function findScript(request: ModelRequest): { steps: readonly Step[]; later: readonly JsonObject[] } {
  for (let index = request.input.length - 1; index >= 0; index -= 1) {
    const item = request.input[index];
    const steps = item?.['role'] === 'user' ? readScript(textOf(item['content'])) : undefined;
    if (steps !== undefined) return { steps, later: request.input.slice(index + 1) };
  }
  throw new BadScript('no user message contains a script');
}

/** Splits the steps after each use of tools: one stage is one response of the model. */
function toStages(steps: readonly Step[]): readonly Stage[] {
  const stages: Stage[] = [];
  let open: Reply['steps'][number][] = [];
  for (const [index, step] of steps.entries()) {
    if ('error' in step && open.some((earlier) => !('delayMs' in earlier))) {
      throw new BadScript(`step ${index}: error must be the first thing of its response`);
    }
    if (isCall(step) || 'calls' in step) {
      stages.push({ steps: open, calls: isCall(step) ? [step] : step.calls });
      open = [];
    } else {
      open.push(step);
    }
  }
  return open.length === 0 ? stages : [...stages, { steps: open, calls: [] }];
}

/** The index after the `count`-th call from `from` on; undefined if there are fewer or `count` is 0. */
function endOfCalls(items: readonly JsonObject[], options: { from: number; count: number }): number | undefined {
  let seen = 0;
  for (let index = options.from; index < items.length && seen < options.count; index += 1) {
    const type = items[index]?.['type'];
    if (type === 'function_call' || type === 'custom_tool_call') seen += 1;
    if (seen === options.count) return index + 1;
  }
  return undefined;
}
