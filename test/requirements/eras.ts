import type { Clause } from '../requirements.ts';

/** Servers of both protocol eras, over every transport. */
// biome-ignore format: a table, one clause per line
export const eras: readonly Clause[] = [
  { id: 'eras:stdio:modern-only', state: 'done', clause: 'A program that speaks only 2026-07-28 is used in that revision, without a second process.' },
  { id: 'eras:stdio:both', state: 'done', clause: 'A program that accepts `initialize` gets no request of the other era.' },
  { id: 'eras:stdio:input', state: 'done', clause: 'Elicitation, sampling and roots requests of a modern program reach the client that called.' },
  { id: 'eras:stdio:refusal', state: 'done', clause: 'If a program refuses both eras, its error is that of `initialize`.' },
  { id: 'eras:pairs:all', state: 'done', clause: 'Clients of both eras over both transports use servers of both eras over both transports in the same way.' },
];
