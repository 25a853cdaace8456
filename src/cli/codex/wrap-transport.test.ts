import { expect, test } from 'vitest';
import { AppError } from '../../base/errors.ts';
import type { Transport, TransportReceiver } from '../../serve/fronts/transport.ts';
import { beforeEnd, sendWellFormed } from './wrap-transport.ts';

test('reports the end of a client before the server does, and passes on everything else', () => {
  const { transport, receiver, calls } = open();
  const observed = beforeEnd(transport, () => calls.push('saw it leave'));
  observed.start(receiver);
  calls.length = 0;
  transport.receiver().message('a');
  transport.receiver().fault(new AppError('BAD_FRAME', 'bad'));
  transport.receiver().end();
  transport.receiver().stop();
  observed.send('b');
  void observed.close();

  expect(calls).toEqual([
    ...['message a', 'fault bad'],
    ...['saw it leave', 'end', 'saw it leave', 'stop'],
    ...['send b', 'close'],
  ]);
});

test('replaces lone surrogates in what it sends', () => {
  const { transport, calls } = open();
  sendWellFormed(transport).send('"a\\ud800"');
  sendWellFormed(transport).send('"\\ud83d\\ude00"');

  expect(calls).toEqual(['send "a\ufffd"', 'send "\\ud83d\\ude00"']);
});

function open() {
  const calls: string[] = [];
  let started: TransportReceiver | undefined;
  const transport: Transport & { receiver(): TransportReceiver } = {
    start(receiver) {
      started = receiver;
    },
    send: (message) => void calls.push(`send ${message}`),
    close: () => void calls.push('close'),
    receiver() {
      if (started === undefined) throw new Error('not started');
      return started;
    },
  };
  const receiver: TransportReceiver = {
    message: (text) => void calls.push(`message ${text}`),
    fault: ({ message }) => void calls.push(`fault ${message}`),
    end: () => void calls.push('end'),
    stop: () => void calls.push('stop'),
  };
  return { transport, receiver, calls };
}
