import type { HttpStatus } from '../../../control/status/running-status.ts';

/** Formats the clients of a gateway that serves HTTP, and what it refused: `2 sessions · 5 connections · refused 3 (429)`. */
export function httpLine({ connections, sessions, modernClients, requests, streams, refused }: HttpStatus): string {
  const parts = [
    count(sessions, 'session'),
    count(modernClients, 'client without a session', 'clients without a session'),
    count(connections, 'connection'),
    count(requests, 'request'),
    count(streams, 'stream'),
    ...Object.entries(refused).map(([status, times]) => `refused ${times} (${status})`),
  ];
  return parts.join(' · ');
}

function count(number: number, one: string, several = `${one}s`): string {
  return `${number} ${number === 1 ? one : several}`;
}
