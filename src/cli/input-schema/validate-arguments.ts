import { messageOf } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { createFastCheck } from '../../serve/tools/fast-schema-check.ts';
import { isObject } from '../../wire/messages.ts';
import type { FieldFault } from './field-faults.ts';

export type ValidationResult =
  | { readonly kind: 'checked'; readonly faults: readonly FieldFault[] }
  /** The schema cannot be used, so only the server validates. */
  | { readonly kind: 'unchecked'; readonly why: string };

/** Validates arguments against a tool's schema before sending them. The schema may be broken, hostile or missing. */
export async function validateArguments(value: unknown, schema: unknown, timeLimitMs = 500): Promise<ValidationResult> {
  if (!isObject(schema)) return { kind: 'unchecked', why: 'it has no schema' };
  try {
    if (JSON.stringify(schema).length > MAX_SCHEMA_LENGTH)
      return { kind: 'unchecked', why: `its schema is larger than ${MAX_SCHEMA_LENGTH / 1024} KiB` };
    if (createFastCheck(schema)?.(value) === true) return { kind: 'checked', faults: [] };
    const { findFieldFaults } = await import('./field-faults.ts');
    return { kind: 'checked', faults: findFieldFaults(value, schema, timeLimitMs) };
  } catch (error) {
    return { kind: 'unchecked', why: uncheckedReason(error) };
  }
}

function uncheckedReason(error: unknown): string {
  // Errors of the other context are not instances of this context's `Error`.
  if (isObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'its schema takes too long to check';
  const [words = ''] = messageOf(error).split('\n');
  return `its schema cannot be used: ${escapeInvisible(oneLine(words, 120)).replace(/\.$/, '')}`;
}

const MAX_SCHEMA_LENGTH = 256 * 1024;
