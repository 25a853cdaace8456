import { expect, test } from 'vitest';
import { createConfirmationQueue, type QueueTurn } from './confirmation-queue.ts';

test('does not wait with an aborted signal or in a full queue', async () => {
  const line = createConfirmationQueue(1);
  expect(await line.wait(AbortSignal.abort())).toEqual({ kind: 'aborted' });
  const first = await line.wait(undefined);
  const second = line.wait(undefined);
  expect(await line.wait(undefined)).toEqual({ kind: 'full' });
  end(first);
  end(await second);
  expect((await line.wait(undefined)).kind).toBe('turn');
});

test('an aborted wait frees its place, and the others keep their order', async () => {
  const line = createConfirmationQueue(3);
  const order: string[] = [];
  const enter = async (name: string, signal?: AbortSignal) => {
    const place = await line.wait(signal);
    order.push(`${name} ${place.kind}`);
    return place;
  };
  const first = await enter('first');
  const leaving = new AbortController();
  const waiting = [enter('second'), enter('third', leaving.signal), enter('fourth')];
  expect(await line.wait(undefined)).toEqual({ kind: 'full' });
  leaving.abort();
  await waiting[1];
  const fifth = enter('fifth');
  end(first);
  end(await (waiting[0] ?? first));
  end(await (waiting[2] ?? first));
  end(await fifth);
  expect(order).toEqual(['first turn', 'third aborted', 'second turn', 'fourth turn', 'fifth turn']);
});

test('grants one turn at a time, even if another call arrives during the handover', async () => {
  const line = createConfirmationQueue(10);
  const first = await line.wait(undefined);
  const second = line.wait(undefined);
  end(first);
  let isThird = false;
  const third = line.wait(undefined).then((place) => {
    isThird = true;
    return place;
  });
  const place = await second;
  await new Promise((resolve) => setImmediate(resolve));
  expect(isThird).toBe(false);
  end(place);
  expect((await third).kind).toBe('turn');
});

function end(place: QueueTurn): void {
  if (place.kind !== 'turn') throw new Error(`expected a turn, but it is ${place.kind}`);
  place.end();
}
