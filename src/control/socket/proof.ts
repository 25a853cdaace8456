import { closeSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import { isProofName } from './challenge.ts';

/**
 * Creates the proof file that a gateway named when it refused `mcp.attach`, and returns its name. Returns undefined if
 * the gateway refused for another reason, or if we cannot write to the folder.
 */
export function writeProof(address: string, { data }: AppError): string | undefined {
  const rpcData = data?.['rpcData'];
  const proof = isObject(rpcData) ? rpcData['proof'] : undefined;
  if (typeof proof !== 'string' || !isProofName(proof)) return undefined;
  try {
    closeSync(openSync(join(dirname(address), proof), 'wx', 0o600));
    return proof;
  } catch {
    // A sandbox denies the write, so the refusal remains.
    return undefined;
  }
}
