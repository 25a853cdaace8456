import { expect, test } from 'vitest';
import { findListeningInodes } from './port-owner.ts';

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:128B 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 111 1 0000 100 0 0 10 0
   1: 0100007F:128B 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 222 1 0000 20 4 30 10 -1
   2: 00000000000000000000000000000000:128B 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 333 1 0000 100 0 0 10 0
   3: 0100007F:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 444 1 0000 100 0 0 10 0
`;

test('finds the sockets that listen on a port, and no connections', () => {
  expect(findListeningInodes(TABLE, 4747)).toEqual(['111', '333']);
  expect(findListeningInodes(TABLE, 80)).toEqual(['444']);
  expect(findListeningInodes(TABLE, 81)).toEqual([]);
  expect(findListeningInodes('', 80)).toEqual([]);
});
