import { runInNewContext } from 'node:vm';
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';

/** A fault as the validator reports it. */
export type ValidatorFault = Pick<OutputUnit, 'keyword' | 'keywordLocation' | 'instanceLocation' | 'error'>;

/**
 * Returns every fault of a value. The schema is untrusted: a pattern or references may block a validator forever, so a
 * timeout stops it and throws. References to other documents throw too: nothing is fetched.
 */
export function findFaults(value: unknown, schema: object, timeLimitMs: number): readonly ValidatorFault[] {
  const validate = () => new Validator(schema as Schema, '2020-12', false).validate(value).errors;
  // Only this API can interrupt code that does not return, including regular expressions. The code is our own; the new
  // context exposes nothing else to it.
  return runInNewContext('validate()', { validate }, { timeout: timeLimitMs });
}
