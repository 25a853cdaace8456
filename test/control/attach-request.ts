import { AppError } from '../../src/base/errors.ts';
import { writeProof } from '../../src/control/socket/proof.ts';
import type { SocketServer } from '../../src/upstream/transports/socket.ts';

/** Sends `mcp.attach` like our commands do: with a proof, after the gateway has requested one. */
export function attachRequest(address: string, server: unknown): Pick<SocketServer, 'preface' | 'onRefused'> {
  const request = (id: number, params: object) => JSON.stringify({ jsonrpc: '2.0', id, method: 'mcp.attach', params });
  return {
    preface: request(0, { server }),
    onRefused(refusal) {
      const proof = writeProof(address, refusal);
      return proof === undefined ? undefined : request(1, { server, proof });
    },
  };
}

/** Returns the proof for the challenge in this response to `mcp.attach`. Throws if it has none. */
export function proofFor(address: string, answer: unknown): string {
  const rpcData = Object(answer).error?.data;
  const proof = writeProof(address, new AppError('REQUEST_FAILED', 'refused', { data: { rpcData } }));
  if (proof === undefined) throw new Error(`Not a challenge: ${JSON.stringify(answer)}`);
  return proof;
}
