import { runInNewContext } from 'node:vm';
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';

/** What the validator found, in its own words. */
export type ValidatorFault = Pick<OutputUnit, 'keyword' | 'keywordLocation' | 'instanceLocation' | 'error'>;

/**
 * Every fault of a value. The schema is a stranger's: a pattern or references may keep a validator busy for ever, so it
 * is stopped, and throws. References to other documents throw too: nothing is fetched.
 */
export function findFaults(value: unknown, schema: object, timeLimitMs: number): readonly ValidatorFault[] {
  const validate = () => new Validator(schema as Schema, '2020-12', false).validate(value).errors;
  // Only this can end code that does not return, regular expressions too. What runs is ours; the new context gives it nothing.
  return runInNewContext('validate()', { validate }, { timeout: timeLimitMs });
}
