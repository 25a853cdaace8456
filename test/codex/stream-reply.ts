import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStream } from './event-stream.ts';
import type { JsonObject } from './json.ts';
import type { Reply } from './next-reply.ts';
import type { Usage } from './steps.ts';

const DEFAULT_USAGE: Usage = { input_tokens: 10, output_tokens: 5 };

/** Streams one reply like the Responses API. Rejects with the stream's abort reason if the client disconnects. */
export async function streamReply(reply: Reply, stream: EventStream): Promise<void> {
  const id = `resp_${randomUUID()}`;
  const [first] = reply.steps.filter((step) => !('delayMs' in step));
  // An error or a hang must come before the first byte: a started stream can no longer send a status.
  if (first === undefined || !('error' in first || 'hang' in first))
    stream.send('response.created', { response: { id } });
  let usage = DEFAULT_USAGE;
  for (const step of reply.steps) {
    if ('message' in step) await sendMessage(stream, { pieces: [step.message], paceMs: 0 });
    if ('deltas' in step) await sendMessage(stream, { pieces: step.deltas, paceMs: step.paceMs ?? 0 });
    if ('reasoning' in step) sendReasoning(stream, step.reasoning);
    if ('delayMs' in step) await sleep(step.delayMs, undefined, { signal: stream.signal });
    if ('usage' in step) usage = step.usage;
    if ('error' in step) {
      return stream.refuse(step.error, { code: 'scripted', message: `scripted error ${step.error}` });
    }
    if ('failed' in step) {
      stream.send('response.failed', { response: { id, error: step.failed } });
      return stream.end();
    }
    if ('hang' in step) return await aborted(stream.signal);
    if ('cut' in step) return await stream.cut();
  }
  for (const item of reply.calls) {
    stream.send('response.output_item.added', { item });
    stream.send('response.output_item.done', { item });
  }
  stream.send('response.completed', { response: { id, usage: toWireUsage(usage) } });
  stream.end();
}

async function sendMessage(stream: EventStream, message: { pieces: readonly string[]; paceMs: number }): Promise<void> {
  const item = { type: 'message', role: 'assistant', id: `msg_${randomUUID()}` };
  stream.send('response.output_item.added', { item: { ...item, content: [] } });
  for (const delta of message.pieces) {
    if (message.paceMs > 0) await sleep(message.paceMs, undefined, { signal: stream.signal });
    stream.send('response.output_text.delta', { item_id: item.id, content_index: 0, delta });
  }
  const content = [{ type: 'output_text', text: message.pieces.join('') }];
  stream.send('response.output_item.done', { item: { ...item, content } });
}

function sendReasoning(stream: EventStream, text: string): void {
  const item = { type: 'reasoning', id: `rs_${randomUUID()}` };
  const place = { item_id: item.id, summary_index: 0 };
  stream.send('response.output_item.added', { item: { ...item, summary: [] } });
  stream.send('response.reasoning_summary_part.added', place);
  stream.send('response.reasoning_summary_text.delta', { ...place, delta: text });
  stream.send('response.output_item.done', { item: { ...item, summary: [{ type: 'summary_text', text }] } });
}

function toWireUsage(usage: Usage): JsonObject {
  const { input_tokens = 0, cached_input_tokens = 0, output_tokens = 0, reasoning_output_tokens = 0 } = usage;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: cached_input_tokens },
    output_tokens,
    output_tokens_details: { reasoning_tokens: reasoning_output_tokens },
    total_tokens: input_tokens + output_tokens,
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
