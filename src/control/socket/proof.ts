import { closeSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import { isProofName } from './challenge.ts';

/**
 * Creates the file that a gateway asked for when it refused `mcp.attach`, and gives its name. Undefined when it refused for
 * another reason, or when we may not write there.
 */
export function writeProof(address: string, { data }: AppError): string | undefined {
  const rpcData = data?.['rpcData'];
  const proof = isObject(rpcData) ? rpcData['proof'] : undefined;
  if (typeof proof !== 'string' || !isProofName(proof)) return undefined;
  try {
    closeSync(openSync(join(dirname(address), proof), 'wx', 0o600));
    return proof;
  } catch {
    // In a sandbox: the refusal stands.
    return undefined;
  }
}
